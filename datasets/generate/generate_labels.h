#pragma once

#include "datasets/generate/generate_arcs.h"
#include "engine/base/stop_asks.h"

namespace halo {

/// Labels (one or many) by community, some of them wrong; every vertex has one.
void plantLabels(const GraphShape& shape, const GraphPlan& plan, const PlantedGraph& graph,
                 std::uint64_t seed, int threads, const AskStop& askStop, Dataset& data);
/// n × f: the mean of the vertex's community plus noise of deviation 1, approximately normal.
void plantFeatures(const GraphShape& shape, const GraphPlan& plan, const PlantedGraph& graph,
                   std::uint64_t seed, int threads, const AskStop& askStop, Matrix& features);
/// Exactly the shares asked, in a random order, at least one vertex each.
void plantSplit(const GraphShape& shape, Index vertices, std::uint64_t seed, std::vector<Split>& split,
                const AskStop& askStop = {});
// Each throws what `askStop` throws, which is asked all the while.

}  // namespace halo
