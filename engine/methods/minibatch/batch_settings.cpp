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

Sampler samplerOf(const Values& values) {
  if (!values.contains("sampler")) return Sampler::neighbour;
  return static_cast<Sampler>(std::ranges::find(kSamplers, values.text("sampler")) - kSamplers.begin());
}

bool takesSeeds(Sampler sampler) { return sampler == Sampler::neighbour || sampler == Sampler::layer; }

/// Whether a batch is drawn by what a key says.
bool reads(Sampler sampler, std::string_view key) {
  if (key == "fanouts" || key == "replace") return sampler == Sampler::neighbour;
  if (key == "budget") return sampler != Sampler::neighbour && sampler != Sampler::saintWalk;
  if (key == "roots" || key == "depth" || key == "coverage") return sampler == Sampler::saintWalk;
  return takesSeeds(sampler);
}

/// What begins with seeds; nothing of a method whose batches never do.
void takeSeeds(const RunSettings& run, std::span<const std::int64_t> trained, BatchSettings& settings) {
  const Values& values = run.parameters;
  settings.seeds.seed = run.training.seed;
  if (!values.contains("seeds")) return;
  settings.seeds = {
      run.training.seed,       values.text("seeds") == "own" ? SeedChoice::own : SeedChoice::global,
      values.integer("batch"), values.integer("global_batch"),
      values.flag("shuffle"),  values.flag("drop_last")};
  if (settings.seeds.batch == 0) settings.seeds.batch = defaultBatch(settings.seeds, trained);
  settings.neighbours.replace = values.flag("replace");
  settings.plainAverage = values.text("average") == "plain";
}

void takeSampler(const Values& values, Index vertices, BatchSettings& settings) {
  settings.sampler = samplerOf(values);
  if (settings.sampler == Sampler::neighbour) return;
  constexpr std::int64_t kBudget = 20000;
  const bool distinct = settings.sampler == Sampler::uniform;
  settings.budget = values.integer("budget");
  if (settings.budget == 0) settings.budget = distinct ? std::min<std::int64_t>(kBudget, vertices) : kBudget;
  if (!values.contains("roots")) return;
  settings.roots = values.integer("roots");
  settings.depth = static_cast<int>(values.integer("depth"));
  settings.coverage = values.real("coverage");
}

/// Keys that this sampler reads nothing of, where they say something else than by default. Draws of an
/// evaluation go by fan-outs too.
void refuseUnread(const RunSettings& run, std::vector<Problem>& problems) {
  const Values& values = run.parameters;
  if (!values.contains("sampler")) return;
  const Sampler sampler = samplerOf(values);
  const bool evaluates = values.text("evaluation") == "sampled";
  const auto look = [&](std::span<const Parameter> parameters, std::span<const std::string_view> keys) {
    for (const Parameter& parameter : parameters) {
      if (std::ranges::find(keys, parameter.key) == keys.end() || reads(sampler, parameter.key)) continue;
      if (evaluates && (parameter.key == "fanouts" || parameter.key == "replace")) continue;
      if (values.at(std::string(parameter.key)) == fallback(parameter)) continue;
      problems.push_back(
          {.key = "run." + std::string(parameter.key),
           .message = "has no effect with sampler = \"" + values.text("sampler") + "\"; leave it out"});
    }
  };
  constexpr std::array<std::string_view, 8> kOfSeeds = {"batch", "global_batch", "fanouts",   "replace",
                                                        "seeds", "shuffle",      "drop_last", "average"};
  constexpr std::array<std::string_view, 4> kOfSets = {"budget", "roots", "depth", "coverage"};
  look(kBatchParameters, kOfSeeds);
  look(kSamplerParameters, kOfSets);
}

/// What seeds and budget ask of the graph.
std::vector<Problem> drawProblems(const BatchSettings& settings, std::span<const std::int64_t> trained,
                                  Index vertices) {
  if (takesSeeds(settings.sampler)) return seedProblems(settings.seeds, trained, "run.");
  if (settings.sampler == Sampler::uniform) return budgetProblems(settings.budget, vertices, "run.budget");
  return {};
}

}  // namespace

BatchSettings batchSettings(const RunSettings& run, std::span<const std::int64_t> trained, Index vertices) {
  const Values& values = run.parameters;
  BatchSettings settings;
  takeSeeds(run, trained, settings);
  takeSampler(values, vertices, settings);
  if (values.contains("ahead")) settings.ahead = static_cast<int>(values.integer("ahead"));
  if (values.contains("machines")) settings.machines = static_cast<int>(values.integer("machines"));
  std::vector<Problem> problems;
  const bool sampled = values.text("evaluation") == "sampled";
  if (settings.sampler == Sampler::neighbour || (sampled && values.contains("fanouts")))
    settings.neighbours.fanouts = fanoutsOf(run, "fanouts", problems);
  const Fanouts evaluated = values.text("eval_fanouts").empty() ? settings.neighbours.fanouts
                                                                : fanoutsOf(run, "eval_fanouts", problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  if (sampled) settings.evaluation = NeighbourSettings{evaluated, settings.neighbours.replace};
  settings.weights = values.text("edge_weights") == "block" ? EdgeWeights::block : EdgeWeights::global;
  return settings;
}

std::vector<Problem> batchProblems(const RunSettings& run, std::span<const std::int64_t> trained,
                                   Index vertices) {
  const BatchSettings settings = batchSettings(run, trained, vertices);
  std::vector<Problem> problems = drawProblems(settings, trained, vertices);
  // how many iterations vertex sets make is known once they can be drawn
  if (!problems.empty() || !takesSeeds(settings.sampler)) return problems;
  return stepProblems(iterationsOf(settings.seeds, trained), run.training.epochs,
                      static_cast<int>(run.model.layers), "training.epochs");
}

void refuseEvaluation(const RunSettings& run, std::vector<Problem>& problems) {
  const Values& values = run.parameters;
  const bool named = !values.text("eval_fanouts").empty(), sampled = values.text("evaluation") == "sampled";
  const auto wrong = [&](const char* message) {
    problems.push_back({.key = "run.eval_fanouts", .message = message});
  };
  if (named && !sampled)
    wrong("has no effect with evaluation = \"full\"; evaluation = \"sampled\" draws to evaluate");
  if (!named && sampled && !values.contains("fanouts"))
    wrong("is missing: evaluation = \"sampled\" draws neighbours, and the batches have no fan-outs");
  if (named) fanoutsOf(run, "eval_fanouts", problems);
}

std::vector<Problem> refuseKeys(const RunSettings& run) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, const std::string& message) {
    problems.push_back({.key = key, .message = message});
  };
  const Values& values = run.parameters;
  if (values.integer("batch") > 0 && values.integer("global_batch") > 0)
    wrong("run.batch", "has no effect beside global_batch; leave one of them out");
  const Sampler sampler = samplerOf(values);
  if (sampler == Sampler::neighbour ||
      (values.text("evaluation") == "sampled" && values.text("eval_fanouts").empty()))
    fanoutsOf(run, "fanouts", problems);
  refuseEvaluation(run, problems);
  if (sampler != Sampler::neighbour && run.cluster.workers > 1)
    wrong("run.sampler", values.text("sampler") + " needs the whole graph in one place; cluster.workers = 1");
  refuseUnread(run, problems);
  return problems;
}

std::vector<Problem> refuseBatches(const RunSettings& run, const DataShape& data) {
  return refuseKeys(run).empty() ? refuseDraws(run, data) : std::vector<Problem>();
}

std::vector<Problem> refuseDraws(const RunSettings& run, const DataShape& data) {
  if (!data.split) return {};
  const std::vector<Split> split = data.split();
  if (split.empty()) return {};
  // who owns them is not known: all belong to the first, which leaves the most iterations
  std::vector<std::int64_t> trained(at(run.cluster.workers), 0);
  trained.front() = std::ranges::count(split, Split::train);
  return trained.front() == 0 ? std::vector<Problem>() : batchProblems(run, trained, std::ssize(split));
}

}  // namespace halo
