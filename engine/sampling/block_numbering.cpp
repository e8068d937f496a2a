#include "engine/sampling/block_numbering.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

void BlockNumbering::begin(std::span<const Vertex> seeds) {
  numbering_.begin();
  numbering_.reserve(std::ssize(seeds));
  for (const Vertex v : seeds) numbering_.number(v);
  HALO_CHECK(numbering_.met() == std::ssize(seeds));  // distinct
}

void BlockNumbering::add(Csr& block) {
  HALO_CHECK(block.rows() == numbering_.met());
  constexpr std::size_t kAhead = 16;
  numbering_.reserve(block.nonzeros());
  const std::span<Vertex> columns = block.columns;
  const std::size_t hinted = columns.size() - std::min(columns.size(), kAhead);
  for (std::size_t i = 0; i < hinted; ++i) {
    numbering_.prefetch(columns[i + kAhead]);
    columns[i] = numbering_.number(columns[i]);
  }
  for (Vertex& column : columns.subspan(hinted)) column = numbering_.number(column);
  block.cols = numbering_.met();
}

void BlockNumbering::finish(Buffer<Vertex>& vertices) const {
  resizeUndefined(vertices, at(numbering_.met()));
  std::ranges::copy(numbering_.vertices(), vertices.begin());
}

}  // namespace halo
