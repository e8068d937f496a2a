#include "engine/methods/minibatch/scoring.h"

#include <algorithm>
#include <optional>

#include "engine/base/index.h"
#include "engine/kernels/dense/activation.h"

namespace halo {
namespace {

constexpr Index kPiece = 4096;  // rows

void cutRows(const Csr& A, Index begin, Index end, Csr& out) {
  const Index first = A.offsets[at(begin)], last = A.offsets[at(end)];
  out.cols = A.cols;
  resizeUndefined(out.offsets, at(end - begin) + 1);
  for (Index row = begin; row <= end; ++row) out.offsets[at(row - begin)] = A.offsets[at(row)] - first;
  out.columns.assign(A.columns.begin() + first, A.columns.begin() + last);
  if (A.weighted())
    out.values.assign(A.values.begin() + first, A.values.begin() + last);
  else
    out.values.clear();
}

}  // namespace

Scoring::Scoring(WorkerParts& parts) : parts_(parts), exchange_(parts.comm, parts.share.graph.peers) {}

// Mapped features of all vertices are read where they are; nobody sends any.
void Scoring::layer(int l, const Csr& own, const Csr& halo) {
  Layer& layer = parts_.model.layer(l);
  const Share& share = parts_.share;
  const MappedRows* mapped = l == 0 ? share.mapped.get() : nullptr;
  std::span<const Vertex> ownIds, haloIds;
  std::optional<FirstRows> rows, arrived;
  if (mapped != nullptr) {
    HALO_CHECK(!layer.updatesBeforeForward());
    rows = arrived = mapped->rows();
    ownIds = share.graph.owned;
    haloIds = share.graph.haloIds;
  } else {
    const Matrix& Y = layer.prepare(l == 0 ? share.features : A_);
    exchange_.startForward(l, Y);
    rows = Y;
    arrived = exchange_.finishForward();
  }
  U_.resize(own.rows(), layer.out());
  for (Index begin = 0; begin < own.rows(); begin += kPiece) {
    const Index end = std::min(own.rows(), begin + kPiece);
    aggregatePiece(own, begin, end, *rows, ownIds, Write::overwrite);
    if (halo.nonzeros() > 0) aggregatePiece(halo, begin, end, *arrived, haloIds, Write::add);
    takePiece(l, begin, end);
    layer.finish(pieceH_, Z_, pieceU_);
    std::ranges::copy(pieceU_.values(), U_.data() + begin * U_.cols());
  }
  activate(l);
}

void Scoring::activate(int l) {
  Model& model = parts_.model;
  if (l + 1 == model.layers()) return;
  if (!model.normalised(l)) return relu(U_, A_);
  const std::vector<Weight>& norm = model.norm(l);
  layerNorm(U_, norm[0].value.values(), norm[1].value.values(), A_, saved_);
  relu(A_, A_);
}

void Scoring::takePiece(int l, Index begin, Index end) {
  const Share& share = parts_.share;
  const Index width = l == 0 ? share.features.cols() : A_.cols();
  pieceH_.resize(end - begin, width);
  if (l > 0) {
    std::copy_n(A_.data() + begin * width, (end - begin) * width, pieceH_.data());
    return;
  }
  for (Index row = begin; row < end; ++row)
    std::ranges::copy(share.featureRow(row), pieceH_.row(row - begin).begin());
}

void Scoring::aggregatePiece(const Csr& edges, Index begin, Index end, FirstRows rows,
                             std::span<const Vertex> ids, Write write) {
  cutRows(edges, begin, end, edges_);
  if (!ids.empty()) {
    for (Vertex& column : edges_.columns) column = ids[at(column)];
    edges_.cols = rows.rows();
  }
  aggregate(parts_.tracer, edges_, rows, Z_, write);
}

void Scoring::addTo(Memory& memory) const {
  const auto add = [&](MemoryOf category, std::size_t size) {
    memory[at(category)] += static_cast<std::int64_t>(size);
  };
  for (const Matrix* rows : {&A_, &U_, &saved_, &pieceH_, &pieceU_})
    add(MemoryOf::activations, rows->heldBytes());
  add(MemoryOf::aggregated, Z_.heldBytes());
  add(MemoryOf::exchange, exchange_.bufferBytes() + halo::heldBytes(edges_.offsets) +
                              halo::heldBytes(edges_.columns) + halo::heldBytes(edges_.values));
}

}  // namespace halo
