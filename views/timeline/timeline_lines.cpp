#include "views/timeline/timeline_lines.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::size_t kMostPerColumn = 16;

/// Shares of a column of `length` ns in which the kinds take `ns` each; nothing that is there becomes zero.
Shares toShares(const std::array<double, kKinds>& ns, double length) {
  Shares shares;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double scaled = ns[k] / length * 65535;
    shares[k] = ns[k] <= 0 ? 0 : static_cast<std::uint16_t>(std::clamp(scaled + 0.5, 1.0, 65535.0));
  }
  return shares;
}

void setColumn(Line& line, int x, TaggedColor color, bool aggregated) {
  const auto column = at(x);
  line.color[column] = rgbOf(color);
  line.tag[column] = tagOf(color);
  line.aggregated[column] = aggregated;
}

void fill(Line& line, int from, int to, TaggedColor color) {
  for (int x = from; x < to; ++x) setColumn(line, x, color, false);
}

void coarseLine(TimelineRow& row, const PixelGrid& grid, const Palette& colors, int from, int to,
                Line& line) {
  const Pyramid::Level& level = row.pyramid.level(static_cast<int>(std::floor(std::log2(grid.nsPerColumn))));
  const auto bucketFrom = [&](int x) { return firstBucketFrom(row, level, grid.beginOf(grid.first + x)); };
  const TaggedColor empty = colors.lane & 0x00FFFFFF;
  std::int64_t bucket = bucketFrom(from);
  for (int x = from; x < to; ++x) {
    const std::int64_t end = bucketFrom(x + 1);
    const std::int64_t low = std::max(bucket, level.first);
    const std::int64_t high = std::min(end, level.end());
    TaggedColor color = empty;
    if (low < high) {
      color = row.colors.at(row.pyramid, level, low, colors);
      for (std::int64_t b = low + 1; b < high; ++b)
        color = average(color, row.colors.at(row.pyramid, level, b, colors));
    }
    setColumn(line, x, color, tagOf(color) != kEmptyTag);
    bucket = end;
  }
}

class DirectLine {
 public:
  DirectLine(const SpanRow& spans, const PixelGrid& grid, const Palette& colors, Line& line)
      : spans_(spans), grid_(grid), colors_(colors), line_(line), empty_(colors.lane & 0x00FFFFFF) {
    for (std::size_t k = 0; k < pure_.size(); ++k) {
      Shares shares{};
      shares[k] = 65535;
      pure_[k] = blend(shares, colors);
    }
  }

  void compute(int from, int to) {
    std::size_t i = spans_.touching(grid_.beginOf(grid_.first + from), INT64_MAX).first;
    for (int x = from; x < to;) {
      if (i == spans_.size()) return fill(line_, x, to, empty_);
      const double begin = grid_.fromZero(spans_.beginNs(i));
      const double end = begin + static_cast<double>(spans_.durationNs(i));
      const double left = columnBegin(x);
      if (begin >= columnBegin(x + 1)) {
        const int next = std::clamp(columnIn(begin), x + 1, to);
        fill(line_, x, next, empty_);
        x = next;
      } else if (begin <= left && end >= columnBegin(x + 1)) {
        const int next = std::clamp(columnIn(end), x + 1, to);
        fill(line_, x, next, pure_[at(spans_.kind(i))]);
        x = next;
        if (end <= columnBegin(x)) ++i;
      } else {
        mixedColumn(x++, i);
      }
    }
  }

 private:
  double columnBegin(int x) const { return static_cast<double>(grid_.first + x) * grid_.nsPerColumn; }
  int columnIn(double fromZero) const {
    const double column = std::floor(fromZero / grid_.nsPerColumn) - static_cast<double>(grid_.first);
    return static_cast<int>(std::clamp(column, -1.0, static_cast<double>(grid_.width) + 1));
  }

  /// Adds up the spans from `i` on that touch column x, and leaves `i` at the first that may touch the next.
  void mixedColumn(int x, std::size_t& i) {
    const double left = columnBegin(x);
    const double right = columnBegin(x + 1);
    std::array<double, kKinds> ns{};
    std::size_t count = 0;
    std::size_t j = i;
    for (; j < spans_.size() && count <= kMostPerColumn; ++j, ++count) {
      const double begin = grid_.fromZero(spans_.beginNs(j));
      if (begin >= right) break;
      const double end = begin + static_cast<double>(spans_.durationNs(j));
      // what lasts no time still is there
      const double inside = std::max(std::min(end, right) - std::max(begin, left), 1e-6 * (right - left));
      ns[at(spans_.kind(j))] += inside;
      if (end > right) {
        ++count;
        break;
      }
    }
    if (count > kMostPerColumn) {
      const std::int64_t beginNs = grid_.beginOf(grid_.first + x);
      const std::int64_t endNs = grid_.beginOf(grid_.first + x + 1);
      j = spans_.firstFrom(endNs, i);
      if (j > i && spans_.endNs(j - 1) > endNs) --j;
      const KindTimes sums = spans_.within(beginNs, endNs);
      for (std::size_t k = 0; k < ns.size(); ++k)
        ns[k] = std::max(ns[k] > 0 ? 1e-6 : 0, static_cast<double>(sums[k]));
    }
    i = j;
    setColumn(line_, x, blend(toShares(ns, right - left), colors_), count > 1);
  }

  const SpanRow& spans_;
  const PixelGrid& grid_;
  const Palette& colors_;
  Line& line_;
  TaggedColor empty_;
  std::array<TaggedColor, kKinds> pure_{};
};

}  // namespace

std::int64_t firstBucketFrom(const TimelineRow& row, const Pyramid::Level& level, std::int64_t ns) {
  if (ns <= row.spans.beginNs()) return level.first;
  return (ns + (std::int64_t{1} << level.shift) - 1) >> level.shift;
}

PixelGrid PixelGrid::of(TimeRange visible, std::int64_t zeroNs, int width) {
  PixelGrid grid;
  grid.zeroNs = zeroNs;
  grid.width = std::max(1, width);
  grid.nsPerColumn = static_cast<double>(std::max<std::int64_t>(1, visible.lengthNs())) / grid.width;
  grid.first =
      static_cast<std::int64_t>(std::floor(grid.fromZero(visible.beginNs) / grid.nsPerColumn + 1e-6));
  return grid;
}

std::int64_t PixelGrid::beginOf(std::int64_t column) const {
  return zeroNs + static_cast<std::int64_t>(std::ceil(static_cast<double>(column) * nsPerColumn - 1e-6));
}

std::int64_t PixelGrid::columnOf(std::int64_t ns) const {
  return static_cast<std::int64_t>(std::floor(fromZero(ns) / nsPerColumn));
}

double PixelGrid::pixelOf(std::int64_t ns) const {
  return fromZero(ns) / nsPerColumn - static_cast<double>(first);
}

Regime regimeOf(const TimelineRow& row, const PixelGrid& grid) {
  return grid.nsPerColumn >= std::ldexp(1.0, row.pyramid.finest()) ? Regime::coarse : Regime::direct;
}

void computeLine(TimelineRow& row, const PixelGrid& grid, const Palette& colors, int from, int to,
                 Line& line) {
  if (regimeOf(row, grid) == Regime::coarse)
    coarseLine(row, grid, colors, from, to, line);
  else
    DirectLine(row.spans, grid, colors, line).compute(from, to);
}

void findWide(const SpanRow& spans, const PixelGrid& grid, const Line& line, double widePixels,
              std::vector<WideSpan>& wide) {
  wide.clear();
  const double least = widePixels * grid.nsPerColumn;
  std::size_t from = 0;
  for (int x = 0; x < grid.width;) {
    int end = x;
    const auto single = [&](int column) {
      const auto tag = line.tag[at(column)];
      return tag != kEmptyTag && tag != kMixedTag && line.aggregated[at(column)] == 0;
    };
    while (end < grid.width && single(end)) ++end;
    if (end == x) {
      ++x;
      continue;
    }
    // a wide span fills all but its two outermost columns
    if (end - x >= widePixels - 2 || x == 0 || end == grid.width) {
      const std::int64_t endNs = grid.beginOf(grid.first + end);
      from = spans.firstEndingAfter(grid.beginOf(grid.first + x), from);
      for (; from < spans.size() && spans.beginNs(from) < endNs; ++from) {
        if (static_cast<double>(spans.durationNs(from)) < least) continue;
        const double left = grid.pixelOf(spans.beginNs(from));
        const double right = grid.pixelOf(spans.endNs(from));
        wide.push_back({static_cast<int>(std::max(0.0, std::floor(left))),
                        static_cast<int>(std::min(static_cast<double>(grid.width), std::ceil(right))),
                        left >= 0, right <= grid.width, from});
      }
    }
    x = end;
  }
}

void computeLineReference(const TimelineRow& row, const PixelGrid& grid, const Palette& colors, Line& line) {
  const SpanRow& spans = row.spans;
  for (int x = 0; x < grid.width; ++x) {
    const double left = static_cast<double>(grid.first + x) * grid.nsPerColumn;
    const double right = left + grid.nsPerColumn;
    std::array<double, kKinds> ns{};
    int count = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const double begin = grid.fromZero(spans.beginNs(i));
      const double end = begin + static_cast<double>(spans.durationNs(i));
      const bool touches = begin < right && (end > left || (begin == end && begin >= left));
      if (!touches) continue;
      ++count;
      ns[at(spans.kind(i))] += std::max(std::min(end, right) - std::max(begin, left), 1e-6 * (right - left));
    }
    setColumn(line, x, blend(toShares(ns, right - left), colors), count > 1);
  }
}

}  // namespace halo
