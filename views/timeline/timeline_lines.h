#pragma once

#include <cstdint>
#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

/// Columns of pixels on a grid fixed to the run: column c holds [c, c + 1) · nsPerColumn after `zeroNs`. A
/// window that moves shows other columns of the same grid, so nothing shimmers.
struct PixelGrid {
  std::int64_t zeroNs = 0;
  double nsPerColumn = 1;
  std::int64_t first = 0;  // leftmost column
  int width = 0;           // columns

  /// The grid on which a window shows: its begin moves to the left by less than one column.
  static PixelGrid of(TimeRange visible, std::int64_t zeroNs, int width);

  double fromZero(std::int64_t ns) const { return static_cast<double>(ns - zeroNs); }
  /// First ns of a column.
  std::int64_t beginOf(std::int64_t column) const;
  std::int64_t columnOf(std::int64_t ns) const;
  double pixelOf(std::int64_t ns) const;  // from the left edge
  TimeRange range() const { return {beginOf(first), beginOf(first + width)}; }
  bool sameScale(const PixelGrid& other) const {
    return zeroNs == other.zeroNs && nsPerColumn == other.nsPerColumn && width == other.width;
  }
  bool operator==(const PixelGrid&) const = default;
};

/// A span wide enough to be drawn as itself.
struct WideSpan {
  int left = 0, right = 0;                  // columns from the left edge, clipped to the picture
  bool beginsHere = true, endsHere = true;  // false: cut off by the picture's edge
  std::size_t index = 0;
};

/// One row as a line of pixels.
struct Line {
  std::vector<QRgb> color;
  std::vector<std::uint8_t> tag;         // kEmptyTag, pureTag(kind) or kMixedTag
  std::vector<std::uint8_t> aggregated;  // 1: stands for several spans
  std::vector<WideSpan> wide;            // in order; none in the coarse regime
};

/// How many spans a pixel stands for decides where its colour comes from.
enum class Regime { coarse, direct };
/// Coarse: a bucket of the pyramid is not wider than a column. Direct: the spans themselves, exactly.
Regime regimeOf(const TimelineRow& row, const PixelGrid& grid);

/// The first bucket that begins at or after `ns`; the first of all counts as beginning with the row. So each
/// bucket belongs to the one column in which it begins: none is left out, none counts twice.
std::int64_t firstBucketFrom(const TimelineRow& row, const Pyramid::Level& level, std::int64_t ns);

/// Computes columns [from, to) of the picture; the line has the grid's width already. Every span of the
/// columns has a part in their colours. Coarse: O(columns). Direct: O(columns · log spans): where more than
/// 16 spans share a column, sums are taken. `wide` is left alone.
void computeLine(TimelineRow& row, const PixelGrid& grid, const Palette& colors, int from, int to,
                 Line& line);
/// The spans at least `widePixels` ≥ 4 columns wide of a computed line of the direct regime (coarse: none).
/// O(columns).
void findWide(const SpanRow& spans, const PixelGrid& grid, const Line& line, double widePixels,
              std::vector<WideSpan>& wide);

/// The definition: looks at every span of the row for every column. For the tests.
void computeLineReference(const TimelineRow& row, const PixelGrid& grid, const Palette& colors, Line& line);

}  // namespace halo
