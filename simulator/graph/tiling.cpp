#include "simulator/graph/tiling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kAskedEvery = 1 << 21;   // nonzeros
constexpr std::int64_t kBlocksAsked = 1 << 10;  // a question may take longer than a small block

std::int64_t linesIn(std::int64_t rows, const TileShape& shape) {
  return (rows * shape.rowBytes + shape.lineBytes - 1) / shape.lineBytes;
}

/// Windows of the sources: where each begins, in rows and in lines.
struct Windows {
  Windows(std::int64_t sources, const TileShape& shape) : count(partsOf(sources, shape.windowRows)) {
    for (std::int64_t w = 0; w <= count; ++w) rowBegin.push_back(partBegin(sources, count, w));
    lineBegin.push_back(0);
    for (std::int64_t w = 0; w < count; ++w) lineBegin.push_back(lineBegin.back() + linesIn(rows(w), shape));
  }
  std::int64_t rows(std::int64_t w) const { return rowBegin[at(w) + 1] - rowBegin[at(w)]; }
  std::int64_t lines(std::int64_t w) const { return lineBegin[at(w) + 1] - lineBegin[at(w)]; }

  std::int64_t count;
  std::vector<std::int64_t> rowBegin, lineBegin;
};

std::vector<Block> emptyBlocks(const Windows& windows) {
  std::vector<Block> blocks;
  for (std::int64_t w = 0; w < windows.count; ++w)
    blocks.push_back({windows.rows(w), 0, 0, windows.lines(w)});
  return blocks;
}

// --- expected ---------------------------------------------------------------------------------------

/// Pairs (x, y) of [r0, r1) × [c0, c1) with |x − y| ≤ band, as an area.
double areaInBand(double r0, double r1, double c0, double c1, double band) {
  const auto half = [](double u) { return u > 0 ? 0.5 * u * u : 0.0; };
  const auto below = [&](double b) {  // y − x ≤ b
    return half(b + r1 - c0) - half(b + r0 - c0) - half(b + r1 - c1) + half(b + r0 - c1);
  };
  return std::max(0.0, below(band) - below(-band));
}

/// Lines that a row lies on, in the mean over its possible offsets.
double linesARow(const TileShape& shape) {
  const auto row = shape.rowBytes, line = shape.lineBytes;
  return static_cast<double>(row + line - std::gcd(row, line)) / static_cast<double>(line);
}

/// Share of the lines with a row that is not spared, where a row is with this chance.
double linesWithout(double spared, double rowsALine) { return 1 - std::pow(spared, rowsALine); }

/// pinned: share of the sources.
std::int64_t expectedLines(const Block& block, double pinned, const TileShape& shape) {
  if (block.nonzeros == 0 || block.windowLines == 0) return 0;
  const auto all = static_cast<double>(block.windowLines);
  if (pinned <= 0) {
    const double touched = -all * std::expm1(-static_cast<double>(block.nonzeros) * linesARow(shape) / all);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(touched)), 1, block.windowLines);
  }
  const double others = static_cast<double>(block.sources) * (1 - pinned);
  if (others < 1e-6) return 0;
  const double each = static_cast<double>(block.nonzeros) * (1 - shape.pinned->nonzeroShare) / others;
  const double rowsALine = linesARow(shape) * static_cast<double>(block.sources) / all;
  const double touched = all * linesWithout(pinned + (1 - pinned) * std::exp(-each), rowsALine);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(touched)), 0, block.windowLines);
}

void expectTiles(const Graph& graph, const TileShape& shape, const std::function<void(const Tile&)>& use) {
  const std::int64_t n = graph.vertices, tiles = partsOf(n, shape.tileRows);
  const Windows windows(n, shape);
  const double size = static_cast<double>(n), band = std::max(graph.band * size, 1.0);
  const double near = graph.band < 1 ? graph.locality : 0;
  const double inBand = near > 0 ? areaInBand(0, size, 0, size, band) : 1;
  const auto shareIn = [&](double r0, double r1, double c0, double c1) {  // of all nonzeros
    return (near > 0 ? near * areaInBand(r0, r1, c0, c1, band) / inBand : 0) +
           (1 - near) * (r1 - r0) * (c1 - c0) / (size * size);
  };
  const double pinned = shape.pinned == nullptr ? 0 : static_cast<double>(shape.pinned->rows) / size;
  double share = 0;  // so far, so that rounding never loses a nonzero
  std::int64_t before = 0;
  std::vector<Block> blocks = emptyBlocks(windows);
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t first = partBegin(n, tiles, t), last = partBegin(n, tiles, t + 1);
    for (std::int64_t w = 0; w < windows.count; ++w) {
      Block& block = blocks[at(w)];
      const auto r0 = static_cast<double>(first), r1 = static_cast<double>(last);
      const auto c0 = static_cast<double>(windows.rowBegin[at(w)]);
      const auto c1 = static_cast<double>(windows.rowBegin[at(w) + 1]);
      share += shareIn(r0, r1, c0, c1);
      const bool end = t + 1 == tiles && w + 1 == windows.count;
      const std::int64_t now =
          end ? graph.nonzeros : std::llround(static_cast<double>(graph.nonzeros) * std::min(1.0, share));
      block.nonzeros = now - before;
      before = now;
      block.lines = expectedLines(block, pinned, shape);
    }
    use({first, last - first, blocks});
  }
}

// --- counted ----------------------------------------------------------------------------------------

/// Which line of its window a byte lies on; a shift where lines are a power of two.
class LineMap {
 public:
  explicit LineMap(const TileShape& shape) : row_(shape.rowBytes), line_(shape.lineBytes) {
    if (std::has_single_bit(static_cast<std::uint64_t>(line_)))
      shift_ = std::countr_zero(static_cast<std::uint64_t>(line_));
  }
  bool oneLineARow() const { return line_ % row_ == 0; }
  std::int64_t first(std::int64_t row) const { return lineOf(row * row_); }
  std::int64_t last(std::int64_t row) const { return lineOf((row + 1) * row_ - 1); }

 private:
  std::int64_t lineOf(std::int64_t byte) const { return shift_ >= 0 ? byte >> shift_ : byte / line_; }

  std::int64_t row_, line_;
  int shift_ = -1;
};

class Counter {
 public:
  Counter(const CsrRows& matrix, const TileShape& shape)
      : matrix_(matrix),
        windows_(matrix.cols, shape),
        lines_(shape),
        oneLineARow_(lines_.oneLineARow()),
        pinned_(shape.pinned == nullptr || shape.pinned->rows == 0 ? nullptr : &shape.pinned->isHot),
        stamps_(at(windows_.lineBegin.back()), 0),
        scale_(static_cast<double>(windows_.count) /
               static_cast<double>(std::max<std::int64_t>(1, matrix.cols))) {}

  void tile(std::int64_t first, std::int64_t last, std::vector<Block>& blocks, StopAsks& asks) {
    blocks = emptyBlocks(windows_);
    if (++stamp_ == 0) {  // a byte a line: the caches hold more of them, so it begins again now and then
      std::ranges::fill(stamps_, std::uint8_t{0});
      stamp_ = 1;
    }
    for (std::int64_t r = first; r < last; ++r) {
      const std::span<const Vertex> row = matrix_.row(r);
      asks.step(std::ssize(row));
      for (std::size_t i = 0; i < row.size();) {
        const std::size_t w = windowOf(row[i]), from = i;
        const std::int64_t begin = windows_.rowBegin[w], end = windows_.rowBegin[w + 1];
        const std::int64_t base = windows_.lineBegin[w];
        std::int64_t fresh = 0;  // in a register while the row stays in the window
        if (pinned_ == nullptr)
          for (; i < row.size() && row[i] < end; ++i) fresh += touch(base, row[i] - begin);
        else
          for (; i < row.size() && row[i] < end; ++i)
            if (!(*pinned_)[at(row[i])]) fresh += touch(base, row[i] - begin);
        blocks[w].nonzeros += static_cast<std::int64_t>(i - from);
        blocks[w].lines += fresh;
      }
    }
  }

 private:
  std::size_t windowOf(std::int64_t v) const {
    auto w = static_cast<std::size_t>(static_cast<double>(v) * scale_);
    while (v < windows_.rowBegin[w]) --w;
    while (v >= windows_.rowBegin[w + 1]) ++w;
    return w;
  }

  /// Lines of a row that this tile had not touched.
  std::int64_t touch(std::int64_t base, std::int64_t row) {
    const std::int64_t first = lines_.first(row);
    std::int64_t fresh = mark(base + first);
    if (oneLineARow_) return fresh;
    for (std::int64_t line = first + 1, last = lines_.last(row); line <= last; ++line)
      fresh += mark(base + line);
    return fresh;
  }

  std::int64_t mark(std::int64_t line) {
    std::uint8_t& stamp = stamps_[at(line)];
    const bool fresh = stamp != stamp_;
    stamp = stamp_;
    return fresh ? 1 : 0;
  }

  CsrRows matrix_;
  Windows windows_;
  LineMap lines_;
  bool oneLineARow_;
  const std::vector<bool>* pinned_;   // or none
  std::vector<std::uint8_t> stamps_;  // the last tile that touched the line
  std::uint8_t stamp_ = 0;
  double scale_;
};

}  // namespace

std::int64_t partsOf(std::int64_t count, std::int64_t perPart) {
  HALO_CHECK(perPart >= 1);
  return (count + perPart - 1) / perPart;
}

std::vector<std::int64_t> partBegins(std::int64_t count, std::int64_t parts) {
  std::vector<std::int64_t> begins;
  for (std::int64_t part = 0; part <= parts; ++part) begins.push_back(partBegin(count, parts, part));
  return begins;
}

double blocksOf(const Graph& graph, const TileShape& shape) {
  return static_cast<double>(partsOf(graph.vertices, shape.tileRows)) *
         static_cast<double>(partsOf(graph.vertices, shape.windowRows));
}

void forEachTile(const Graph& graph, const TileShape& shape, const std::function<void(const Tile&)>& take) {
  if (graph.vertices == 0) return;
  StopAsks asksOfBlocks(graph.askStop, kBlocksAsked);
  const auto use = [&](const Tile& tile) {
    asksOfBlocks.step(std::ssize(tile.blocks));
    take(tile);
  };
  if (graph.matrix == nullptr) return expectTiles(graph, shape, use);
  Counter counter(*graph.matrix, shape);
  const std::int64_t rows = graph.matrix->rows(), tiles = partsOf(rows, shape.tileRows);
  std::vector<Block> blocks;
  StopAsks asks(graph.askStop, kAskedEvery);  // a tile may be all rows
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t first = partBegin(rows, tiles, t), last = partBegin(rows, tiles, t + 1);
    counter.tile(first, last, blocks, asks);
    use({first, last - first, blocks});
  }
}

PinnedLines pinnedLines(const Graph& graph, const TileShape& shape) {
  if (shape.pinned == nullptr || shape.pinned->rows == 0) return {};
  const std::int64_t sources = graph.matrix == nullptr ? graph.vertices : graph.matrix->cols;
  const Windows windows(sources, shape);
  PinnedLines pinned{0, windows.lineBegin.back()};
  if (graph.matrix == nullptr) {
    const auto n = static_cast<double>(sources), all = static_cast<double>(pinned.all);
    const double others = 1 - static_cast<double>(shape.pinned->rows) / n;
    pinned.lines =
        static_cast<std::int64_t>(std::ceil(all * linesWithout(others, linesARow(shape) * n / all) - 1e-6));
    return pinned;
  }
  const LineMap lines(shape);
  for (std::int64_t w = 0; w < windows.count; ++w) {
    const std::int64_t begin = windows.rowBegin[at(w)];
    std::int64_t next = 0;  // line of the window that was not taken yet
    for (std::int64_t row = 0; row < windows.rows(w); ++row) {
      if (!shape.pinned->isHot[at(begin + row)]) continue;
      pinned.lines += std::max<std::int64_t>(0, lines.last(row) - std::max(next, lines.first(row)) + 1);
      next = lines.last(row) + 1;
    }
  }
  return pinned;
}

std::vector<std::vector<Block>> tilesReference(const CsrRows& matrix, const TileShape& shape) {
  const std::int64_t tiles = partsOf(matrix.rows(), shape.tileRows);
  const std::int64_t windows = partsOf(matrix.cols, shape.windowRows);
  std::vector<std::vector<Block>> all;
  for (std::int64_t t = 0; t < tiles; ++t) {
    auto& blocks = all.emplace_back();
    for (std::int64_t w = 0; w < windows; ++w) {
      const std::int64_t begin = partBegin(matrix.cols, windows, w),
                         end = partBegin(matrix.cols, windows, w + 1);
      Block block{end - begin, 0, 0, linesIn(end - begin, shape)};
      std::set<std::int64_t> lines;
      for (std::int64_t r = partBegin(matrix.rows(), tiles, t); r < partBegin(matrix.rows(), tiles, t + 1);
           ++r)
        for (const Vertex v : matrix.row(r)) {
          if (v < begin || v >= end) continue;
          ++block.nonzeros;
          if (shape.pinned != nullptr && shape.pinned->isHot[at(v)]) continue;
          for (std::int64_t byte = 0; byte < shape.rowBytes; ++byte)
            lines.insert(((v - begin) * shape.rowBytes + byte) / shape.lineBytes);
        }
      block.lines = static_cast<std::int64_t>(lines.size());
      blocks.push_back(block);
    }
  }
  return all;
}

}  // namespace halo::sim
