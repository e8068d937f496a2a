// Methods of mini-batches with their features mapped from a file, beside the same with features of their own.
#include <algorithm>
#include <cmath>
#include <set>

#include "datasets/cache.h"
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::test;

namespace {

/// The set with its features in a file of this rank's.
Dataset mappedOf(const Dataset& set, const Scratch& scratch) {
  const std::filesystem::path file = scratch / "set.haloset";
  REQUIRE(storeCached(file, set, "", StoredFeatures::whole).empty());
  Dataset mapped = openMapped(file, "").value();
  mapped.name = set.name;
  return mapped;
}

bool possible(const SlowPlan& plan, const Dataset& set) {
  return plan.batch * worldSize() <= std::ranges::count(set.split, Split::train);
}

std::vector<RunSettings> runs(const std::string& method, const SlowPlan& plan) {
  std::vector<RunSettings> all;
  for (const std::string kind : {"gcn", "graphsage"}) {
    RunSettings run = settingsFor(method, kind, 2, 6, 0.5);
    run.cluster.workers = worldSize();
    run.dataset.mapFeatures = true;
    if (method == "p2p-minibatch")
      run = with(run, "budget", std::int64_t{8});
    else
      for (const auto& [key, value] : plan.settings("minibatch", kind, 0.5).parameters)
        if (run.parameters.contains(key)) run = with(run, key, value);
    all.push_back(run);
    if (run.parameters.contains("evaluation")) all.push_back(with(run, "evaluation", std::string("sampled")));
    if (run.parameters.contains("pipeline")) all.push_back(with(run, "pipeline", std::string("3")));
    if (run.parameters.contains("cache_mb")) all.push_back(with(run, "cache_mb", std::int64_t{0}));
  }
  return all;
}

std::vector<RunSettings> allRuns(const SlowPlan& plan) {
  std::vector<RunSettings> all;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (!entry.sampled || (!entry.distributed && worldSize() > 1)) continue;
    for (RunSettings& run : runs(std::string(name), plan))
      if (refusals(entry, run).empty()) all.push_back(std::move(run));
  }
  return all;
}

/// Losses, scores and outputs of three epochs, and what is held in the end.
struct Outcome {
  std::vector<double> numbers;
  std::vector<Scalar> outputs;
  std::int64_t features = 0, exchange = 0;
};

Outcome outcomeOf(Trained& run) {
  Outcome outcome;
  for (int epoch = 0; epoch < 3; ++epoch) {
    outcome.numbers.push_back(run.method->runEpoch(epoch));
    const EpochRow row = run.method->evaluate();
    for (const auto& score : {row.train, row.valid, row.test}) outcome.numbers.push_back(score.value_or(-1));
  }
  const Matrix& logits = *run.method->logits();
  outcome.outputs.assign(logits.values().begin(), logits.values().end());
  outcome.features = run.method->memory()[at(MemoryOf::features)];
  outcome.exchange = run.method->memory()[at(MemoryOf::exchange)];
  return outcome;
}

/// Whether two runs of a method have the same bits: `p2p-minibatch` adds what arrives as it comes, which on
/// more than two ranks differs from run to run.
bool repeats(const RunSettings& run) { return run.method != "p2p-minibatch" || worldSize() <= 2; }

template <class Number>
bool agree(const std::vector<Number>& actual, const std::vector<Number>& expected, bool exactly) {
  const double tolerance = exactly ? 0 : sizeof(Scalar) == sizeof(double) ? 1e-12 : 1e-4;
  return std::ranges::equal(
      actual, expected, [&](double a, double b) { return std::abs(a - b) <= tolerance * (1 + std::abs(b)); });
}

}  // namespace

TEST_CASE("mapped features train and score with the same bits as a worker's own", "[minibatch][mapped]") {
  const SlowPlan plan{.fanouts = {2, 3}, .batch = 3};
  std::set<std::string> methods;
  int count = 0;
  for (const Dataset& set : hardGraphs()) {
    if (!possible(plan, set)) continue;
    const Scratch scratch;
    const Dataset mapped = mappedOf(set, scratch);
    for (const RunSettings& run : allRuns(plan)) {
      CAPTURE(set.name, run.method, run.model.kind);
      std::unique_ptr<Trained> own, mapping;
      try {
        own = std::make_unique<Trained>(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        mapping = std::make_unique<Trained>(MPI_COMM_WORLD, mapped, run, scatteredOwners(set, worldSize()));
      } catch (const InputError&) {
        continue;  // a batch that these vertices do not fill, on every rank
      }
      const Outcome expected = outcomeOf(*own), actual = outcomeOf(*mapping);
      CHECK(agree(actual.numbers, expected.numbers, repeats(run)));
      CHECK(agree(actual.outputs, expected.outputs, repeats(run)));
      methods.insert(run.method);
      ++count;
    }
  }
  CHECK(count > 20);
  CHECK(methods.contains("minibatch"));
  CHECK(methods.contains("p3"));
  CHECK(methods.contains("pagraph"));
}

TEST_CASE("a worker that maps features holds none of its own, nor halo rows as wide to score",
          "[minibatch][mapped][memory]") {
  constexpr Index kVertices = 600, kWidth = 90;
  Dataset set =
      datasetOf("wide", buildCsr(kVertices, randomArcs(kVertices, 3000, 5), false), true, kWidth, 4);
  for (std::size_t v = 0; v < set.split.size(); ++v) set.split[v] = v % 4 == 0 ? Split::train : Split::test;
  const Scratch scratch;
  const Dataset mapped = mappedOf(set, scratch);
  const SlowPlan plan{.fanouts = {2, 2}, .batch = 8};
  for (const RunSettings& run : allRuns(plan)) {
    CAPTURE(run.method, run.model.kind);
    Trained own(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    Trained mapping(MPI_COMM_WORLD, mapped, run, scatteredOwners(set, worldSize()));
    const Outcome expected = outcomeOf(own), actual = outcomeOf(mapping);
    const auto elements = [](Index rows, Index width) {
      return rows * width * static_cast<Index>(sizeof(Scalar));
    };
    const Index rows = std::ssize(own.share.graph.owned);
    Index less = elements(rows, kWidth);
    if (run.method == "pagraph") less *= 2;  // it counts those of the host, too
    if (run.method == "p3")
      less += elements(kVertices,
                       kWidth * (own.comm.rank() + 1) / worldSize() - kWidth * own.comm.rank() / worldSize());
    CHECK(expected.features - actual.features == less);
    CHECK(mapping.share.features.heldBytes() == 0);
    // of an evaluation's exchange the hidden rows are left, 6 wide in the place of kWidth
    const Index halo = std::ssize(own.share.graph.haloIds) + sendCount(own.share.graph.peers);
    CHECK(expected.exchange - actual.exchange == elements(halo, kWidth - 6));
  }
}

TEST_CASE("methods that need all features in memory refuse to map them, with what to use", "[mapped]") {
  const auto refusalOf = [](const std::string& method, const std::string& kind, const std::string& order) {
    RunSettings run = settingsFor(method, kind, 2, 6);
    run.cluster.workers = worldSize();
    run.dataset.mapFeatures = true;
    run.model.order = order;
    std::string text;
    for (const Problem& problem : refusals(*find<MethodEntry>(method), run))
      if (problem.key == "dataset.map_features") text += problem.message;
    return text;
  };
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    CAPTURE(name);
    const std::string text = refusalOf(std::string(name), "gcn", "auto");
    CHECK(text.empty() == entry.sampled);
    if (!entry.sampled)
      CHECK(text == "cannot be used: " + std::string(name) +
                        " has all its features in memory; only methods of mini-batches map them");
  }
  CHECK(refusalOf("minibatch", "gat", "auto") ==
        "cannot be used: gat has all its features in memory for an evaluation");
  CHECK(
      refusalOf("minibatch", "gcn", "update-first") ==
      "cannot be used: model.order = \"update-first\" has all its features in memory for an evaluation; use "
      "aggregate-first or auto");
}
