#pragma once

// MixGCN's SPU cycle by cycle: what level `tile` takes as shares is counted here (spu.cpp says what is
// modelled).

#include <string>
#include <vector>

#include "simulator/accelerators/spu/spu_pass.h"
#include "simulator/graph/block_edges.h"
#include "simulator/memory/bank_dram.h"

namespace halo::sim::spu {

/// Cycles of the adders: segments of all wanted outputs packed into the tree.
std::int64_t reduceCycles(const Spu& spu, const SlicePass& pass, const BlockEdges& block);
/// Cycles of the distribution tree: of each nonzero's row the columns that its sum wants.
std::int64_t treeCycles(const Spu& spu, const SlicePass& pass, const BlockEdges& block);
/// Cycles of the node buffer's banks, `issue` rows asked for a cycle.
std::int64_t gatherCycles(const Spu& spu, const SlicePass& pass, const BlockEdges& block, std::int64_t issue);

/// What adders and banks keep busy in blocks of this graph. It is counted in stretches of its blocks, or in
/// one block of random arcs where only counts are known.
Shares sampleShares(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice);

/// The same in closed form, of sources at random: balls in bins at the banks, different rows among those of a
/// cycle in the tree. Sums' packing has none: `reduction` is taken.
Shares closedShares(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice, double reduction);

/// Counts what blocks of one pass take. Called in the order in which TilePass works.
class CycleModel {
 public:
  CycleModel(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice, const HotRows& pinned);

  void beginTile(const Tile& tile);
  /// Of a block of the tile: cycles of decoder, node buffer, tree and adders.
  std::array<std::int64_t, kComputing> compute(std::size_t window) const;
  /// Bursts that bring the rows of a block that are not pinned.
  std::vector<std::uint64_t> rowBursts(std::size_t window) const;
  /// Bursts that bring the pinned rows.
  std::vector<std::uint64_t> pinnedBursts() const;
  /// Rows of DRAM opened so far.
  std::int64_t rowsOpened() const { return dram_.totals().activates; }
  /// Cycles from `cycle` on until DRAM has moved all of it.
  std::int64_t memory(std::int64_t cycle, std::int64_t indexBytes, std::span<const std::uint64_t> rows,
                      std::int64_t writtenBytes);

 private:
  /// Appends the bursts of the lines of `window` with one of these rows, from the window's begin.
  void addBursts(std::size_t window, std::span<const std::int64_t> rows,
                 std::vector<std::uint64_t>& to) const;

  const Spu& spu_;
  const SlicePass& pass_;
  const HotRows& pinned_;
  CsrRows matrix_;
  TileShape shape_;
  std::vector<std::int64_t> begins_;  // of windows
  std::vector<BlockEdges> blocks_;
  BankDram dram_;  // whole channels; where the bandwidth is not, they are slower by
  double speed_;
  std::uint64_t indexAt_ = 0, writeAt_ = 0;
};

}  // namespace halo::sim::spu
