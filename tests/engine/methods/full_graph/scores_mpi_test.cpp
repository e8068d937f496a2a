// Whose weights the scores of an epoch are of: without dropout those that its loss is of, whatever the
// method.
#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf(const std::string& method) {
  RunSettings run = settingsFor(method, "graphsage", 2, 8);
  run.cluster.workers = worldSize();
  run.training.learningRate = 0.3;  // an update that shows
  if (run.parameters.count("label_propagation") > 0)
    run.parameters.insert_or_assign("label_propagation", Value(0.0));
  return run;
}

/// The shares that are right before anything is learned.
void checkSameScores(const EpochRow& expected, const EpochRow& actual) {
  const auto check = [](std::optional<double> a, std::optional<double> b) {
    REQUIRE(a.has_value() == b.has_value());
    if (a) CHECK(*b == Approx(*a).margin(sizeof(Scalar) == 8 ? 1e-12 : 0.02));  // a vertex at a tie, in float
  };
  check(expected.train, actual.train);
  check(expected.valid, actual.valid);
  check(expected.test, actual.test);
}

}  // namespace

TEST_CASE("without dropout the first epoch's scores are of the first weights, whatever the method",
          "[scores]") {
  const Dataset set = datasetOf("large", 600, randomArcs(600, 2400, 5), false);
  const Owners none(at(set.vertices()), 0);
  Trained single(MPI_COMM_SELF, set, settingsOf("single"), none);
  single.method->runEpoch(0);
  const EpochRow first = single.method->evaluate();
  single.method->runEpoch(1);
  CHECK(std::abs(*single.method->evaluate().train - *first.train) > 0.02);  // else all of this shows nothing
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    const RunSettings run = settingsOf(std::string(name));
    if ((worldSize() > 1 && !entry.distributed) || !refusals(entry, run).empty()) continue;
    if (entry.sampled) continue;  // its loss is of the weights before each of several updates
    CAPTURE(name);
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    many.method->runEpoch(0);
    checkSameScores(first, many.method->evaluate());
    // and a pass of its own leaves the weights that come of the epoch where they belong
    const auto weights = [&] {
      std::vector<Matrix> all;
      for (const auto& [key, weight] : many.model->weights()) all.push_back(weight->value);
      return all;
    };
    const std::vector<Matrix> before = weights();
    many.method->evaluate();
    const std::vector<Matrix> after = weights();
    REQUIRE(before.size() == after.size());
    for (std::size_t w = 0; w < before.size(); ++w)
      CHECK(std::ranges::equal(before[w].values(), after[w].values()));
  }
}

TEST_CASE("scores of kept weights are those of their epoch", "[scores]") {
  const Dataset set = datasetOf("large", 600, randomArcs(600, 2400, 5), false);
  for (const auto& [name, entry] : registry<MethodEntry>())
    for (const double dropout : {0.0, 0.5}) {
      RunSettings run = settingsOf(std::string(name));
      run.model.dropout = dropout;
      if ((worldSize() > 1 && !entry.distributed) || !refusals(entry, run).empty()) continue;
      if (worldSize() == 1 || entry.style == nullptr || entry.style(run, worldSize()).depth == 0)
        continue;  // nobody keeps them
      CAPTURE(name, dropout);
      Trained often(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      Trained late(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      std::vector<EpochRow> expected;
      for (int epoch = 0; epoch < 3; ++epoch) {
        often.method->runEpoch(epoch);
        late.method->runEpoch(epoch);
        if (epoch == 1) continue;
        expected.push_back(often.method->evaluate());
        late.method->keepForEvaluation();
      }
      const std::vector<EpochRow> actual = late.method->evaluateKept();
      REQUIRE(actual.size() == expected.size());
      for (std::size_t i = 0; i < actual.size(); ++i) {
        CHECK(actual[i].epoch == expected[i].epoch);
        checkSameScores(expected[i], actual[i]);
      }
      CHECK(*actual.back().train != *actual.front().train);  // else it shows nothing
      CHECK(late.method->evaluateKept().empty());
      CHECK(late.method->runEpoch(3) == often.method->runEpoch(3));  // nor did it touch the training
    }
}
