#include "views/timeline/timeline_ruler.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/views/timeline/timeline_window_fixture.h"

using halo::PixelGrid;
using halo::RulerWord;
using halo::TimeRange;

TEST_CASE("words of the ruler stand whole and apart from one another", "[views][timeline]") {
  const QFontMetrics metrics{QApplication::font()};
  std::vector<halo::EpochRow> epochs(120);
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    epochs[e].epoch = static_cast<std::int64_t>(e);
    epochs[e].beginNs = static_cast<std::int64_t>(e) * 14'240'000;
    epochs[e].wallNs = 14'240'000;
  }
  std::size_t words = 0;
  for (int width = 300; width < 900; width += 7)
    for (const std::int64_t span : {1'000LL, 33'000'000LL, 429'600'000LL, 1'700'000'000LL}) {
      const std::int64_t begin = span / 3;
      const PixelGrid grid = PixelGrid::of({begin, begin + span}, 0, width);
      const auto ticks = halo::timeTicks(grid.range().beginNs, grid.range().endNs, width, 96, 0);
      const auto first = static_cast<std::size_t>(begin / 14'240'000);
      for (const auto& line :
           {halo::tickWords(ticks, grid, 1, metrics), halo::epochWords(epochs, first, grid, 1, metrics)}) {
        double free = 0;
        for (const RulerWord& word : line) {
          CHECK(word.x >= free);
          free = word.x + metrics.horizontalAdvance(word.text);
          CHECK(free <= width);
          ++words;
        }
      }
    }
  CHECK(words > 1000);
}

TEST_CASE("no word of the ruler is cut by the right edge of the window", "[views][timeline]") {
  halo::TimelineWindowFixture f;
  f.window.setVisible({0, 200'000});
  for (int width = 700; width < 760; width += 3) {
    f.view.resize(width, 300);
    QApplication::processEvents();
    const QImage picture = f.canvas().grab().toImage();
    // where letters end at the edge its last column has several colours, where a mark stands or nothing, one
    const int line = QFontMetrics(f.canvas().font()).height();
    for (const auto& [top, bottom] : {std::pair(0, line - 4), std::pair(line + 6, 2 * line + 5)}) {
      std::set<QRgb> colours;
      for (int y = top; y < bottom; ++y) colours.insert(picture.pixel(picture.width() - 1, y));
      CAPTURE(width, top);
      CHECK(colours.size() == 1);
    }
  }
}
