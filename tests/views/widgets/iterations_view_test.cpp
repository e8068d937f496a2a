#include "views/widgets/iterations_view.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/engine/record/acting_rows.h"
#include "views/figure/figure_chart.h"
#include "views/figure/figure_view.h"
#include "views/figure/range_brush.h"

using namespace halo;

namespace {

QComboBox* named(IterationsView& view, const char* name) {
  for (QComboBox* box : view.findChildren<QComboBox*>())
    if (box->accessibleName() == name) return box;
  return nullptr;
}

RunData node(bool modelled) {
  RunData data;
  data.run.id = 1;
  data.run.kind = "training";
  data.run.status = "completed";
  data.run.workers = 1;
  data.latest["iterations_per_epoch"] = 2;
  data.parameters["result.batch"] = "100";
  if (modelled) data.parameters["result.dilation"] = "2";
  data.actors = acting::kActors;
  data.batches.decisions = acting::decisions();
  for (const std::int64_t step : {0, 1, 2, 3}) {
    IterationRow row{.epoch = step / 2, .iteration = step % 2, .beginNs = step * 4'000'000, .seeds = 100};
    row.wallNs = 3'000'000;
    if (modelled) row.modelledNs = 1'500'000;
    data.batches.iterations.push_back(row);
    for (const StageRow& stage : acting::stagesOf(row)) data.batches.stages.push_back(stage);
  }
  return data;
}

/// From a share of the plot's width to another, on the widget of the figure that takes the pointer.
void dragAcross(const RangeBrush& brush, double from, double to) {
  QWidget* figure = brush.parentWidget();
  const QRectF box = brush.plot()->box;
  const auto at = [&](double share) {
    return QPointF(box.left() + share * box.width(), box.center().y()).toPoint();
  };
  QWidget* pointed = figure->childAt(at(from));
  REQUIRE(pointed != nullptr);
  const auto there = [&](double share) { return pointed->mapFrom(figure, at(share)); };
  QTest::mousePress(pointed, Qt::LeftButton, {}, there(from));
  QTest::mouseMove(pointed, there((from + to) / 2));
  QTest::mouseMove(pointed, there(to));
  QTest::mouseRelease(pointed, Qt::LeftButton, {}, there(to));
}

}  // namespace

TEST_CASE("modelled and wall time are switched at once, where there are both", "[views]") {
  IterationsView view;
  view.resize(1200, 320);
  view.QWidget::show();
  QComboBox* clockBox = named(view, "Which time");
  REQUIRE(clockBox != nullptr);
  CHECK_FALSE(clockBox->isVisible());
  view.show(node(true));
  QApplication::processEvents();
  CHECK(clockBox->isVisible());
  std::vector<TimeClock> wanted;
  QObject::connect(&view, &IterationsView::clockWanted, [&](TimeClock clock) { wanted.push_back(clock); });
  const QImage modelled = view.grab().toImage();
  clockBox->setCurrentIndex(1);
  QApplication::processEvents();
  CHECK(view.grab().toImage() != modelled);
  view.setClock(TimeClock::modelled);
  QApplication::processEvents();
  CHECK(view.grab().toImage() == modelled);
  CHECK(wanted == std::vector{TimeClock::wall, TimeClock::modelled});
  view.show(node(false));
  CHECK_FALSE(clockBox->isVisible());
  const auto labels = view.findChildren<QLabel*>();
  CHECK(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->isVisible() && label->text().contains("no device of this run is modelled");
  }));
}

TEST_CASE("all that can be chosen of iterations is shown, or says why not", "[views]") {
  IterationsView view;
  view.show(node(true));
  QComboBox* quantity = named(view, "What of every iteration");
  REQUIRE(quantity != nullptr);
  CHECK(quantity->findText("block sizes") >= 0);
  const FigureView* figure = view.findChildren<FigureView*>().front();
  for (int i = 0; i < quantity->count(); ++i) {
    quantity->setCurrentIndex(i);
    CAPTURE(quantity->currentText().toStdString());
    CHECK_FALSE(figure->figure().title.isEmpty());
    CHECK((!figure->figure().empty() || !figure->figure().emptyReason.isEmpty()));
  }
}

TEST_CASE("what the timeline shows is marked among the iterations, and what is dragged there is wanted",
          "[views]") {
  IterationsView view;
  view.resize(1200, 320);
  view.QWidget::show();
  view.show(node(false));
  QApplication::processEvents();
  auto* figure = view.findChild<FigureView*>();
  RangeBrush& brush = figure->brush();
  REQUIRE(brush.plot());
  std::vector<TimeRange> wanted;
  QObject::connect(&view, &IterationsView::timeWanted, [&](TimeRange time) { wanted.push_back(time); });
  CHECK_FALSE(brush.range());

  // iterations begin every 4 ms and take 3 ms
  const auto marked = [&](std::int64_t beginMs, std::int64_t endMs) {
    view.setVisibleTime({beginMs * 1'000'000, endMs * 1'000'000});
    return brush.range();
  };
  CHECK(marked(4, 9) == FigureRange{0.5, 2.5});
  CHECK(marked(0, 100) == FigureRange{-0.5, 3.5});
  CHECK_FALSE(marked(3, 4));  // between two

  dragAcross(brush, 0.2, 0.5);  // 0.6 to 1.5, so that 1 and 2 have a part in it
  CHECK(wanted == std::vector{TimeRange{4'000'000, 11'000'000}});
  dragAcross(brush, 0.9, 0.7);  // from right to left
  CHECK(wanted.back() == TimeRange{8'000'000, 15'000'000});
  dragAcross(brush, 0.4, 0.4);  // a click
  CHECK(wanted.size() == 2);
}

TEST_CASE("of points and of queues a stretch is dragged as well", "[views]") {
  IterationsView view;
  view.resize(1200, 320);
  view.QWidget::show();
  view.show(node(true));
  QComboBox* quantity = named(view, "What of every iteration");
  RangeBrush& brush = view.findChild<FigureView*>()->brush();
  std::vector<TimeRange> wanted;
  QObject::connect(&view, &IterationsView::timeWanted, [&](TimeRange time) { wanted.push_back(time); });
  quantity->setCurrentText("shares of seeds");
  view.grab();
  REQUIRE(brush.plot());
  CHECK(brush.plot()->x.high == 4);
  dragAcross(brush, 0.2, 0.35);
  CHECK(wanted == std::vector{TimeRange{4'000'000, 7'000'000}});

  quantity->setCurrentText("queues");
  view.grab();
  REQUIRE(brush.plot());
  view.setVisibleTime({2'000'000, 6'000'000});  // dilated twice, so that a modelled millisecond lasts two
  CHECK(brush.range() == FigureRange{1, 3});
  const FigureScale axis = brush.plot()->x;
  dragAcross(brush, 0.25, 0.75);
  const double perPixel = (axis.high - axis.low) / (axis.to - axis.from);
  CHECK(static_cast<double>(wanted.back().beginNs) * 0.5e-6 ==
        Approx(axis.low + 0.25 * (axis.high - axis.low)).margin(perPixel));
  CHECK(static_cast<double>(wanted.back().endNs) * 0.5e-6 ==
        Approx(axis.low + 0.75 * (axis.high - axis.low)).margin(perPixel));
}
