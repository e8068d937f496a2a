#include "views/figure/forms/bar_names.h"

#include <QImage>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

/// How high the names of categories are below a plot.
double heightOf(const QStringList& names, double width, BarNames::Below below) {
  Figure figure;
  figure.x.categories = names;
  const FigureStyle style;
  QImage image(1, 1, QImage::Format_RGB32);
  QPainter painter(&image);
  FigureSheet sheet(painter, figure, style, nullptr);
  return BarNames(sheet, below).layOut(width) / sheet.line;
}

}  // namespace

TEST_CASE("names below bars stand level, in two lines, or upright, by their room", "[figure]") {
  const auto stacks = BarNames::Below::stacks, groups = BarNames::Below::groups;
  const QStringList names{"local first", "remote first", "both at once"};
  CHECK(heightOf(names, 900, stacks) == 1);
  CHECK(heightOf(names, 200, stacks) == 2);
  CHECK(heightOf(names, 100, stacks) > 2);
  CHECK(heightOf(names, 200, groups) > 2);  // groups have no two lines
  CHECK(heightOf({"a\nb", "c\nd"}, 900, groups) == 2);
  // numbers stand in order: every k-th will do
  CHECK(heightOf({"100000", "200000", "300000"}, 60, stacks) == 1);
}

TEST_CASE("parts of the same name have it once, below their own", "[figure]") {
  const QStringList parts{"first part\nof it", "second part\nof it", "first part\nof that",
                          "second part\nof that"};
  const double shared = heightOf(parts, 120, BarNames::Below::groups);
  const double own = heightOf({"first part\na", "second part\nb", "first part\nc", "second part\nd"}, 120,
                              BarNames::Below::groups);
  CHECK(shared > 2);
  CHECK(shared != own);
}
