// Badges beside the names of ranks that were lost.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/views/timeline/timeline_window_fixture.h"
#include "views/look/palette.h"

using namespace halo;

namespace {

/// Reddest pixels of a rank's name: those of the colour of failures, and near it.
int failing(TimelineWindowFixture& f, std::size_t row, Theme theme) {
  const QImage picture = f.canvas().grab().toImage();
  const QColor failure(palette(theme).failure);
  const int y = f.at(0, row).y();
  int count = 0;
  for (int x = 0; x < f.canvas().headerWidth() / 2; ++x)
    for (int dy = -4; dy < 16; ++dy) {
      const QColor pixel(picture.pixel(x, y + dy));
      const int apart = std::abs(pixel.red() - failure.red()) + std::abs(pixel.green() - failure.green()) +
                        std::abs(pixel.blue() - failure.blue());
      count += apart < 40 ? 1 : 0;
    }
  return count;
}

}  // namespace

TEST_CASE("the name of a lost rank has a badge whose tooltip says why", "[views][timeline][badge]") {
  const Theme theme = GENERATE(Theme::light, Theme::dark);
  TimelineWindowFixture f;
  f.view.setPalette(widgetPalette(theme));
  f.canvas().setRowHeight(24);
  CHECK(failing(f, 2, theme) == 0);
  f.canvas().setBadges({{1}, false, "Run 3 failed: rank 1 was ended by signal 9"});
  CHECK(failing(f, 0, theme) == 0);
  CHECK(failing(f, 2, theme) > 10);
  const QPoint name(10, f.at(0, 2).y()), other(10, f.at(0, 0).y());
  CHECK(f.canvas().tooltipAt(name).contains("rank 1 was ended by signal 9"));
  CHECK_FALSE(f.canvas().tooltipAt(other).contains("signal 9"));
  CHECK_FALSE(f.canvas().tooltipAt(f.at(500, 2)).contains("signal 9"));
  f.canvas().setBadges({});
  CHECK(failing(f, 2, theme) == 0);
}
