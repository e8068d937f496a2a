#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "simulator/graph/hot_rows.h"
#include "simulator/graph/workload.h"

namespace halo::sim {

/// How a matrix is cut: destinations into tiles, sources into windows, both of about equal size. Rows of
/// features lie one after the other from the begin of their window, which is the begin of a line.
struct TileShape {
  std::int64_t tileRows = 1, windowRows = 1;  // at most, both at least 1
  std::int64_t rowBytes = 4;                  // of one source's features
  std::int64_t lineBytes = 64;                // what DRAM hands out at once
  const HotRows* pinned = nullptr;            // sources that are on the chip: no line is touched for them
};

/// The nonzeros of one tile in one window.
struct Block {
  std::int64_t sources = 0;  // rows of the window
  std::int64_t nonzeros = 0;
  std::int64_t lines = 0;  // distinct lines of the window that hold a source, not pinned, of some nonzero
  std::int64_t windowLines = 0;
};

struct Tile {
  std::int64_t first = 0, rows = 0;
  std::span<const Block> blocks;  // one a window, in order
};

/// Parts of about `count / parts` that [0, count) is cut into.
std::int64_t partsOf(std::int64_t count, std::int64_t perPart);
inline std::int64_t partBegin(std::int64_t count, std::int64_t parts, std::int64_t part) {
  return static_cast<std::int64_t>(static_cast<__int128>(count) * part / parts);
}

/// Where each of the parts begins, and the end of the last.
std::vector<std::int64_t> partBegins(std::int64_t count, std::int64_t parts);

/// How many blocks there are, empty ones too.
double blocksOf(const Graph& graph, const TileShape& shape);

/// Every tile in order. With graph.matrix its nonzeros and lines are counted. Else both are expected values
/// of arcs placed at random (within the band, and the share beyond its locality anywhere). Of n_l lines, each
/// nonzero touching g of them in the mean, n_l (1 − e^{−g·nonzeros/n_l}) are touched.   Derived here.
/// With a share p of the sources pinned, which lie anywhere, some lines are spared. A line with m rows is
/// spared where every one of them is pinned or not asked for. That leaves n_l (1 − (p + (1 − p) e^{−λ})^m)
/// lines, λ the nonzeros of one other source.
/// Cost: counted, about 5 ns a nonzero and, each tile, a step a window; expected, a step a block. Memory: a
/// byte a line of the features.
void forEachTile(const Graph& graph, const TileShape& shape, const std::function<void(const Tile&)>& use);

/// Lines that pinned sources lie on, of how many in all: to bring them once. Counted in the matrix, or
/// expected.
struct PinnedLines {
  std::int64_t lines = 0, all = 0;
};
PinnedLines pinnedLines(const Graph& graph, const TileShape& shape);

/// The definition: sets of lines, one thread, any order. The tests hold forEachTile against it.
std::vector<std::vector<Block>> tilesReference(const CsrRows& matrix, const TileShape& shape);

}  // namespace halo::sim
