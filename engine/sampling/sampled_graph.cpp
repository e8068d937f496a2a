#include "engine/sampling/sampled_graph.h"

#include <algorithm>

#include "engine/base/check.h"

namespace halo {

SampledGraph::SampledGraph(CsrRows rows, std::span<const Vertex> ids, const AskStop& askStop)
    : rows_(rows), ids_(ids) {
  // a rank may own no vertex
  HALO_CHECK(ids.empty() ? rows.rows() == rows.cols || rows.rows() == 0 : std::ssize(ids) == rows.rows());
  StopAsks asks(askStop, 1 << 22);
  for (Index r = 0; r < rows.rows() && !hasLoops_; ++r) {
    asks.step(rows.degree(r) + 1);
    hasLoops_ = std::ranges::binary_search(rows.row(r), idOf(r));
  }
}

SampledGraph::Loops SampledGraph::loopsOf(Index row) const {
  const std::span<const Vertex> neighbours = rows_.row(row);
  const auto [begin, end] = std::ranges::equal_range(neighbours, idOf(row));
  return {begin - neighbours.begin(), end - begin};
}

}  // namespace halo
