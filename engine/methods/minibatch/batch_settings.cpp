#include "engine/methods/minibatch/batch_settings.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/index.h"

namespace halo {
namespace {

Fanouts fanoutsOf(const RunSettings& run, const char* key, std::vector<Problem>& problems) {
  return readFanouts(run.parameters.text(key), static_cast<int>(run.model.layers), std::string("run.") + key,
                     problems);
}

std::int64_t smallestShare(std::span<const std::int64_t> trained) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t count : trained)
    if (count > 0) least = std::min(least, count);
  return least;
}

/// What a batch is that nobody wrote: as far as there are training vertices for it. With drop_last that is as
/// far as every worker that has any fills one. What somebody wrote is never cut.
std::int64_t defaultBatch(const SeedSettings& seeds, std::span<const std::int64_t> trained) {
  constexpr std::int64_t kBatch = 1024;
  const bool fills = seeds.dropLast && seeds.seeds == SeedChoice::own;
  const std::int64_t all = std::reduce(trained.begin(), trained.end());
  const std::int64_t most = fills            ? smallestShare(trained)
                            : seeds.dropLast ? all / static_cast<std::int64_t>(trained.size())
                                             : all;
  return std::max<std::int64_t>(1, std::min(kBatch, most));
}

}  // namespace

BatchSettings batchSettings(const RunSettings& run, std::span<const std::int64_t> trained) {
  const Values& values = run.parameters;
  BatchSettings settings;
  settings.seeds = {
      run.training.seed,       values.text("seeds") == "own" ? SeedChoice::own : SeedChoice::global,
      values.integer("batch"), values.integer("global_batch"),
      values.flag("shuffle"),  values.flag("drop_last")};
  if (settings.seeds.batch == 0) settings.seeds.batch = defaultBatch(settings.seeds, trained);
  std::vector<Problem> problems;
  settings.neighbours.fanouts = fanoutsOf(run, "fanouts", problems);
  const Fanouts evaluated = run.parameters.text("eval_fanouts").empty()
                                ? settings.neighbours.fanouts
                                : fanoutsOf(run, "eval_fanouts", problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  settings.neighbours.replace = values.flag("replace");
  if (values.text("evaluation") == "sampled")
    settings.evaluation = NeighbourSettings{evaluated, settings.neighbours.replace};
  settings.weights = values.text("edge_weights") == "block" ? EdgeWeights::block : EdgeWeights::global;
  settings.plainAverage = values.text("average") == "plain";
  return settings;
}

std::vector<Problem> batchProblems(const RunSettings& run, std::span<const std::int64_t> trained) {
  const BatchSettings settings = batchSettings(run, trained);
  std::vector<Problem> problems = seedProblems(settings.seeds, trained, "run.");
  if (!problems.empty()) return problems;
  return stepProblems(iterationsOf(settings.seeds, trained), run.training.epochs,
                      static_cast<int>(run.model.layers), "training.epochs");
}

std::vector<Problem> refuseKeys(const RunSettings& run) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, const std::string& message) {
    problems.push_back({"", 0, 0, key, message});
  };
  const Values& values = run.parameters;
  if (values.integer("batch") > 0 && values.integer("global_batch") > 0)
    wrong("run.batch", "has no effect beside global_batch; leave one of them out");
  if (!values.text("eval_fanouts").empty() && values.text("evaluation") != "sampled")
    wrong("run.eval_fanouts",
          "has no effect with evaluation = \"full\"; evaluation = \"sampled\" draws to evaluate");
  fanoutsOf(run, "fanouts", problems);
  if (!run.parameters.text("eval_fanouts").empty()) fanoutsOf(run, "eval_fanouts", problems);
  return problems;
}

std::vector<Problem> refuseBatches(const RunSettings& run, const DataShape& data) {
  if (!data.split || !refuseKeys(run).empty()) return {};
  const std::vector<Split> split = data.split();
  if (split.empty()) return {};
  // who owns them is not known: all belong to the first, which leaves the most iterations
  std::vector<std::int64_t> trained(at(run.cluster.workers), 0);
  trained.front() = std::ranges::count(split, Split::train);
  return trained.front() == 0 ? std::vector<Problem>() : batchProblems(run, trained);
}

}  // namespace halo
