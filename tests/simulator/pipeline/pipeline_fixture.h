#pragma once

#include <vector>

#include "engine/base/index.h"
#include "simulator/pipeline/pipeline_batches.h"
#include "tests/support/small_graphs.h"

namespace halo::test {

/// i joined with i ± b: of every batch but the last the farthest neighbour is exactly b away.
inline Csr bandGraph(Index vertices, Index band) {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v + band < vertices; ++v) arcs.push_back({v, static_cast<Vertex>(v + band)});
  return symmetrised(buildCsr(vertices, arcs, false));
}

/// Every vertex joined with every other.
inline Csr completeGraph(Index vertices) {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < vertices; ++v)
    for (Vertex u = 0; u < vertices; ++u) arcs.push_back({v, u});
  return buildCsr(vertices, arcs, false);
}

/// `count` phases alike.
inline std::vector<sim::PipelinePhase> alike(int count, const sim::BatchCut& cut,
                                             const sim::PipelineRates& rates) {
  return std::vector<sim::PipelinePhase>(at(count), sim::timePhase(cut, rates));
}

/// Aggregation and update of a row; nothing else takes time.
inline sim::PipelineRates byRows(double aggregatePs, double updatePs) {
  return {.aggregatePsPerRow = aggregatePs, .updatePsPerRow = updatePs};
}

inline std::int64_t makespan(std::vector<sim::PipelinePhase> phases) {
  return sim::simulatePipeline({.phases = std::move(phases)}).makespanPs;
}

}  // namespace halo::test
