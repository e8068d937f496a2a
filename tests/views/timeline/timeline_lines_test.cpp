#include "views/timeline/timeline_lines.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/views/timeline_fixture.h"

using halo::Line;
using halo::PixelGrid;
using halo::TimelineRow;
using halo::TimeRange;

namespace {

const halo::Palette& colors() { return halo::palette(halo::Theme::light); }

Line lineFor(const PixelGrid& grid) {
  const auto width = static_cast<std::size_t>(grid.width);
  return {std::vector<QRgb>(width), std::vector<std::uint8_t>(width), std::vector<std::uint8_t>(width), {}};
}

void fillRow(TimelineRow& row, const std::vector<halo::Span>& spans) {
  row.spans.append(spans);
  row.pyramid.append(row.spans, 0);
}

int distance(QRgb a, QRgb b) {
  return std::max(
      {std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

/// A window of random place and length that the row's spans stand in.
PixelGrid randomGrid(const TimelineRow& row, std::mt19937_64& random, int width) {
  const std::int64_t extentNs = row.spans.endNs() - row.spans.beginNs();
  const std::int64_t length = std::max<std::int64_t>(20, extentNs >> (random() % 28));
  const std::int64_t begin = row.spans.beginNs() - length / 4 +
                             static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extentNs));
  return PixelGrid::of({begin, begin + length}, row.spans.beginNs() - 12'345, width);
}

}  // namespace

TEST_CASE("pixels drawn from the spans agree with the definition", "[views][timeline]") {
  TimelineRow row;
  fillRow(row, halo::randomSpans(3000, 1));
  std::mt19937_64 random(2);
  int direct = 0;
  for (int i = 0; i < 300; ++i) {
    const PixelGrid grid = randomGrid(row, random, 257);
    if (halo::regimeOf(row, grid) != halo::Regime::direct) continue;
    ++direct;
    Line fast = lineFor(grid);
    Line slow = lineFor(grid);
    halo::computeLine(row, grid, colors(), 0, grid.width, fast);
    halo::computeLineReference(row, grid, colors(), slow);
    CAPTURE(grid.first, grid.nsPerColumn);
    int wrong = 0;
    for (std::size_t x = 0; x < fast.color.size(); ++x) {
      // sums of whole ns against parts of a ns: a column edge moves a colour by a few of 255 when columns are
      // short
      wrong += distance(fast.color[x], slow.color[x]) > (grid.nsPerColumn < 1000 ? 24 : 2) ? 1 : 0;
      wrong += (fast.tag[x] == halo::kEmptyTag) != (slow.tag[x] == halo::kEmptyTag) ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
  CHECK(direct > 50);
}

TEST_CASE("pixels drawn from the pyramid agree with the spans of their buckets", "[views][timeline]") {
  TimelineRow row;
  fillRow(row, halo::randomSpans(60'000, 3));
  std::mt19937_64 random(4);
  int coarse = 0;
  for (int i = 0; i < 200; ++i) {
    const PixelGrid grid = randomGrid(row, random, 300);
    if (halo::regimeOf(row, grid) != halo::Regime::coarse) continue;
    ++coarse;
    Line line = lineFor(grid);
    halo::computeLine(row, grid, colors(), 0, grid.width, line);
    const int shift = row.pyramid.level(static_cast<int>(std::log2(grid.nsPerColumn))).shift;
    int wrong = 0;
    for (int x = 0; x < grid.width; ++x) {
      const std::int64_t bucket = std::int64_t{1} << shift;
      const auto up = [&](std::int64_t ns) { return (ns + bucket - 1) / bucket * bucket; };
      // the first bucket counts as beginning with the row
      const std::int64_t rowBegin = row.spans.beginNs();
      const auto edge = [&](std::int64_t ns) { return ns <= rowBegin ? rowBegin / bucket * bucket : up(ns); };
      const std::int64_t begin = edge(grid.beginOf(grid.first + x));
      const std::int64_t end = edge(grid.beginOf(grid.first + x + 1));
      if (begin == end) continue;
      const halo::KindTimes exact = row.spans.within(begin, end);
      std::int64_t busy = 0;
      halo::Shares shares{};
      for (std::size_t k = 0; k < exact.size(); ++k) {
        busy += exact[k];
        shares[k] = static_cast<std::uint16_t>(static_cast<double>(exact[k]) /
                                               static_cast<double>(end - begin) * 65535);
      }
      const bool drawn = line.tag[static_cast<std::size_t>(x)] != halo::kEmptyTag;
      wrong += busy > 0 && !drawn ? 1 : 0;  // lost
      const bool plain =
          busy > (end - begin) / 5;  // less is drawn stronger than it is, each bucket by itself
      const bool single = end - begin == bucket;
      if (plain && single)
        wrong +=
            distance(halo::blend(shares, colors()) | 0xFF000000, line.color[static_cast<std::size_t>(x)]) > 3;
    }
    CAPTURE(grid.first, grid.nsPerColumn);
    CHECK(wrong == 0);
  }
  CHECK(coarse > 30);
}

TEST_CASE("no span is lost at any zoom", "[views][timeline]") {
  TimelineRow row;
  std::vector<halo::Span> spans(40);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    spans[i].beginNs = static_cast<std::int64_t>(i) * 1'000'000'000 + static_cast<std::int64_t>(i * i) * 7919;
    spans[i].durationNs = static_cast<std::int64_t>(i % 3);
    spans[i].kind = halo::Kind::synchronise;
  }
  fillRow(row, spans);
  for (int zoom = 0; zoom < 12; ++zoom) {
    const std::int64_t length = std::int64_t{40'000'000'000} >> zoom;
    const PixelGrid grid = PixelGrid::of({0, length}, -3, 1000);
    Line line = lineFor(grid);
    halo::computeLine(row, grid, colors(), 0, grid.width, line);
    for (const halo::Span& span : spans) {
      const std::int64_t column = grid.columnOf(span.beginNs) - grid.first;
      if (column < 1 || column >= grid.width - 1) continue;
      CAPTURE(zoom, span.beginNs);
      int near = 0;  // a bucket may begin in the column before
      for (std::int64_t x = column - 1; x <= column + 1; ++x)
        near += line.tag[static_cast<std::size_t>(x)] != halo::kEmptyTag ? 1 : 0;
      CHECK(near > 0);
      CHECK(near < 3);
    }
  }
}

TEST_CASE("a strip computed by itself has the pixels of the whole line", "[views][timeline]") {
  TimelineRow row;
  fillRow(row, halo::randomSpans(20'000, 5));
  std::mt19937_64 random(6);
  for (int i = 0; i < 100; ++i) {
    const PixelGrid grid = randomGrid(row, random, 200);
    Line line = lineFor(grid);
    Line parts = lineFor(grid);
    halo::computeLine(row, grid, colors(), 0, 200, line);
    const int cut = static_cast<int>(random() % 200);
    halo::computeLine(row, grid, colors(), cut, 200, parts);
    halo::computeLine(row, grid, colors(), 0, cut, parts);
    CAPTURE(grid.nsPerColumn, cut);
    CHECK(line.color == parts.color);
    CHECK(line.tag == parts.tag);
  }
}

TEST_CASE("a window moved by whole pixels shows the same pixels moved", "[views][timeline]") {
  TimelineRow row;
  fillRow(row, halo::randomSpans(20'000, 7));
  const std::int64_t zero = row.spans.beginNs();
  for (const std::int64_t length :
       std::initializer_list<std::int64_t>{3'000'000, 700'000'000, 60'000'000'000}) {
    const PixelGrid grid = PixelGrid::of({zero + length, zero + 2 * length}, zero, 500);
    const auto by = static_cast<std::int64_t>(std::llround(37 * grid.nsPerColumn));
    const PixelGrid moved = PixelGrid::of({zero + length + by, zero + 2 * length + by}, zero, 500);
    REQUIRE(moved.sameScale(grid));
    REQUIRE(moved.first == grid.first + 37);
    Line a = lineFor(grid);
    Line b = lineFor(moved);
    halo::computeLine(row, grid, colors(), 0, 500, a);
    halo::computeLine(row, moved, colors(), 0, 500, b);
    CHECK(std::equal(a.color.begin() + 37, a.color.end(), b.color.begin()));
  }
}

TEST_CASE("the wide spans of a line are the spans at least so wide", "[views][timeline]") {
  TimelineRow row;
  fillRow(row, halo::randomSpans(2000, 8));
  std::mt19937_64 random(9);
  std::size_t total = 0;
  for (int i = 0; i < 200; ++i) {
    const PixelGrid grid = randomGrid(row, random, 400);
    if (halo::regimeOf(row, grid) != halo::Regime::direct) continue;
    Line line = lineFor(grid);
    halo::computeLine(row, grid, colors(), 0, 400, line);
    halo::findWide(row.spans, grid, line, 6, line.wide);
    std::vector<std::size_t> expected;
    for (std::size_t s = 0; s < row.spans.size(); ++s) {
      const double left = grid.pixelOf(row.spans.beginNs(s));
      const double right = grid.pixelOf(row.spans.endNs(s));
      if (right - left < 6) continue;
      const bool shows = std::min(right, 400.0) - std::max(left, 0.0) >= 2;  // of a cut one, two pixels
      if (shows) expected.push_back(s);
    }
    std::vector<std::size_t> actual;
    for (const auto& wide : line.wide)
      if (wide.right - wide.left > 3 || (wide.beginsHere && wide.endsHere)) actual.push_back(wide.index);
    CAPTURE(grid.first, grid.nsPerColumn);
    for (const std::size_t s : expected) {
      const bool listed =
          std::any_of(line.wide.begin(), line.wide.end(), [&](auto& w) { return w.index == s; });
      CHECK(listed);
    }
    for (const std::size_t s : actual)
      CHECK(std::find(expected.begin(), expected.end(), s) != expected.end());
    total += expected.size();
  }
  CHECK(total > 200);
}
