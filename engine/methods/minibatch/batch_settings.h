#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/methods/contract/method_entry.h"
#include "engine/sampling/batch_keys.h"
#include "engine/sampling/global_matrix.h"
#include "engine/sampling/limits.h"
#include "engine/sampling/neighbour.h"

namespace halo {

inline constexpr std::array<std::string_view, 2> kSeedChoices = {"own", "global"};

/// How batches are drawn.
enum class Sampler { neighbour, uniform, saintNode, saintEdge, saintWalk, layer };
/// In this order.
inline constexpr std::array<std::string_view, 6> kSamplers = {"neighbour",  "uniform",    "saint-node",
                                                              "saint-edge", "saint-walk", "layer"};

/// The keys of every method that samples neighbours.
inline constexpr std::array<Parameter, 11> kBatchParameters = {{
    {"batch", "seeds of one worker in an iteration; 0: 1024, or as many as there are",
     Integer{0, 0, 2'147'483'647}},
    {"global_batch", "seeds of all workers in an iteration; 0: batch times the workers",
     Integer{0, 0, 2'147'483'647}},
    kFanoutsParameter,
    kReplaceParameter,
    kEdgeWeightsParameter,
    {"seeds", "own: of each worker's training vertices; global: of one order of all",
     Choice{"own", kSeedChoices}},
    kShuffleParameter,
    kDropLastParameter,
    {"average", "weighted: mean over the seeds of all workers; plain: mean over the workers' means",
     Choice{"weighted", kAverages}},
    kEvaluationParameter,
    kEvaluationFanoutsParameter,
}};

/// The keys of who has other samplers too.
inline constexpr std::array<Parameter, 5> kSamplerParameters = {{
    {"sampler",
     "what a batch is: seeds with drawn neighbours, or with sources that a layer draws together; or one "
     "vertex "
     "set for all layers, with all arcs within it",
     Choice{"neighbour", kSamplers}},
    {"budget",
     "draws of a vertex set: vertices (uniform, saint-node) or arcs (saint-edge); of each layer (layer); 0: "
     "20000, or as many as there are",
     Integer{0, 0, 1'000'000'000}},
    {"roots", "random walks of a batch of saint-walk", Integer{3000, 1, 1'000'000'000}},
    {"depth", "steps of each of them", Integer{2, 1, 64}},
    {"coverage", "how often each vertex is drawn on average before training, to count how likely it is",
     Real{50, 1, 10000}},
}};

/// Both, one after the other.
template <std::size_t M, std::size_t N>
constexpr std::array<Parameter, M + N> joined(const std::array<Parameter, M>& a,
                                              const std::array<Parameter, N>& b) {
  std::array<Parameter, M + N> all{};
  std::copy(a.begin(), a.end(), all.begin());
  std::copy(b.begin(), b.end(), all.begin() + M);
  return all;
}

/// What these keys say.
struct BatchSettings {
  SeedSettings seeds;
  NeighbourSettings neighbours;
  EdgeWeights weights = EdgeWeights::global;
  bool plainAverage = false;                    // of the workers' means
  std::optional<NeighbourSettings> evaluation;  // that scores are of; none: all neighbours
  Sampler sampler = Sampler::neighbour;
  std::int64_t budget = 0, roots = 0;
  int depth = 0;
  double coverage = 0;
  int ahead = 0;     // batches under way beside the present one
  int machines = 1;  // groups of as many ranks, one after the other
};

/// trained   training vertices of each worker
/// vertices  of the whole graph
/// A `batch` that nobody wrote is cut to what leaves an iteration, a `budget` to the vertices.
BatchSettings batchSettings(const RunSettings& run, std::span<const std::int64_t> trained, Index vertices);
/// What is wrong with them on these workers, by key. Empty where nothing is.
std::vector<Problem> batchProblems(const RunSettings& run, std::span<const std::int64_t> trained,
                                   Index vertices);

/// What is wrong whatever the data: fan-outs that do not fit the model, keys without effect, samplers that
/// need another number of workers.
std::vector<Problem> refuseKeys(const RunSettings& run);
/// Of these the keys of evaluations, for a method with others of its own.
void refuseEvaluation(const RunSettings& run, std::vector<Problem>& problems);
/// What is wrong whoever owns which training vertex.
std::vector<Problem> refuseBatches(const RunSettings& run, const DataShape& data);
/// The same of a run whose keys are known to be right.
std::vector<Problem> refuseDraws(const RunSettings& run, const DataShape& data);

}  // namespace halo
