#include "engine/comm/exchange/rank_grid.h"

#include <algorithm>
#include <tuple>

#include "engine/base/check.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"
#include "engine/comm/exchange/row_directory.h"

namespace halo {
namespace {

/// An entry of a block, by its places in the block.
struct Entry {
  Vertex row = 0, column = 0;
  Scalar value = 1;
};

/// This rank's rows of P, with the columns by where they stand in the grid.
class OwnRows {
 public:
  OwnRows(Communicator& comm, const LocalGraph& graph, const RankGrid& grid) : graph_(graph), grid_(grid) {
    const RowDirectory directory(comm, graph);
    const auto place = [&](Vertex v) {
      const int owner = directory.owner(v);
      return Place{grid.rowOf(owner), static_cast<Vertex>(grid.begin(owner)) + directory.rowAtOwner(v)};
    };
    for (const Vertex v : graph.owned) own_.push_back(place(v));
    for (const Vertex v : graph.haloIds) halo_.push_back(place(v));
  }

  /// Those entries of the block that stand in own rows (of Pᵀ: own columns), numbered as the block is.
  std::vector<Entry> entriesOf(const GridBlock& block) const {
    std::vector<Entry> entries;
    const int gridRow = block.transposed ? block.column : block.row;
    if (grid_.rowOf(graph_.rank) != gridRow) return entries;
    append(graph_.own, own_, block, entries);
    append(graph_.halo, halo_, block, entries);
    return entries;
  }

 private:
  struct Place {
    int gridRow = 0;
    Vertex position = 0;
  };

  void append(const Csr& A, const std::vector<Place>& columns, const GridBlock& block,
              std::vector<Entry>& entries) const {
    const int other = block.transposed ? block.row : block.column;
    for (Index row = 0; row < A.rows(); ++row) {
      const Vertex position = own_[static_cast<std::size_t>(row)].position;
      auto at = static_cast<std::size_t>(A.offsets[static_cast<std::size_t>(row)]);
      for (const Vertex column : A.row(row)) {
        const Place& place = columns[static_cast<std::size_t>(column)];
        const Scalar value = A.weighted() ? A.values[at] : 1;
        ++at;
        if (place.gridRow != other) continue;
        if (block.transposed)
          entries.push_back({place.position, position, value});
        else
          entries.push_back({position, place.position, value});
      }
    }
  }

  const LocalGraph& graph_;
  const RankGrid& grid_;
  std::vector<Place> own_, halo_;
};

Csr assemble(std::vector<Entry> entries, Index rows, Index cols, bool weighted) {
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.column); });
  Csr block;
  block.cols = cols;
  auto entry = entries.begin();
  for (Index row = 0; row < rows; ++row) {
    for (; entry != entries.end() && entry->row == row; ++entry) {
      block.columns.push_back(entry->column);
      if (weighted) block.values.push_back(entry->value);
    }
    block.offsets.push_back(static_cast<Index>(block.columns.size()));
  }
  HALO_CHECK(entry == entries.end());
  return block;
}

}  // namespace

RankGrid::RankGrid(std::vector<Index> vertices, int columns)
    : vertices_(std::move(vertices)), columns_(columns) {
  HALO_CHECK(columns >= 1 && static_cast<int>(vertices_.size()) % columns == 0);
}

std::vector<int> RankGrid::ranksOfRow(int row) const {
  std::vector<int> ranks;
  for (int column = 0; column < columns_; ++column) ranks.push_back(rank(row, column));
  return ranks;
}

std::vector<int> RankGrid::ranksOfColumn(int column) const {
  std::vector<int> ranks;
  for (int row = 0; row < rows(); ++row) ranks.push_back(rank(row, column));
  return ranks;
}

std::vector<Index> RankGrid::blockRowsOfRanks() const {
  std::vector<Index> rows;
  for (int rank = 0; rank < static_cast<int>(vertices_.size()); ++rank)
    rows.push_back(blockRows(rowOf(rank)));
  return rows;
}

Index RankGrid::begin(int rank) const {
  Index rows = 0;
  for (int before = rank - columnOf(rank); before < rank; ++before) rows += vertices(before);
  return rows;
}

std::vector<Index> verticesOfRanks(Communicator& comm, const LocalGraph& graph) {
  std::vector<std::int64_t> vertices(static_cast<std::size_t>(comm.size()), 0);
  vertices[static_cast<std::size_t>(comm.rank())] = static_cast<std::int64_t>(graph.owned.size());
  comm.sum(vertices);
  return vertices;
}

std::vector<Csr> fetchBlocks(Communicator& comm, const LocalGraph& graph, const RankGrid& grid,
                             const std::function<std::vector<GridBlock>(int rank)>& blocksOf) {
  const OwnRows rows(comm, graph, grid);
  const bool weighted = comm.anywhere(graph.own.weighted() || graph.halo.weighted());
  const std::vector<GridBlock> ownBlocks = blocksOf(comm.rank());
  std::vector<std::vector<Entry>> entries;
  for (const GridBlock& block : ownBlocks) entries.push_back(rows.entriesOf(block));
  everyPair(
      comm,
      [&](int rank) {
        ByteWriter out;
        for (const GridBlock& block : blocksOf(rank)) out.array(rows.entriesOf(block));
        return out.take();
      },
      [&](int, const std::string& bytes) {
        ByteReader in(bytes);
        std::vector<Entry> more;
        for (std::vector<Entry>& blockEntries : entries) {
          in.array(more);
          blockEntries.insert(blockEntries.end(), more.begin(), more.end());
        }
      });
  std::vector<Csr> blocks;
  for (std::size_t i = 0; i < ownBlocks.size(); ++i)
    blocks.push_back(assemble(std::move(entries[i]), grid.blockRows(ownBlocks[i].row),
                              grid.blockRows(ownBlocks[i].column), weighted));
  return blocks;
}

}  // namespace halo
