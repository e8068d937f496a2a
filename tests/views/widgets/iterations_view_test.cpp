#include "views/widgets/iterations_view.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/engine/record/acting_rows.h"
#include "views/figure/figure_view.h"

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

}  // namespace

TEST_CASE("modelled and wall time are switched at once, where there are both", "[views]") {
  IterationsView view;
  view.resize(1200, 320);
  view.QWidget::show();
  QComboBox* clock = named(view, "Which time");
  REQUIRE(clock != nullptr);
  CHECK_FALSE(clock->isVisible());
  view.show(node(true));
  QApplication::processEvents();
  CHECK(clock->isVisible());
  std::vector<TimeClock> wanted;
  QObject::connect(&view, &IterationsView::clockWanted, [&](TimeClock one) { wanted.push_back(one); });
  const QImage modelled = view.grab().toImage();
  clock->setCurrentIndex(1);
  QApplication::processEvents();
  CHECK(view.grab().toImage() != modelled);
  view.setClock(TimeClock::modelled);
  QApplication::processEvents();
  CHECK(view.grab().toImage() == modelled);
  CHECK(wanted == std::vector{TimeClock::wall, TimeClock::modelled});
  view.show(node(false));
  CHECK_FALSE(clock->isVisible());
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
