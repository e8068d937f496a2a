// One iteration of every method of mini-batches and every sampler beside plain loops: loss, gradients and
// logits. Weights step by the gradient itself, so that their difference is it.
#include "tests/engine/methods/minibatch/p2p_sets.h"
#include "tests/engine/methods/minibatch/slow_batches.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneIteration = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kCancelled = sizeof(Scalar) == 8 ? 1e-3 : 1e-1;  // terms of a gradient that cancel

RunSettings steppedPlainly(RunSettings run) {
  run.training.optimizer = "sgd";
  run.training.learningRate = 1;
  return run;
}

std::vector<Rows> weightsOf(const DefinedWeights& weights) {
  std::vector<Rows> values;
  for (const auto& [name, weight] : weights) values.push_back(weight.value);
  return values;
}

std::vector<Rows> weightsOf(const Trained& many) {
  std::map<std::string, Rows> byName;
  for (const auto& [name, weight] : many.model->weights()) byName[name] = rowsOf(weight->value);
  std::vector<Rows> values;
  for (auto& [name, value] : byName) values.push_back(value);
  return values;
}

/// Largest difference of a gradient's element, in units of the array's largest, or of kCancelled.
double farthestGradient(const std::vector<Rows>& before, const std::vector<Rows>& expected,
                        const std::vector<Rows>& actual) {
  double most = 0;
  for (std::size_t w = 0; w < before.size(); ++w) {
    double difference = 0, size = kCancelled;
    for (std::size_t k = 0; k < before[w].size(); ++k)
      for (std::size_t c = 0; c < before[w][k].size(); ++c) {
        difference = larger(difference, std::abs(actual[w][k][c] - expected[w][k][c]));
        size = std::max(size, std::abs(expected[w][k][c] - before[w][k][c]));
      }
    most = larger(most, difference / size);
  }
  return most;
}

/// Of all vertices that this rank owns.
double farthestLogit(const Trained& many, const Rows& expected) {
  const Matrix& logits = *many.method->logits();
  double difference = 0, size = 1e-30;
  for (Index row = 0; row < logits.rows(); ++row)
    for (Index c = 0; c < logits.cols(); ++c) {
      const double reference = expected[at(many.share.graph.owned[at(row)])][at(c)];
      difference = larger(difference, std::abs(static_cast<double>(logits(row, c)) - reference));
      size = std::max(size, std::abs(reference));
    }
  return difference / size;
}

template <class Slowly>
void checkOneEpoch(Trained& many, Slowly& slowly) {
  const std::vector<Rows> before = weightsOf(slowly.weights());
  const double expected = slowly.runEpoch(0);
  CHECK(many.method->runEpoch(0) == Approx(expected).epsilon(kOneIteration).margin(1e-12));
  CHECK(farthestGradient(before, weightsOf(slowly.weights()), weightsOf(many)) < kOneIteration);
  many.method->evaluate();
  CHECK(farthestLogit(many, slowly.outputsOfAll()) < kOneIteration);
}

/// None where the method refuses the graph, on every rank.
std::unique_ptr<Trained> trainedOn(MPI_Comm ranks, const Dataset& set, const RunSettings& run) {
  try {
    int size = 1;
    MPI_Comm_size(ranks, &size);
    return std::make_unique<Trained>(ranks, set, run, scatteredOwners(set, size));
  } catch (const InputError&) {
    return nullptr;
  }
}

/// Methods that draw neighbours, with a choice of their own or none.
struct Form {
  std::string method, key;
  Value value;
};
std::vector<Form> forms() {
  std::vector<Form> all = {{"minibatch", "", {}},
                           {"distdglv2", "ahead", std::int64_t{2}},
                           {"p3", "pipeline", std::string("1")},
                           {"p3", "pipeline", std::string("3")},
                           {"pagraph", "cache_mb", std::int64_t{0}},
                           {"pagraph", "cache_mb", std::int64_t{100}}};
  if (worldSize() == 1) all.push_back({"hyscale", "cards", std::int64_t{1}});
  return all;
}

/// hyscale deals a vertex to each trainer at least.
bool possible(const Form& form, const Dataset& set) {
  return form.method != "hyscale" || std::ranges::count(set.split, Split::train) > 2;
}

std::vector<SlowPlan> plansOf(const Dataset& set) {
  const auto trained = static_cast<int>(std::ranges::count(set.split, Split::train));
  const SlowPlan global{.fanouts = {2, 3}, .global = true, .globalBatch = trained};
  std::vector<SlowPlan> plans(5, global);
  plans[1].replace = true;
  plans[2].block = true;
  plans[3].fanouts = {3};
  plans[4] = {.fanouts = {1, 2, 2}, .batch = trained};  // own seeds
  return plans;
}

/// What the method declares of these settings.
RunSettings settingsOf(const Form& form, const SlowPlan& plan, const std::string& kind, double dropout) {
  RunSettings run = steppedPlainly(plan.settings(form.method, kind, dropout));
  const Values declared = settingsFor(form.method, kind, 2, 6).parameters;
  std::erase_if(run.parameters, [&](const auto& entry) { return !declared.contains(entry.first); });
  if (!declared.contains("seeds")) {
    run.parameters["batch"] = std::int64_t{0};
    run.parameters["global_batch"] = std::int64_t{std::max(plan.globalBatch, plan.batch)};
  }
  return form.key.empty() ? run : with(run, form.key, form.value);
}

}  // namespace

TEST_CASE("one iteration of drawn neighbours is that of plain loops, by every method", "[minibatch]") {
  std::map<std::string, int> runs;
  for (const Dataset& set : hardGraphs())
    for (const SlowPlan& plan : plansOf(set))
      for (const Form& form : forms())
        for (const std::string kind : {"gcn", "graphsage"})
          for (const double dropout : {0.0, 0.5}) {
            if (!possible(form, set)) continue;
            CAPTURE(set.name, plan.fanoutText(), plan.replace, plan.block, plan.global, form.method, form.key,
                    kind, dropout);
            const auto many = trainedOn(MPI_COMM_WORLD, set, settingsOf(form, plan, kind, dropout));
            if (many == nullptr) continue;
            REQUIRE(many->method->iterations() == 1);
            SlowBatches slowly(plan, *many, set);
            checkOneEpoch(*many, slowly);
            ++runs[form.method];
          }
  for (const Form& form : forms()) CHECK(runs[form.method] > 40);
}

namespace {

/// So few training vertices that a set has as many in the mean.
Dataset fewTrained(Dataset set) {
  Index left = 3;
  for (Split& split : set.split) split = split == Split::train && left-- > 0 ? Split::train : Split::test;
  return set;
}

SlowSetPlan planOf(const Dataset& set, const std::string& sampler, bool block) {
  const auto vertices = static_cast<int>(set.vertices());
  SlowSetPlan plan{.sampler = sampler, .block = block, .budget = 12, .roots = 9};
  plan.batch = static_cast<int>(std::ranges::count(set.split, Split::train));
  // a uniform set is the only one of its epoch if it has all vertices
  if (sampler == "uniform") plan.budget = vertices;
  return plan;
}

}  // namespace

TEST_CASE("one iteration of every other sampler is that of plain loops", "[minibatch][sets]") {
  if (worldSize() > 1) return;  // one place is all there is
  std::map<std::string, int> once;
  for (const Dataset& hard : hardGraphs())
    for (const std::string sampler : {"uniform", "saint-node", "saint-edge", "saint-walk", "layer"})
      for (const bool block : {false, true})
        for (const std::string kind : {"gcn", "graphsage"})
          for (const double dropout : {0.0, 0.5}) {
            CAPTURE(hard.name, sampler, block, kind, dropout);
            const Dataset set = fewTrained(hard);
            const SlowSetPlan plan = planOf(set, sampler, block);
            const auto many = trainedOn(MPI_COMM_SELF, set, steppedPlainly(plan.settings(kind, dropout)));
            if (many == nullptr || many->method->iterations() > 1) continue;
            SlowSets slowly(plan, *many, set);
            checkOneEpoch(*many, slowly);
            ++once[sampler];
          }
  CHECK(once.size() == 5);
  for (const auto& [sampler, count] : once) CHECK(count > 12);
}

TEST_CASE("iterations of sets that all workers draw are those of plain loops", "[minibatch][p2p]") {
  std::map<std::string, int> runs;
  for (const Dataset& hard : hardGraphs())
    for (const std::string sampler : {"uniform", "saint-node"})
      for (const bool block : {false, true})
        for (const std::string kind : {"gcn", "graphsage"}) {
          CAPTURE(hard.name, sampler, block, kind);
          const Dataset set = fewTrained(hard);
          SlowSetPlan plan = planOf(set, sampler, block);
          // two sets, for such of all vertices draw nothing
          if (sampler == "uniform") plan.budget = (plan.budget + 1) / 2;
          const auto many =
              trainedOn(MPI_COMM_WORLD, set, steppedPlainly(p2p_sets::settingsOf(plan, kind, 0.5)));
          if (many == nullptr) continue;
          SlowSets slowly(plan, *many, set);
          checkOneEpoch(*many, slowly);
          ++runs[sampler];
        }
  for (const std::string sampler : {"uniform", "saint-node"}) CHECK(runs[sampler] > 10);
}
