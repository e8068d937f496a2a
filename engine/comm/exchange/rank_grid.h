#pragma once

#include <functional>
#include <vector>

#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// The ranks as a grid, row by row: rank = row · columns + column. The vertices of a grid row's ranks form
/// one row block: rank after rank, each rank's in the order of its own rows.
class RankGrid {
 public:
  /// vertices: of each rank; `columns` divides their number.
  RankGrid(std::vector<Index> vertices, int columns);

  int rows() const { return static_cast<int>(vertices_.size()) / columns_; }
  int columns() const { return columns_; }
  int rowOf(int rank) const { return rank / columns_; }
  int columnOf(int rank) const { return rank % columns_; }
  int rank(int row, int column) const { return row * columns_ + column; }
  std::vector<int> ranksOfRow(int row) const;
  std::vector<int> ranksOfColumn(int column) const;
  Index vertices(int rank) const { return vertices_[at(rank)]; }
  /// Where the rank's vertices begin in its row block, and how many that block has.
  Index begin(int rank) const;
  Index blockRows(int row) const {
    return begin(rank(row, columns_ - 1)) + vertices(rank(row, columns_ - 1));
  }
  std::vector<Index> blockRowsOfRanks() const;  // of the row block of each rank

 private:
  std::vector<Index> vertices_;
  int columns_;
};

/// Collective control traffic: the vertices of each rank.
std::vector<Index> verticesOfRanks(Communicator& comm, const LocalGraph& graph);

/// Block (row, column) of P, or of Pᵀ: of one row block by another.
struct GridBlock {
  int row = 0, column = 0;
  bool transposed = false;
};

/// Collective, before the epochs, uncounted: this rank's blocks, in order. `blocksOf(rank)` are those that
/// `rank` needs, the same on every rank. Weighted everywhere or nowhere.
std::vector<Csr> fetchBlocks(Communicator& comm, const LocalGraph& graph, const RankGrid& grid,
                             const std::function<std::vector<GridBlock>(int rank)>& blocksOf);

}  // namespace halo
