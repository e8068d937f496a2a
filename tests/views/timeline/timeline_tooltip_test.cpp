// What a pointer is told: of a span, of a message or collective, of a lane's name.
#include "views/timeline/timeline_tooltip.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline/timeline_window_fixture.h"

using namespace halo;

namespace {

QString plain(QString text) { return text.replace(QChar(0x00A0), ' '); }

void checkParts(const QString& text, std::initializer_list<const char*> parts) {
  CAPTURE(text.toStdString());
  for (const char* part : parts) {
    CAPTURE(part);
    CHECK(text.contains(QString::fromUtf8(part)));
  }
}

MessageArrow message() {
  MessageArrow arrow;
  arrow.sentNs = 20'000, arrow.arrivedNs = 21'500, arrow.usedNs = 42'000;
  arrow.sender = 0, arrow.receiver = 1;
  arrow.sentEpoch = 1, arrow.usedEpoch = 2;
  arrow.layer = 1, arrow.pass = Pass::forward, arrow.bytes = 4096;
  return arrow;
}

/// Ranks 0 and 1 of two_ranks.h, and why rank 1 waited from 300 µs on: 4 µs for rank 0, then the wire.
struct WaitingRanks {
  TimelineModel model;
  Span wait;
  WaitingRanks() {
    fillTwoRanks(model);
    wait.beginNs = 300'000, wait.durationNs = 5'000;
    wait.kind = Kind::communication, wait.name = Name::wait;
    wait.epoch = 9, wait.layer = 0, wait.peer = 0;
    model.append(1, Lane::main, std::vector{wait});
    std::vector<Span> pieces(2, wait);
    pieces[0].durationNs = 4'000, pieces[0].name = Name::waitsLateSender;
    pieces[1].beginNs = 304'000, pieces[1].durationNs = 1'000, pieces[1].name = Name::waitsWire;
    for (Span& piece : pieces) piece.lane = Lane::wait, piece.kind = Kind::idle;
    model.append(1, Lane::wait, pieces);
  }
};

}  // namespace

TEST_CASE("a tooltip of a wait tells its reasons, the longest first, and who was waited for",
          "[views][timeline]") {
  const WaitingRanks f;
  const QString text = plain(spanTooltip(spanPlaceOf(f.model, {1, Lane::main, 0}, f.wait), f.wait));
  checkParts(text, {"wait L0", "communication", "5.000 µs", "rank 1, main", "epoch", "wait: late sender",
                    "4.000 µs, for rank 0", "wait: wire", "1.000 µs, for rank 0"});
  CHECK(text.indexOf("late sender") < text.indexOf("wire"));
}

TEST_CASE("a tooltip of an arrow tells sender, receiver, bytes, and how long it was under way and lay ready",
          "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  const QString late = plain(arrowTooltip(model, message()));
  checkParts(late, {"rank 0 → rank 1", "4.00 KiB", "under way", "1.500 µs", "lay ready", "20.50 µs",
                    "sent in epoch", "used in epoch", "1, forward", "20.00"});
  MessageArrow here = message();
  here.usedEpoch = here.sentEpoch;
  here.usedNs = here.arrivedNs;
  CHECK_FALSE(arrowTooltip(model, here).contains("used in epoch"));
  CHECK_FALSE(arrowTooltip(model, here).contains("lay ready"));
}

TEST_CASE("a tooltip of a collective tells who came last, and how long the other waited for it",
          "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  MessageArrow arrow = message();
  arrow.meeting = Name::allReduce;
  arrow.waitedNs = 3'000;
  arrow.usedNs = arrow.arrivedNs = 20'700;
  checkParts(plain(arrowTooltip(model, arrow)),
             {"rank 0 came last", "rank 1 waited for it", "3.000 µs", "and went on after", "700"});
}

TEST_CASE("a pointer on an arrow is told of it, one beside it of the span there", "[views][timeline]") {
  TimelineWindowFixture f;
  f.window.setVisible({0, 60'000});
  QApplication::processEvents();
  f.canvas().setArrows({true, {message()}, false, true});
  const TimelineLayout& layout = f.canvas().places();
  const auto middle = [&](RowId row) {
    const auto box = layout.boxOf(row);
    return box->top + box->height / 2;
  };
  const QPoint from(static_cast<int>(layout.xOf(20'000)), middle({0, Lane::main, 0}));
  const QPoint to(static_cast<int>(layout.xOf(42'000)), middle({1, Lane::main, 0}));
  CHECK(f.canvas().tooltipAt((from + to) / 2).contains("rank 0 → rank 1"));
  CHECK(f.canvas().tooltipAt(from).contains("rank 0 → rank 1"));
  const QPoint beside(static_cast<int>(layout.xOf(8'500)), middle({0, Lane::main, 0}));
  CHECK(f.canvas().tooltipAt(beside).contains("where"));
  f.canvas().setArrows({});
  CHECK_FALSE(f.canvas().tooltipAt((from + to) / 2).contains("→"));
}

TEST_CASE("a lane's name tells its totals in view", "[views][timeline]") {
  TimelineWindowFixture f;
  f.window.setVisible({0, 20'000});
  QApplication::processEvents();
  const auto box = f.canvas().places().boxOf({1, Lane::main, 0});
  const QString text = plain(f.canvas().tooltipAt({5, box->top + 3}));
  // ten spans of 1 µs in 20 µs
  checkParts(text, {"rank 1, main", "20.00 µs", "compute", "10.00 µs, 50.0 %", "idle", "spans", "10"});
  CHECK(f.canvas().tooltipAt({5, 5}).isEmpty());  // beside the ruler
}

TEST_CASE("the heading of a run tells its whole name and note", "[views][timeline]") {
  TimelineWindowFixture f;
  TimelineModel other;
  fillTwoRanks(other);
  TimelineBlock first, second;
  first.name = "A  vanilla, a name that is longer than half of a narrow window";
  second.name = "B  pipegcn";
  second.note = "begins with epoch 2";
  second.model = &other;
  f.view.setOthers(first, {second});
  QApplication::processEvents();
  const TimelineLayout& layout = f.canvas().places();
  CHECK(f.canvas().tooltipAt({300, layout.blockBox(0).top + 3}).contains("narrow window"));
  CHECK(f.canvas().tooltipAt({300, layout.blockBox(1).top + 3}).contains("begins with epoch 2"));
}

TEST_CASE("a tooltip of a sum tells who came last", "[views][timeline]") {
  WaitingRanks f;
  Span sum = f.wait;
  sum.beginNs = 400'000, sum.durationNs = 9'000, sum.peer = -1;
  sum.kind = Kind::synchronise, sum.name = Name::allReduce;
  f.model.append(1, Lane::main, std::vector{sum});
  Span late = sum;
  late.beginNs = 405'000, late.durationNs = 4'500;
  f.model.append(0, Lane::main, std::vector{late});
  const auto tooltip = [&](std::int64_t rank, const Span& span) {
    return plain(spanTooltip(spanPlaceOf(f.model, {rank, Lane::main, 0}, span), span));
  };
  checkParts(tooltip(1, sum), {"peers", "all ranks; last: rank 0, 5.000 µs later"});
  checkParts(tooltip(0, late), {"all ranks; this one came last"});
}
