#include "engine/methods/minibatch/closed_part.h"

#include "engine/base/index.h"
#include "engine/comm/exchange/row_directory.h"

namespace halo {
namespace {

constexpr Vertex kOutside = -2, kNoRow = -1;

}  // namespace

ClosedPart::ClosedPart(WorkerParts& parts, std::span<const Vertex> trained)
    : rowOf_(at(parts.share.graph.globalVertices), kOutside),
      rows_(rowsAround(parts, trained)),
      graph_(rows_, std::span(vertices_).first(at(rows_.rows()))) {}

Csr ClosedPart::rowsAround(WorkerParts& parts, std::span<const Vertex> trained) {
  RowDirectory directory(parts.comm, parts.share.graph);
  Csr rows;
  rows.cols = parts.share.graph.globalVertices;
  rows.offsets.assign(1, 0);
  vertices_.assign(trained.begin(), trained.end());
  for (const Vertex v : vertices_) rowOf_[at(v)] = kNoRow;
  for (int hop = 0; hop < parts.model.layers(); ++hop) {
    const std::vector<Vertex> border(vertices_.begin() + rows.rows(), vertices_.end());
    const Csr around = directory.propagationRows(border);  // others may still have some where this has none
    for (std::size_t i = 0; i < border.size(); ++i) {
      rowOf_[at(border[i])] = static_cast<Vertex>(rows.rows());
      for (const Vertex u : around.row(static_cast<Index>(i))) {
        rows.columns.push_back(u);
        if (rowOf_[at(u)] != kOutside) continue;
        rowOf_[at(u)] = kNoRow;
        vertices_.push_back(u);
      }
      rows.offsets.push_back(std::ssize(rows.columns));
    }
  }
  return rows;
}

std::vector<Index> ClosedPart::outDegrees() const {
  std::vector<Index> arcs(rowOf_.size(), 0);
  for (Index row = 0; row < rows_.rows(); ++row)
    for (const Vertex u : rows_.row(row))
      if (u != vertices_[at(row)]) ++arcs[at(u)];
  std::vector<Index> degrees;
  degrees.reserve(vertices_.size());
  for (const Vertex v : vertices_) degrees.push_back(arcs[at(v)]);
  return degrees;
}

std::size_t ClosedPart::heldBytes() const {
  return halo::heldBytes(vertices_) + halo::heldBytes(rowOf_) + halo::heldBytes(rows_.offsets) +
         halo::heldBytes(rows_.columns);
}

}  // namespace halo
