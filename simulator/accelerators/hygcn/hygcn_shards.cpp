#include "simulator/accelerators/hygcn/hygcn_shards.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"

namespace halo::sim::hygcn {
namespace {

Shard contiguous(std::int64_t first, std::int64_t rows, std::int64_t nonzeros, const TileShape& shape) {
  const std::int64_t bytes = rows * shape.rowBytes;
  const std::int64_t lines = (bytes + shape.lineBytes - 1) / shape.lineBytes;
  return {first, rows, nonzeros, bytes, lines, lines};
}

/// Windows that slide. Each begins at the first needed source after the last window. It ends at the last
/// needed source that it has room for.
class Sliding {
 public:
  Sliding(const CsrRows& matrix, const TileShape& shape, std::int64_t banks)
      : matrix_(matrix), shape_(shape), edges_(at(matrix.cols), 0), atBank_(at(banks), 0) {}

  const std::vector<Shard>& shardsOf(std::int64_t first, std::int64_t last) {
    std::ranges::fill(edges_, 0U);
    for (std::int64_t r = first; r < last; ++r)
      for (const Vertex v : matrix_.row(r)) ++edges_[at(v)];
    shards_.clear();
    const std::int64_t n = matrix_.cols;
    for (std::int64_t from = 0; from < n;) {
      if (edges_[at(from)] == 0) {
        ++from;
        continue;
      }
      const std::int64_t end = std::min(n, from + shape_.windowRows);
      std::int64_t needed = from, nonzeros = 0;
      std::ranges::fill(atBank_, 0);
      std::size_t bank = 0;
      for (std::int64_t v = from; v < end; ++v) {
        if (const std::uint32_t count = edges_[at(v)]; count > 0) {
          needed = v;
          nonzeros += count;
          atBank_[bank] += count;
        }
        if (++bank == atBank_.size()) bank = 0;
      }
      shards_.push_back(contiguous(from, needed + 1 - from, nonzeros, shape_));
      shards_.back().busiest = std::ranges::max(atBank_);
      from = end;
    }
    return shards_;
  }

 private:
  CsrRows matrix_;
  TileShape shape_;
  std::vector<std::uint32_t> edges_;  // of this interval that begin at each source
  std::vector<std::int64_t> atBank_;  // of a shard
  std::vector<Shard> shards_;
};

void slideExactly(const CsrRows& matrix, const TileShape& shape, std::int64_t banks,
                  const std::function<void(const Interval&)>& use) {
  const std::int64_t n = matrix.rows(), intervals = partsOf(n, shape.tileRows);
  Sliding windows(matrix, shape, banks);
  for (std::int64_t i = 0; i < intervals; ++i) {
    const std::int64_t first = partBegin(n, intervals, i), last = partBegin(n, intervals, i + 1);
    const std::vector<Shard>& shards = windows.shardsOf(first, last);
    if (!shards.empty()) use({first, last - first, shards});
  }
}

/// What a window of the tiling stands for, where it is brought whole or by lines.
Shard shardOf(const Block& block, std::int64_t first, const TileShape& shape, Window window) {
  if (window == Window::fit) return contiguous(first, block.sources, block.nonzeros, shape);
  Shard shard{first, block.sources, block.nonzeros, 0, block.lines, block.windowLines};
  shard.bytes = std::min(block.sources * shape.rowBytes, block.lines * shape.lineBytes);
  return shard;
}

constexpr std::int64_t kFew = 16;  // edges of a window: below, their whole number says little of their mean

/// Windows that slide, in the mean: of each window of the tiling the share that its edges ask for. Where
/// edges are few the share is that of all windows from the first to the last with an edge.
void slideInTheMean(const Tile& tile, const TileShape& shape, std::vector<Shard>& shards) {
  const auto has = [](const Block& block) { return block.nonzeros > 0; };
  const auto begin = std::ranges::find_if(tile.blocks, has);
  std::int64_t edges = 0, reach = 0, until = 0, touched = 0, windows = 0;
  for (auto block = begin; block != tile.blocks.end(); ++block) {
    reach += block->sources;
    edges += block->nonzeros;
    if (!has(*block)) continue;
    until = reach;
    touched += block->sources;
    ++windows;
  }
  const bool sparse = edges < kFew * windows;
  double owed = 0.5;  // rows that no window has brought yet; rounded
  std::int64_t first = 0;
  for (const Block& block : tile.blocks) {
    if (has(block)) {
      const auto rows = static_cast<double>(block.sources);
      const double mean = sparse ? static_cast<double>(edges) / static_cast<double>(until)
                                 : static_cast<double>(block.nonzeros) / rows;
      const double spread = sparse ? static_cast<double>(until) / static_cast<double>(touched) : 1;
      owed += rows * spread * expectedSlid(rows, -std::expm1(-mean));
      const auto shardRows = std::clamp<std::int64_t>(static_cast<std::int64_t>(owed), 1, block.sources);
      owed -= static_cast<double>(shardRows);
      shards.push_back(contiguous(first, shardRows, block.nonzeros, shape));
    }
    first += block.sources;
  }
}

}  // namespace

// From one needed source to the next are 1/p in the mean. So after a window's end come q/p that are not
// needed (q = 1 − p). Before its end come Σ q^k, k = 1 … W − 1, that are not needed any more.
double expectedSlid(double window, double chance) {
  if (chance <= 0) return 0;
  if (chance >= 1) return 1;
  const double gap = (1 - chance) / chance;
  const double unneeded = gap * -std::expm1((window - 1) * std::log1p(-chance));
  return (window - unneeded) / (window + gap);
}

void forEachInterval(const Graph& graph, const TileShape& shape, Window window, std::int64_t banks,
                     const std::function<void(const Interval&)>& use) {
  if (window == Window::shrink && graph.matrix != nullptr && graph.vertices > 0)
    return slideExactly(*graph.matrix, shape, banks, use);
  std::vector<Shard> shards;
  forEachTile(graph, shape, [&](const Tile& tile) {
    if (std::ranges::all_of(tile.blocks, [](const Block& block) { return block.nonzeros == 0; })) return;
    shards.clear();
    if (window == Window::shrink) {
      slideInTheMean(tile, shape, shards);
    } else {
      std::int64_t first = 0;
      for (const Block& block : tile.blocks) {
        if (block.nonzeros > 0 || window == Window::fit)
          shards.push_back(shardOf(block, first, shape, window));
        first += block.sources;
      }
    }
    use({tile.first, tile.rows, shards});
  });
}

}  // namespace halo::sim::hygcn
