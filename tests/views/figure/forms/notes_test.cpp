#include "views/figure/forms/notes.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("words stand beside a point where nothing stands yet, off lines where they can", "[figure]") {
  const QRectF plot(0, 0, 400, 300);
  const QSizeF size(60, 12);
  const QPointF at(200, 150);
  Obstacles obstacles;
  const auto right = placeBeside(at, size, plot, obstacles, true);
  REQUIRE(right);
  CHECK(right->left() > at.x());
  obstacles.taken.push_back(*right);
  const auto left = placeBeside(at, size, plot, obstacles, true);
  REQUIRE(left);
  CHECK(left->right() < at.x());
  for (double y = 100; y < 200; y += 5) obstacles.lines.push_back({0, y, 400, 1});
  CHECK_FALSE(placeBeside(at, size, plot, obstacles, true));
  const auto onLines = placeBeside(at, size, plot, obstacles, false);
  REQUIRE(onLines);
  CHECK_FALSE(onLines->intersects(*right));
  // at the edge of the plot only what is inside counts
  const auto corner = placeBeside({398, 2}, size, plot, {}, true);
  REQUIRE(corner);
  CHECK(plot.contains(*corner));
}
