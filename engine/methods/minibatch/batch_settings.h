#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/methods/contract/method_entry.h"
#include "engine/sampling/global_matrix.h"
#include "engine/sampling/limits.h"
#include "engine/sampling/neighbour.h"

namespace halo {

inline constexpr std::array<std::string_view, 2> kEdgeWeights = {"global", "block"};
inline constexpr std::array<std::string_view, 2> kSeedChoices = {"own", "global"};
inline constexpr std::array<std::string_view, 2> kAverages = {"weighted", "plain"};
inline constexpr std::array<std::string_view, 2> kEvaluations = {"full", "sampled"};

/// The keys of every method that samples neighbours.
inline constexpr std::array<Parameter, 11> kBatchParameters = {{
    {"batch", "seeds of one worker in an iteration; 0: 1024, or as many as there are",
     Integer{0, 0, 2'147'483'647}},
    {"global_batch", "seeds of all workers in an iteration; 0: batch times the workers",
     Integer{0, 0, 2'147'483'647}},
    {"fanouts", "most neighbours drawn in each layer, from the inputs to the seeds; all: every one",
     Text{"25,10", /*numbers=*/true}},
    {"replace", "draw neighbours with replacement", Flag{false}},
    {"edge_weights", "neighbours weighted as in the whole graph, or as in one that has the drawn arcs alone",
     Choice{"global", kEdgeWeights}},
    {"seeds", "own: of each worker's training vertices; global: of one order of all",
     Choice{"own", kSeedChoices}},
    {"shuffle", "another order of the seeds in every epoch; false: by vertex", Flag{true}},
    {"drop_last", "leave out a batch that is not full", Flag{false}},
    {"average", "weighted: mean over the seeds of all workers; plain: mean over the workers' means",
     Choice{"weighted", kAverages}},
    {"evaluation", "scores are of the graph with all neighbours, or of drawn ones",
     Choice{"full", kEvaluations}},
    {"eval_fanouts", "most neighbours drawn to evaluate, as in fanouts; empty: as many",
     Text{"", /*numbers=*/true}},
}};

/// What these keys say.
struct BatchSettings {
  SeedSettings seeds;
  NeighbourSettings neighbours;
  EdgeWeights weights = EdgeWeights::global;
  bool plainAverage = false;                    // of the workers' means
  std::optional<NeighbourSettings> evaluation;  // that scores are of; none: all neighbours
};

/// trained  training vertices of each worker. A `batch` that nobody wrote is cut to what leaves an
/// iteration.
BatchSettings batchSettings(const RunSettings& run, std::span<const std::int64_t> trained);
/// What is wrong with them on these workers, by key. Empty where nothing is.
std::vector<Problem> batchProblems(const RunSettings& run, std::span<const std::int64_t> trained);

/// What is wrong whatever the data: fan-outs that do not fit the model.
std::vector<Problem> refuseKeys(const RunSettings& run);
/// What is wrong whoever owns which training vertex.
std::vector<Problem> refuseBatches(const RunSettings& run, const DataShape& data);

}  // namespace halo
