#pragma once

#include "engine/sampling/saint.h"

namespace halo {

/// Nets that bound the error of a sampled volume: (P − 1)² ln(2/δ) / (2 θ²).
/// delta  chance that the error is larger; theta  the error
/// Source: P2P-GCN (14); it holds for a partition that was fixed before the nets are drawn.
double netsNeeded(int parts, double delta, double theta);

/// Share of the batches that have an arc: of uniform ones b(b−1) / (n(n−1)), of GraphSAINT's node sampler the
/// mean over arcs. 0: there are no arcs, or none can be drawn.
double arcInclusion(Index vertices, Index batch);
double arcInclusion(const SaintNodeSampler& sampler);

/// How many batches nets are drawn from.
struct BatchCounts {
  double nets = 0;          // netsNeeded
  std::int64_t byNets = 0;  // batches that have so many nets, those of a single vertex too
  std::int64_t byArcs = 0;  // batches in which an arc is met 9 times on average
  std::int64_t drawn = 0;   // as the user says; else the larger
};

/// vertices, inclusion  mean of a batch's vertices, and of the batches that have an arc
BatchCounts batchCounts(double nets, double vertices, double inclusion);

}  // namespace halo
