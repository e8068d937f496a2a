#pragma once

#include <array>
#include <vector>

#include "engine/methods/blocks/replicated_blocks.h"

namespace halo {

/// CAGNET's 2D multiplication, SUMMA (SC 2020), on a grid of q × q ranks. Rank (I,J) holds block P[V_I,V_J].
/// Of the dense matrix it holds the columns J of row block I, ⌊J·w/q⌋ … ⌊(J+1)·w/q⌋ of width w.
///
///   1  the ranks of grid row I, which own its rows, exchange them for columns: X_IJ
///   2  stage s: (I,s) broadcasts P[V_I,V_s] along its row and (s,J) broadcasts X_sJ along its column;
///      Z_IJ += P[V_I,V_s] X_sJ
///   3  back from columns to whole rows, which the layer updates
///
/// A block of P travels as its column numbers (4 bytes each), then its values where it has any, row after
/// row. How many entries each row has is known from the start.
class Summa final : public Propagator {
 public:
  Summa(WorkerParts& parts, int side);

  void forward(int layer, const Matrix& Y, Matrix& Z) override { multiply(2 * layer, forward_, Y, Z); }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    multiply(2 * layer + 1, backward_, dZ, dY);
  }
  std::size_t bufferBytes() const override;
  std::optional<Holdings> holdings() const override;

  /// Everything that is sent for a multiplication of width `width`; `sparse`: bytes of the blocks [I][J] of
  /// what is multiplied with, P or Pᵀ.
  static void predict(const RankGrid& grid, const RowTable& sparse, std::int64_t width,
                      std::int64_t elementBytes, const PredictedSend& send);

 private:
  /// The sparse operand: the own block as it travels, and the row lengths of all blocks of the grid row.
  struct Operand {
    Csr own;
    Buffer<std::uint8_t> wire;
    std::vector<Buffer<Index>> offsets;  // by stage
    bool weighted = false;
  };

  Operand operand(bool transposed);
  void multiply(int tag, const Operand& P, const Matrix& X, Matrix& Y);
  void toColumns(int tag, const Matrix& X);
  void toRows(int tag, Matrix& Y);
  const Csr& broadcastBlock(int tag, const Operand& P, int stage);
  Index columnBegin(int column, Index width) const { return column * width / grid_.columns(); }
  Index columns(int column, Index width) const {
    return columnBegin(column + 1, width) - columnBegin(column, width);
  }
  Index own() const { return grid_.vertices(parts_.comm.rank()); }

  WorkerParts& parts_;
  RankGrid grid_;
  int row_, column_;
  Operand forward_, backward_;
  GroupExchange alongRow_;
  BlockBroadcast alongColumn_;
  Matrix slice_, passing_, product_;  // row block × own columns
  std::vector<Matrix> packed_;        // own rows × their columns, by column
  Csr passingBlock_;
  Buffer<std::uint8_t> wire_;
  std::vector<Transfer> transfers_;
};

}  // namespace halo
