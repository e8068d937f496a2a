#pragma once

#include "engine/comm/exchange/exchange.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// Outputs of all own rows with the weights as they are, layer by layer. They are made as full-graph methods
/// make them, but that only some rows are aggregated at a time. So nothing but the features is as large as
/// they are, except halo rows on their way. Of layers that do not attend.
class Scoring {
 public:
  /// `parts` outlives this.
  explicit Scoring(WorkerParts& parts);

  /// Collective. Layer 0, 1, … in this order. `own`: own × own; `halo`: own × halo rows of the share.
  void layer(int l, const Csr& own, const Csr& halo);
  const Matrix& outputs() const { return U_; }
  Matrix& outputs() { return U_; }
  void addTo(Memory& memory) const;

 private:
  /// What rows [begin, end) of `edges` sum of `rows`, into Z_; `ids`: where its columns stand there, or
  /// empty.
  void aggregatePiece(const Csr& edges, Index begin, Index end, FirstRows rows, std::span<const Vertex> ids,
                      Write write);
  /// Rows [begin, end) of what enters layer l.
  void takePiece(int l, Index begin, Index end);
  void activate(int l);

  WorkerParts& parts_;
  HaloExchange exchange_;
  Matrix A_, U_, saved_;  // own rows: what enters a layer, what leaves it, norm statistics
  Csr edges_;             // of a piece
  Matrix Z_, pieceH_, pieceU_;
};

}  // namespace halo
