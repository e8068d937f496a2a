#include "views/figure/figure_form.h"

#include <QImage>
#include <catch2/catch.hpp>
#include <set>

using namespace halo;

TEST_CASE("each form of figures is registered once and says all of itself", "[figure]") {
  std::set<FigureForm> forms;
  for (const auto& [name, entry] : registry<FigureFormEntry>()) {
    CAPTURE(name);
    CHECK(forms.insert(entry.form).second);
    CHECK(&formEntry(entry.form) == &entry);
    CHECK(entry.empty != nullptr);
    CHECK(entry.paint != nullptr);
    CHECK(entry.csv != nullptr);
    CHECK(entry.describe != nullptr);
    Figure figure;
    figure.form = entry.form;
    CHECK(figure.empty());
    CHECK(neededHeight(figure, {}) == 0);
  }
  for (const FigureForm form :
       {FigureForm::lines, FigureForm::points, FigureForm::rowPoints, FigureForm::stackedBars,
        FigureForm::groupedBars, FigureForm::heatMap, FigureForm::matrices, FigureForm::lanes,
        FigureForm::table, FigureForm::cards})
    CHECK(forms.contains(form));
}

TEST_CASE("title and provenance take their lines of the sheet", "[figure]") {
  Figure figure;
  figure.title = "Epoch time";
  figure.provenance = {{"run", "7"}};
  FigureStyle style;
  QImage image(1, 1, QImage::Format_RGB32);
  QPainter painter(&image);
  FigureSheet sheet(painter, figure, style, nullptr);
  const QRectF fullArea = sheet.area;
  sheet.paintHeader();
  CHECK(sheet.area.top() == fullArea.top() + sheet.line + 2);
  sheet.paintFooter();
  CHECK(sheet.area.bottom() < fullArea.bottom());
  style.footer = false;
  const double bottom = sheet.area.bottom();
  sheet.paintFooter();
  CHECK(sheet.area.bottom() == bottom);
}
