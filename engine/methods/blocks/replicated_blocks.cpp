#include "engine/methods/blocks/replicated_blocks.h"

#include <algorithm>
#include <map>

#include "engine/base/index.h"

namespace halo {
namespace {

/// Where the share of grid column `column` begins; it ends where the next begins.
int shareBegin(const RankGrid& grid, int column) { return column * grid.rows() / grid.columns(); }

std::vector<GridBlock> shareOf(const RankGrid& grid, int rank, bool transposed) {
  std::vector<GridBlock> blocks;
  const int column = grid.columnOf(rank);
  for (int J = shareBegin(grid, column); J < shareBegin(grid, column + 1); ++J)
    blocks.push_back({grid.rowOf(rank), J, transposed});
  return blocks;
}

}  // namespace

RankGrid gridOf(const RowTable& rows, int columns) {
  std::vector<Index> vertices;
  for (std::size_t i = 0; i < rows.size(); ++i)
    vertices.push_back(rows[i][i == 0 ? 1 : 0]);  // the same to each other rank
  return {std::move(vertices), columns};
}

std::vector<PredictedVolume> predictMultiplications(
    const VolumeRequest& request,
    const std::function<void(Pass, std::int64_t width, const PredictedSend& send)>& multiply) {
  std::vector<PredictedVolume> flows;
  const auto note = [&](std::size_t layer, Pass pass, std::int64_t width) {
    std::map<std::pair<int, int>, std::pair<std::int64_t, std::int64_t>> sums;  // messages, bytes
    multiply(pass, width, [&](int source, int target, std::int64_t bytes) {
      if (bytes == 0) return;
      auto& sum = sums[{source, target}];
      sum.first += 1;
      sum.second += bytes;
    });
    for (const auto& [ends, sum] : sums)
      flows.push_back({static_cast<int>(layer), pass, ends.first, ends.second, sum.first, sum.second});
  };
  for (std::size_t l = 0; l < request.propagated.size(); ++l) {
    note(l, Pass::forward, request.propagated[l]);
    if (request.backward[l]) note(l, Pass::backward, request.returned[l]);
  }
  return flows;
}

ReplicatedBlocks::ReplicatedBlocks(WorkerParts& parts, int replication)
    : parts_(parts),
      grid_(verticesOfRanks(parts.comm, parts.share.graph), replication),
      row_(grid_.rowOf(parts.comm.rank())),
      column_(grid_.columnOf(parts.comm.rank())),
      replicas_(parts.comm, grid_.ranksOfRow(row_)),
      broadcast_(parts.comm, grid_.blockRowsOfRanks(), grid_.ranksOfColumn(column_)),
      pieces_(at(grid_.columns())) {
  const auto fetch = [&](bool transposed) {
    return fetchBlocks(parts.comm, parts.share.graph, grid_,
                       [&](int rank) { return shareOf(grid_, rank, transposed); });
  };
  blocks_ = fetch(false);
  transposed_ = fetch(true);
}

std::optional<Holdings> ReplicatedBlocks::holdings() const {
  Holdings holdings{parts_.comm.size() > 1 ? own() : 0, grid_.blockRows(row_) - own(), 0};
  for (int J = shareBegin(grid_, column_); J < shareBegin(grid_, column_ + 1); ++J)
    if (J != row_) holdings.remote += grid_.blockRows(J);
  for (const Csr& block : blocks_) holdings.nonzeros += block.nonzeros();
  return holdings;
}

void ReplicatedBlocks::multiply(int tag, const std::vector<Csr>& blocks, const Matrix& X, Matrix& Y) {
  if (grid_.columns() == 1) {
    addShare(tag, blocks, X, Y);
    return;
  }
  addShare(tag, blocks, gatherBlock(tag, X), partial_);
  sumReplicas(tag, Y);
}

const Matrix& ReplicatedBlocks::gatherBlock(int tag, const Matrix& X) {
  const Index width = X.cols();
  block_.resize(grid_.blockRows(row_), width);
  const auto rowsOf = [&](int rank) {
    return block_.values().subspan(at(grid_.begin(rank) * width), at(grid_.vertices(rank) * width));
  };
  std::ranges::copy(X.values(), rowsOf(parts_.comm.rank()).begin());
  replicas_.run(
      tag,
      [&](std::size_t) {
        return RowsOf<const Scalar>{X.values(), width};
      },
      [&](std::size_t i) {
        return RowsOf<Scalar>{rowsOf(replicas_.members()[i]), width};
      });
  return block_;
}

void ReplicatedBlocks::addShare(int tag, const std::vector<Csr>& blocks, const Matrix& block, Matrix& sum) {
  const int first = shareBegin(grid_, column_);
  Write write = Write::overwrite;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int J = first + static_cast<int>(i);
    broadcast_.run(grid_.rank(J, column_), tag, block, passing_);
    if (blocks[i].nonzeros() == 0) continue;
    aggregate(parts_.tracer, blocks[i], J == row_ ? block : passing_, sum, write);
    write = Write::add;
  }
  if (write == Write::overwrite) sum.setZero(grid_.blockRows(row_), block.cols());
}

void ReplicatedBlocks::sumReplicas(int tag, Matrix& Y) {
  const Index width = partial_.cols();
  const auto partialOf = [&](int rank) {
    return std::as_const(partial_).values().subspan(at(grid_.begin(rank) * width),
                                                    at(grid_.vertices(rank) * width));
  };
  for (Matrix& piece : pieces_) piece.resize(own(), width);
  replicas_.run(
      tag,
      [&](std::size_t i) {
        return RowsOf<const Scalar>{partialOf(replicas_.members()[i]), width};
      },
      [&](std::size_t i) {
        return RowsOf<Scalar>{pieces_[i].values(), width};
      });
  const Timed timed(parts_.tracer, Kind::compute, Name::gather);
  std::ranges::copy(partialOf(parts_.comm.rank()), pieces_[at(column_)].data());
  Y = pieces_.front();
  for (std::size_t k = 1; k < pieces_.size(); ++k) add(pieces_[k], Y);
}

std::size_t ReplicatedBlocks::bufferBytes() const {
  std::size_t bytes = block_.heldBytes() + passing_.heldBytes() + partial_.heldBytes();
  for (const Matrix& piece : pieces_) bytes += piece.heldBytes();
  return bytes;
}

void ReplicatedBlocks::predict(const RankGrid& grid, std::int64_t width, std::int64_t elementBytes,
                               const PredictedSend& send) {
  const std::int64_t rowBytes = width * elementBytes;
  for (int row = 0; row < grid.rows(); ++row)
    for (const int i : grid.ranksOfRow(row))
      for (const int j : grid.ranksOfRow(row)) {
        if (i == j) continue;
        send(i, j, grid.vertices(i) * rowBytes);  // its rows, to be copied
        send(i, j, grid.vertices(j) * rowBytes);  // its part of the sum of theirs
      }
  for (int column = 0; column < grid.columns(); ++column)
    for (int J = shareBegin(grid, column); J < shareBegin(grid, column + 1); ++J)
      for (int row = 0; row < grid.rows(); ++row)
        if (row != J) send(grid.rank(J, column), grid.rank(row, column), grid.blockRows(J) * rowBytes);
}

}  // namespace halo
