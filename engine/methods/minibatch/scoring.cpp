#include "engine/methods/minibatch/scoring.h"

#include <algorithm>

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

void copyRows(const Matrix& from, Index begin, Index count, Matrix& to) {
  to.resize(count, from.cols());
  std::copy_n(from.data() + begin * from.cols(), count * from.cols(), to.data());
}

}  // namespace

Scoring::Scoring(WorkerParts& parts) : parts_(parts), exchange_(parts.comm, parts.share.graph.peers) {}

void Scoring::layer(int l, const Csr& own, const Csr& halo) {
  Model& model = parts_.model;
  Layer& layer = model.layer(l);
  const Matrix& H = l == 0 ? parts_.share.features : A_;
  const Matrix& Y = layer.prepare(H);
  exchange_.startForward(l, Y);
  const Matrix& arrived = exchange_.finishForward();
  const Index rows = own.rows();
  U_.resize(rows, layer.out());
  for (Index begin = 0; begin < rows; begin += kPiece) {
    const Index end = std::min(rows, begin + kPiece);
    aggregatePiece(own, begin, end, Y, Write::overwrite);
    if (halo.nonzeros() > 0) aggregatePiece(halo, begin, end, arrived, Write::add);
    copyRows(H, begin, end - begin, pieceH_);
    layer.finish(pieceH_, Z_, pieceU_);
    std::ranges::copy(pieceU_.values(), U_.data() + begin * U_.cols());
  }
  if (l + 1 == model.layers()) return;
  if (!model.normalised(l)) return relu(U_, A_);
  const std::vector<Weight>& norm = model.norm(l);
  layerNorm(U_, norm[0].value.values(), norm[1].value.values(), A_, saved_);
  relu(A_, A_);
}

void Scoring::aggregatePiece(const Csr& edges, Index begin, Index end, const Matrix& rows, Write write) {
  cutRows(edges, begin, end, edges_);
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
