// Grids beside each other: every cell with a value can be pointed at.
#include <QImage>
#include <catch2/catch.hpp>
#include <cmath>

#include "views/figure/figure_form.h"
#include "views/figure/figure_paint.h"

using namespace halo;

TEST_CASE("cells of matrices are pointed at by matrix and place, and told with row, column and value",
          "[figure]") {
  Figure figure;
  figure.form = FigureForm::matrices;
  figure.x.title = "to worker";
  figure.y.title = "from worker";
  figure.grid.unit = "kB";
  figure.grid.scale = 0.001;
  FigureMatrix first;
  first.title = "A";
  first.rows = {"0", "1"};
  first.columns = {"0", "1", "all"};
  first.values = {std::nan(""), 2000, 3000, 4000, std::nan(""), 5000};
  FigureMatrix second = first;
  second.title = "B − A";
  second.change = true;
  figure.matrices = {first, second};
  QImage image(800, 400, QImage::Format_RGB32);
  FigureStyle style;
  style.size = {800, 400};
  FigureHits hits;
  QPainter painter(&image);
  paintFigure(painter, figure, style, &hits);
  REQUIRE(hits.size() == 8);  // not where there is nothing
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const FigureHit& hit : hits) places.emplace_back(hit.series, hit.category);
  CHECK(places == std::vector<std::pair<std::size_t, std::size_t>>{
                      {0, 1}, {0, 2}, {0, 3}, {0, 5}, {1, 1}, {1, 2}, {1, 3}, {1, 5}});
  for (std::size_t i = 0; i < hits.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK_FALSE(hits[i].box.adjusted(1, 1, -1, -1).intersects(hits[j].box.adjusted(1, 1, -1, -1)));
  const auto hint = formEntry(figure.form).hint;
  REQUIRE(hint != nullptr);
  CHECK(hint(figure, hits[2]) == "A, from worker 1, to worker 0: 4.000 kB");
  CHECK(hint(figure, hits[7]) == "B − A, from worker 1, all: +5.000 kB");
}
