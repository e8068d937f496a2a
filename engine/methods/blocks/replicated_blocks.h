#pragma once

#include <functional>
#include <vector>

#include "engine/comm/exchange/group_exchange.h"
#include "engine/comm/exchange/rank_grid.h"
#include "engine/comm/exchange/whole_blocks.h"
#include "engine/methods/full_graph/full_graph.h"

namespace halo {

/// What a predicted multiplication sends, a call a message.
using PredictedSend = std::function<void(int source, int target, std::int64_t bytes)>;
/// The flows of an epoch with one multiplication a layer and direction; `multiply` tells what one sends.
std::vector<PredictedVolume> predictMultiplications(
    const VolumeRequest& request,
    const std::function<void(Pass, std::int64_t width, const PredictedSend& send)>& multiply);
/// The grid of so many columns that a table of whole blocks (VolumeRequest::rows) is about; at least 2 parts.
RankGrid gridOf(const RowTable& rows, int columns);

/// CAGNET's 1D and 1.5D multiplications (SC 2020) on a grid of P/c rows and c columns. The ranks of a grid
/// row hold copies of its row block X_r (c = 1: 1D).
///
///   1  the c ranks of each grid row gather X_r from its owners
///   2  column k: for each J of its share ⌊k·(P/c)/c⌋ … ⌊(k+1)·(P/c)/c⌋ rank (J,k)
///      broadcasts X_J to the column,
///      and every rank of it adds P[V_r,V_J] X_J to its partial sum
///   3  the partial sums of a grid row are added, each rank getting the rows it owns; in order of k
///
/// Steps 3 and 1 are the two halves of the paper's all-reduce, with the update between them.
class ReplicatedBlocks final : public Propagator {
 public:
  ReplicatedBlocks(WorkerParts& parts, int replication);

  void forward(int layer, const Matrix& Y, Matrix& Z) override { multiply(2 * layer, blocks_, Y, Z); }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    multiply(2 * layer + 1, transposed_, dZ, dY);
  }
  std::size_t bufferBytes() const override;
  std::optional<Holdings> holdings() const override;

  /// Everything that is sent for a multiplication of width `width`.
  static void predict(const RankGrid& grid, std::int64_t width, std::int64_t elementBytes,
                      const PredictedSend& send);

 private:
  void multiply(int tag, const std::vector<Csr>& blocks, const Matrix& X, Matrix& Y);
  const Matrix& gatherBlock(int tag, const Matrix& X);
  void addShare(int tag, const std::vector<Csr>& blocks, const Matrix& block, Matrix& sum);
  void sumReplicas(int tag, Matrix& Y);
  Index own() const { return grid_.vertices(parts_.comm.rank()); }

  WorkerParts& parts_;
  RankGrid grid_;
  int row_, column_;
  std::vector<Csr> blocks_, transposed_;  // by J of this column's share
  GroupExchange replicas_;
  BlockBroadcast broadcast_;
  Matrix block_, passing_, partial_;
  std::vector<Matrix> pieces_;  // of the own rows, by column
};

}  // namespace halo
