#include "engine/methods/blocks/summa.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"

namespace halo {
namespace {

Buffer<std::uint8_t> wireOf(const Csr& A) {
  const std::size_t columns = A.columns.size() * sizeof(Vertex), values = A.values.size() * sizeof(Scalar);
  Buffer<std::uint8_t> wire(columns + values);
  if (columns > 0) std::memcpy(wire.data(), A.columns.data(), columns);
  if (values > 0) std::memcpy(wire.data() + columns, A.values.data(), values);
  return wire;
}

/// Columns [begin, begin + part.cols()) of `matrix` become `part`, or the other way round.
void takeColumns(const Matrix& matrix, Index begin, Matrix& part) {
  for (Index row = 0; row < part.rows(); ++row)
    std::copy_n(matrix.row(row).data() + begin, part.cols(), part.row(row).data());
}
void putColumns(const Scalar* part, Index columns, Index begin, Matrix& matrix) {
  for (Index row = 0; row < matrix.rows(); ++row)
    std::copy_n(part + row * columns, columns, matrix.row(row).data() + begin);
}

std::span<const Scalar> rowsIn(const Matrix& A, Index begin, Index count) {
  return A.values().subspan(at(begin * A.cols()), at(count * A.cols()));
}

}  // namespace

Summa::Summa(WorkerParts& parts, int side)
    : parts_(parts),
      grid_(verticesOfRanks(parts.comm, parts.share.graph), side),
      row_(grid_.rowOf(parts.comm.rank())),
      column_(grid_.columnOf(parts.comm.rank())),
      alongRow_(parts.comm, grid_.ranksOfRow(row_)),
      alongColumn_(parts.comm, grid_.blockRowsOfRanks(), grid_.ranksOfColumn(column_)),
      packed_(at(side)) {
  HALO_CHECK(grid_.rows() == side);
  forward_ = operand(false);
  backward_ = operand(true);
}

Summa::Operand Summa::operand(bool transposed) {
  Operand P;
  P.own = std::move(fetchBlocks(parts_.comm, parts_.share.graph, grid_, [&](int rank) {
                      return std::vector<GridBlock>{{grid_.rowOf(rank), grid_.columnOf(rank), transposed}};
                    }).front());
  P.weighted = parts_.comm.anywhere(P.own.weighted());
  P.wire = wireOf(P.own);
  P.offsets.resize(at(grid_.columns()));
  P.offsets[at(column_)] = P.own.offsets;
  everyPair(
      parts_.comm,
      [&](int rank) {
        ByteWriter out;
        if (grid_.rowOf(rank) == row_) out.array(P.own.offsets);
        return out.take();
      },
      [&](int rank, const std::string& bytes) {
        if (grid_.rowOf(rank) == row_) ByteReader(bytes).array(P.offsets[at(grid_.columnOf(rank))]);
      });
  return P;
}

// No whole row of anybody else's comes here; all blocks of the grid row do.
std::optional<Holdings> Summa::holdings() const {
  Holdings holdings;
  for (const Buffer<Index>& offsets : forward_.offsets) holdings.nonzeros += offsets.back();
  return holdings;
}

void Summa::multiply(int tag, const Operand& P, const Matrix& X, Matrix& Y) {
  toColumns(tag, X);
  Write write = Write::overwrite;
  for (int s = 0; s < grid_.columns(); ++s) {
    const Csr& block = broadcastBlock(tag, P, s);
    alongColumn_.run(grid_.rank(s, column_), tag, slice_, passing_);
    if (block.nonzeros() == 0 || slice_.cols() == 0) continue;
    aggregate(parts_.tracer, block, s == row_ ? slice_ : passing_, product_, write);
    write = Write::add;
  }
  if (write == Write::overwrite) product_.setZero(slice_.rows(), slice_.cols());
  Y.resize(X.rows(), X.cols());
  toRows(tag, Y);
}

void Summa::toColumns(int tag, const Matrix& X) {
  const Index width = X.cols(), sliceWidth = columns(column_, width);
  slice_.resize(grid_.blockRows(row_), sliceWidth);
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    for (int J = 0; J < grid_.columns(); ++J) {
      Matrix& packed = packed_[at(J)];
      packed.resize(own(), columns(J, width));
      takeColumns(X, columnBegin(J, width), packed);
    }
  }
  const auto rowsOf = [&](int rank) {
    return slice_.values().subspan(at(grid_.begin(rank) * sliceWidth), at(grid_.vertices(rank) * sliceWidth));
  };
  std::ranges::copy(packed_[at(column_)].values(), rowsOf(parts_.comm.rank()).begin());
  alongRow_.run(
      tag,
      [&](std::size_t J) {
        return RowsOf<const Scalar>{std::as_const(packed_[J]).values(), packed_[J].cols()};
      },
      [&](std::size_t J) {
        return RowsOf<Scalar>{rowsOf(alongRow_.members()[J]), sliceWidth};
      });
}

void Summa::toRows(int tag, Matrix& Y) {
  const Index width = Y.cols();
  alongRow_.run(
      tag,
      [&](std::size_t J) {
        const int rank = alongRow_.members()[J];
        return RowsOf<const Scalar>{rowsIn(product_, grid_.begin(rank), grid_.vertices(rank)),
                                    product_.cols()};
      },
      [&](std::size_t J) {
        return RowsOf<Scalar>{packed_[J].values(), packed_[J].cols()};
      });
  const Timed timed(parts_.tracer, Kind::compute, Name::gather);
  for (int J = 0; J < grid_.columns(); ++J) {
    const Scalar* from = J == column_ ? rowsIn(product_, grid_.begin(parts_.comm.rank()), own()).data()
                                      : packed_[at(J)].data();
    putColumns(from, columns(J, width), columnBegin(J, width), Y);
  }
}

const Csr& Summa::broadcastBlock(int tag, const Operand& P, int stage) {
  const Buffer<Index>& offsets = P.offsets[at(stage)];
  const auto entries = at(offsets.back());
  const bool isOwn = stage == column_;
  if (!isOwn) resizeUndefined(wire_, entries * (sizeof(Vertex) + (P.weighted ? sizeof(Scalar) : 0)));
  if (entries > 0 && isOwn) {
    parts_.comm.copyOut(static_cast<std::int64_t>(P.wire.size()), std::ssize(alongRow_.members()) - 1);
    for (const int rank : alongRow_.members())
      if (rank != parts_.comm.rank())
        transfers_.push_back(parts_.comm.startSend(rank, tag, std::span<const std::uint8_t>(P.wire)));
  } else if (entries > 0) {
    transfers_.push_back(
        parts_.comm.startReceive(grid_.rank(row_, stage), tag, std::span<std::uint8_t>(wire_)));
  }
  parts_.comm.waitAll(transfers_);
  transfers_.clear();
  if (isOwn) return P.own;
  const Timed timed(parts_.tracer, Kind::compute, Name::gather);
  passingBlock_.cols = grid_.blockRows(stage);
  passingBlock_.offsets = offsets;
  resizeUndefined(passingBlock_.columns, entries);
  resizeUndefined(passingBlock_.values, P.weighted ? entries : 0);
  if (entries > 0) std::memcpy(passingBlock_.columns.data(), wire_.data(), entries * sizeof(Vertex));
  if (entries > 0 && P.weighted)
    std::memcpy(passingBlock_.values.data(), wire_.data() + entries * sizeof(Vertex),
                entries * sizeof(Scalar));
  return passingBlock_;
}

std::size_t Summa::bufferBytes() const {
  std::size_t bytes = slice_.heldBytes() + passing_.heldBytes() + product_.heldBytes() +
                      heldBytes(passingBlock_.offsets) + heldBytes(passingBlock_.columns) +
                      heldBytes(passingBlock_.values) + heldBytes(wire_);
  for (const Matrix& packed : packed_) bytes += packed.heldBytes();
  return bytes;
}

void Summa::predict(const RankGrid& grid, const RowTable& sparse, std::int64_t width,
                    std::int64_t elementBytes, const PredictedSend& send) {
  const int side = grid.columns();
  const auto sliceBytes = [&](int J) { return ((J + 1) * width / side - J * width / side) * elementBytes; };
  for (int row = 0; row < side; ++row)
    for (int I = 0; I < side; ++I)
      for (int J = 0; J < side; ++J) {
        if (I == J) continue;
        const int from = grid.rank(row, I), to = grid.rank(row, J);
        send(from, to, grid.vertices(from) * sliceBytes(J));  // to columns
        send(from, to, grid.vertices(to) * sliceBytes(I));    // and back to rows
        send(from, to, sparse[at(row)][at(I)]);
        // the same three indices read as (column, from, to): the dense broadcast
        send(grid.rank(I, row), grid.rank(J, row), grid.blockRows(I) * sliceBytes(row));
      }
}

}  // namespace halo
