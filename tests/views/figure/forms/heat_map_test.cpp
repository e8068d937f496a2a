// Cells whose colours are their values: every cell with a value can be pointed at.
#include <QImage>
#include <catch2/catch.hpp>
#include <cmath>

#include "views/figure/figure_form.h"
#include "views/figure/figure_paint.h"

using namespace halo;

TEST_CASE("cells of a heat map are pointed at by their place, and told with row, column and value",
          "[figure]") {
  Figure figure;
  figure.form = FigureForm::heatMap;
  figure.x = {"to worker", "", false, {"0", "1", "2"}};
  figure.y = {"from worker", "", false, {"0", "1"}};
  figure.grid.unit = "kB";
  figure.grid.values = {std::nan(""), 2, 3, 4, std::nan(""), 5};
  QImage image(800, 400, QImage::Format_RGB32);
  FigureStyle style;
  style.size = {800, 400};
  FigureHits hits;
  QPainter painter(&image);
  paintFigure(painter, figure, style, &hits);
  std::vector<std::size_t> places;
  for (const FigureHit& hit : hits) places.push_back(hit.category);
  REQUIRE(places == std::vector<std::size_t>{1, 2, 3, 5});  // not where there is nothing
  CHECK(hits[1].box.left() > hits[0].box.left());
  CHECK(hits[2].box.top() > hits[0].box.top());
  const auto hint = formEntry(figure.form).hint;
  REQUIRE(hint != nullptr);
  CHECK(hint(figure, hits[1]) == "from worker 0, to worker 2: 3.000 kB");
  CHECK(hint(figure, hits[3]) == "from worker 1, to worker 2: 5.000 kB");
}
