#include "engine/partition/stochastic/batch_counts.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/sampling/inclusion.h"

namespace halo {
namespace {

constexpr double kTimesMet = 9;  // an arc, on average

/// Rounded up; what is whole but for rounding stays whole.
std::int64_t least(double count) {
  constexpr double kMost = 1e15;
  return static_cast<std::int64_t>(std::ceil(std::min(count, kMost) * (1 - 1e-12)));
}

}  // namespace

double netsNeeded(int parts, double delta, double theta) {
  const double others = parts - 1;
  return others * others * std::log(2 / delta) / (2 * theta * theta);
}

double arcInclusion(Index vertices, Index batch) {
  if (vertices < 2) return 0;
  const auto n = static_cast<double>(vertices), b = static_cast<double>(batch);
  return b / n * ((b - 1) / (n - 1));
}

double arcInclusion(const SaintNodeSampler& sampler) {
  const CsrRows& rows = sampler.graph().rows();
  double sum = 0;
  Index arcs = 0;
  for (Index v = 0; v < rows.rows(); ++v) {
    const double p = sampler.weights().probability(v);
    for (const Vertex u : rows.row(v))
      if (u != v) {
        sum += metBoth(p, sampler.weights().probability(u), 0, sampler.draws());
        ++arcs;
      }
  }
  return arcs == 0 ? 0 : sum / static_cast<double>(arcs);
}

BatchCounts batchCounts(double nets, double vertices, double inclusion) {
  BatchCounts counts;
  counts.nets = nets;
  counts.byNets = vertices > 0 ? std::max<std::int64_t>(1, least(nets / vertices)) : 1;
  counts.byArcs = inclusion > 0 ? least(kTimesMet / inclusion) : 1;
  counts.drawn = std::max(counts.byNets, counts.byArcs);
  return counts;
}

}  // namespace halo
