#include "views/recording/node_marks.h"

#include <catch2/catch.hpp>

#include "tests/views/recording/acting_run.h"
#include "tests/views/timeline/timeline_window_fixture.h"
#include "views/timeline/timeline_marks.h"

using namespace halo;

namespace {

struct Lanes {
  TimelineModel model;
  TimeWindow window;
  TimelineView view{model, window};
  RunData data = acting::run();
  Lanes() {
    for (const StageRow& row : data.batches.stages) {
      Span span;
      span.beginNs = row.beginNs, span.durationNs = row.busyNs;
      span.epoch = static_cast<std::int32_t>(row.epoch);
      span.kind = Kind::compute, span.name = Name::sample;
      model.append(1 + row.actor, Lane::main, SpanColumns(std::vector<Span>{span}));
    }
    view.resize(1000, 400);
    view.canvas().setAnimated(false);
    view.show();
    QApplication::processEvents();
    window.setVisible({0, 16'000'000});
  }
  TimelineCanvas& canvas() { return view.canvas(); }
};

}  // namespace

TEST_CASE("marks of a node are of its batches, queues and decisions", "[views][timeline]") {
  const NodeMarks marks = nodeMarksOf(acting::run());
  CHECK(marks.batches.size() == 6);
  CHECK(marks.batches.at(1).size() == 4);  // rank 0, then the actors
  CHECK(marks.batches.at(1)[2].number == 2);
  CHECK(marks.batches.at(1)[2].epoch == 1);
  CHECK(marks.mostQueued == 1);
  REQUIRE(marks.decisions.size() == 3);       // neither start nor rest
  CHECK(marks.decisions[0].ns == 4'000'000);  // when batch 1 was opened
  CHECK(marks.decisions[0].kept);
  CHECK_FALSE(marks.decisions[1].kept);
  CHECK(marks.decisions[0].text.startsWith("9 seeds from cpu to cards: "));
  CHECK(nodeMarksOf({}).empty());
  const NodeMarks modelled = nodeMarksOf(acting::run(), 2);
  CHECK(modelled.decisions[0].ns == 2'000'000);
  CHECK(modelled.decisions[0].text == marks.decisions[0].text);  // iterations are told in modelled time
  CHECK(modelled.batches.at(1)[2].beginNs == marks.batches.at(1)[2].beginNs / 2);
  CHECK(modelled.queues.at(2)[1].ns == marks.queues.at(2)[1].ns / 2);
}

TEST_CASE("the hue of a batch is told from its neighbours' and from the span below it", "[views][timeline]") {
  for (const Theme theme : {Theme::light, Theme::dark})
    for (std::int64_t number = 0; number < 20; ++number) {
      for (std::int64_t after = 1; after <= 4; ++after)  // as many as are under way at once
        CHECK(batchHue(number, theme) != batchHue(number + after, theme));
      for (const Kind kind : {Kind::compute, Kind::communication, Kind::synchronise})
        CHECK(batchHue(number, theme) != palette(theme).color(kind).rgb());
    }
}

TEST_CASE("decisions, batches and queues stand over the lanes of actors, and say what they are",
          "[views][timeline]") {
  Lanes f;
  const QImage without = f.canvas().grab().toImage();
  f.canvas().setNodeMarks(nodeMarksOf(f.data));
  const QImage with = f.canvas().grab().toImage();
  CHECK(with != without);
  CHECK(f.view.legend().text().endsWith(
      "hue of the batch; batches that wait; change kept; change undone or open"));
  const int top = f.canvas().rulerHeight();
  const auto x = static_cast<int>(f.canvas().xOf(4'000'000));
  CHECK(f.canvas().tooltipAt({x, top + 4}).startsWith("9 seeds from cpu to cards: "));
  const auto beside = static_cast<int>(f.canvas().xOf(8'250'000));
  CHECK(f.canvas().tooltipAt({beside, top + 14}).contains("batch 2: epoch 1, iteration 0"));
  f.canvas().setNodeMarks({});
  QApplication::processEvents();
  CHECK_FALSE(f.view.legend().text().contains("change kept"));
  CHECK(f.canvas().grab().toImage() == without);
}
