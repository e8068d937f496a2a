#include "engine/sampling/square_block.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

/// Room for `more` after `size`: what the vector holds already, else twice its length, so that few blocks
/// grow.
template <class T>
void growFor(Buffer<T>& values, std::size_t size, std::size_t more) {
  const std::size_t needed = size + more;
  if (values.size() >= needed) return;
  values.resize(needed <= values.capacity() ? values.capacity() : std::max(needed, 2 * values.size()));
}

}  // namespace

void induce(const SampledGraph& graph, Numbering& numbering, SquareBlock& block, const AskStop& askStop) {
  HALO_CHECK(graph.rows().rows() == graph.vertices());
  HALO_CHECK(std::ranges::is_sorted(block.vertices));
  numbering.begin();
  numbering.reserve(std::ssize(block.vertices));
  for (const Vertex v : block.vertices) numbering.number(v);
  Csr& arcs = block.arcs;
  arcs.cols = std::ssize(block.vertices);
  HALO_CHECK(numbering.met() == arcs.cols);  // distinct
  resizeUndefined(arcs.offsets, at(arcs.cols) + 1);
  arcs.offsets[0] = 0;
  std::size_t size = 0;
  StopAsks asks(askStop, 1 << 20);
  for (std::size_t i = 0; i < block.vertices.size(); ++i) {
    const Vertex v = block.vertices[i];
    const std::span<const Vertex> row = graph.rows().row(v);
    asks.step(std::ssize(row) + 1);
    growFor(arcs.columns, size, row.size());
    growFor(block.places, size, row.size());
    const Index begin = graph.rows().offsets[at(v)];
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Vertex column = numbering.find(row[k]);
      arcs.columns[size] = column;  // the next arc overwrites it where this is none
      block.places[size] = begin + static_cast<Index>(k);
      size += column >= 0 && row[k] != v;
    }
    arcs.offsets[i + 1] = static_cast<Index>(size);
  }
  arcs.columns.resize(size);
  block.places.resize(size);
}

}  // namespace halo
