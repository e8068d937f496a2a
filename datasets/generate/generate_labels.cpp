#include "datasets/generate/generate_labels.h"

#include <algorithm>
#include <cmath>

#include "datasets/graph/order.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"

namespace halo {
namespace {

// Third counter of the draws below, one stream each; those of the arcs end at 6 (and 16 times an attempt).
enum Stream : std::uint32_t { kLabel = 0x100, kSet = 0x101, kFlip = 0x102, kCentre = 0x103, kNoise = 0x104 };
enum Shuffle : std::uint64_t { kSplit = 2 };
constexpr std::int64_t kBlock = 1024;

/// Whether label k is one of the community's; the first labels are the common ones.
bool hasLabel(std::uint64_t seed, Index community, std::int32_t k, std::int32_t classes) {
  if (community % classes == k) return true;  // at least one
  const auto words = philox(seed, Purpose::generate, static_cast<std::uint64_t>(community),
                            static_cast<std::uint32_t>(k), kSet);
  return unit(words[0]) < 0.35 / (1 + 0.15 * k);
}

void plantOneLabel(const GraphShape& shape, const GraphPlan& plan, const PlantedGraph& graph,
                   std::uint64_t seed, int threads, const AskStop& askStop,
                   std::vector<std::int32_t>& labels) {
  labels.resize(at(plan.vertices));
  const auto fill = [&](std::int64_t begin, std::int64_t end) {
    for (Index v = begin; v < end; ++v) {
      const auto words = philox(seed, Purpose::generate, static_cast<std::uint64_t>(v), 0, kLabel);
      const bool wrong = unit(words[0]) < shape.labelNoise;
      labels[at(v)] = wrong ? static_cast<std::int32_t>(words[1] % static_cast<std::uint32_t>(plan.classes))
                            : graph.classOf[at(graph.communityOf[at(v)])];
    }
  };
  parallelBlocks(plan.vertices, kBlock, fill, threads, askStop);
}

void plantManyLabels(const GraphShape& shape, const GraphPlan& plan, const PlantedGraph& graph,
                     std::uint64_t seed, int threads, const AskStop& askStop, Matrix& labels) {
  constexpr double kStray = 0.01;  // chance of a label that the community has not
  labels.resize(plan.vertices, plan.classes);
  const auto fill = [&](std::int64_t begin, std::int64_t end) {
    for (Index v = begin; v < end; ++v) {
      const Index community = graph.communityOf[at(v)];
      for (std::int32_t k = 0; k < plan.classes; ++k) {
        const auto words = philox(seed, Purpose::generate, static_cast<std::uint64_t>(v),
                                  static_cast<std::uint32_t>(k), kFlip);
        const double chance = hasLabel(seed, community, k, plan.classes) ? 1 - shape.labelNoise : kStray;
        labels(v, k) = unit(words[0]) < chance ? Scalar{1} : Scalar{0};
      }
    }
  };
  parallelBlocks(plan.vertices, kBlock, fill, threads, askStop);
}

/// classes × f, rows of length `signal` in random directions.
std::vector<float> classCentres(const GraphShape& shape, const GraphPlan& plan, std::uint64_t seed) {
  std::vector<float> centres(at(plan.classes * shape.features));
  const auto step = static_cast<float>(shape.signal / std::sqrt(static_cast<double>(shape.features)));
  for (std::size_t i = 0; i < centres.size(); ++i)
    centres[i] = philox(seed, Purpose::generatedFeatures, i, 0, kCentre)[0] % 2 == 0 ? step : -step;
  return centres;
}

/// communities × f: the sum of the centres of its labels, scaled back to one centre's length.
std::vector<float> communityCentres(const GraphShape& shape, const GraphPlan& plan, const PlantedGraph& graph,
                                    std::uint64_t seed) {
  const std::vector<float> ofClass = classCentres(shape, plan, seed);
  const Index f = shape.features;
  std::vector<float> centres(graph.classOf.size() * at(f), 0.0F);
  for (std::size_t c = 0; c < graph.classOf.size(); ++c) {
    int count = 0;
    for (std::int32_t k = 0; k < plan.classes; ++k) {
      if (!hasLabel(seed, static_cast<Index>(c), k, plan.classes)) continue;
      ++count;
      for (Index j = 0; j < f; ++j) centres[c * at(f) + at(j)] += ofClass[at(k * f + j)];
    }
    for (Index j = 0; j < f; ++j) centres[c * at(f) + at(j)] /= std::sqrt(static_cast<float>(count));
  }
  return centres;
}

/// Mean 0, deviation 1: the sum of the word's four bytes (Irwin & Hall), exact on every machine and far
/// cheaper than logarithms; it ends at ±3.45.
float noise(std::uint32_t word) {
  const std::uint32_t pairs = (word & 0x00FF00FFU) + ((word >> 8) & 0x00FF00FFU);
  const auto sum = static_cast<float>((pairs & 0xFFFFU) + (pairs >> 16));
  constexpr float kMean = 510.0F, kDeviation = 147.7972F;  // √(4 · (256² − 1) / 12)
  return (sum - kMean) / kDeviation;
}

}  // namespace

void plantLabels(const GraphShape& shape, const GraphPlan& plan, const PlantedGraph& graph,
                 std::uint64_t seed, int threads, const AskStop& askStop, Dataset& data) {
  data.classes = plan.classes;
  if (shape.multiLabel)
    plantManyLabels(shape, plan, graph, seed, threads, askStop, data.multiLabels);
  else
    plantOneLabel(shape, plan, graph, seed, threads, askStop, data.labels);
}

void plantFeatures(const GraphShape& shape, const GraphPlan& plan, const PlantedGraph& graph,
                   std::uint64_t seed, int threads, const AskStop& askStop, Matrix& features) {
  const std::vector<float> centres =
      shape.multiLabel ? communityCentres(shape, plan, graph, seed) : classCentres(shape, plan, seed);
  features.resize(plan.vertices, shape.features);
  const auto fill = [&](std::int64_t begin, std::int64_t end) {
    for (Index v = begin; v < end; ++v) {
      const Vertex community = graph.communityOf[at(v)];
      const Index line = shape.multiLabel ? community : graph.classOf[at(community)];
      const float* centre = centres.data() + line * shape.features;
      for (Index j = 0; j < shape.features; j += 4) {
        const auto words = philox(seed, Purpose::generatedFeatures, static_cast<std::uint64_t>(v),
                                  static_cast<std::uint32_t>(j / 4), kNoise);
        for (Index k = j; k < std::min(j + 4, shape.features); ++k)
          features(v, k) = static_cast<Scalar>(centre[k] + noise(words[at(k - j)]));
      }
    }
  };
  parallelBlocks(plan.vertices, kBlock, fill, threads, askStop);
}

void plantSplit(const GraphShape& shape, Index vertices, std::uint64_t seed, std::vector<Split>& split,
                const AskStop& askStop) {
  const std::vector<Vertex> order = randomOrder(vertices, seed, kSplit, askStop);
  const auto share = [&](double part) {
    return std::max<Index>(1, std::llround(part * static_cast<double>(vertices)));
  };
  const Index train = share(shape.train), valid = share(shape.valid);
  split.assign(at(vertices), Split::test);
  for (Index i = 0; i < std::min(train + valid, vertices - 1); ++i)
    split[at(order[at(i)])] = i < train ? Split::train : Split::valid;
}

}  // namespace halo
