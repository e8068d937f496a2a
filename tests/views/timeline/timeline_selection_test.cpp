#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/record/analysis/breakdown.h"
#include "tests/views/timeline/timeline_window_fixture.h"
#include "tests/views/timeline_fixture.h"
#include "views/look/units.h"

using halo::Kind;
using halo::Lane;
using halo::RowId;
using halo::SelectionStatistics;
using halo::Span;
using halo::TimeRange;
using Fixture = halo::TimelineWindowFixture;

namespace {

/// A rank as a worker records it: work one thing after the other, transfers and epochs beside it.
std::vector<Span> rankSpans(std::uint64_t seed) {
  std::vector<Span> spans = halo::randomSpans(2000, seed, Lane::main);
  for (Span& span : spans)
    if (span.kind == Kind::idle) span.kind = Kind::other;
  const std::int64_t begin = spans.front().beginNs, end = spans.back().endNs();
  for (Span span : halo::overlappingSpans(500, seed)) {
    span.beginNs += begin;
    spans.push_back(span);
  }
  for (int epoch = 0; epoch < 10; ++epoch) {
    Span span;
    span.beginNs = begin + (end - begin) / 10 * epoch;
    span.durationNs = (end - begin) / 10;
    span.lane = Lane::phase;
    span.kind = Kind::other;
    span.name = halo::Name::epoch;
    spans.push_back(span);
  }
  return spans;
}

QAction* entry(QMenu& menu, const QString& begin) {
  for (QAction* action : menu.actions())
    if (action->text().startsWith(begin)) return action;
  return nullptr;
}

}  // namespace

TEST_CASE("statistics of a selection are the breakdown of the same interval", "[views][timeline]") {
  halo::TimelineModel model;
  std::array<std::vector<Span>, 2> ranks = {rankSpans(5), rankSpans(6)};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const Lane lane : {Lane::main, Lane::link, Lane::phase}) {
      std::vector<Span> spans;
      for (const Span& span : ranks[rank])
        if (span.lane == lane) spans.push_back(span);
      model.append(static_cast<std::int64_t>(rank), lane, spans);
    }
  std::set<RowId> allRows;
  for (const halo::RowEntry& row : model.rows()) allRows.insert(row.id);
  REQUIRE(allRows.size() == 6);  // of each rank main, link and phase
  const TimeRange extent = model.extent();
  std::mt19937_64 random(17);
  for (int i = 0; i < 50; ++i) {
    const std::int64_t begin =
        extent.beginNs + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent.lengthNs()));
    const TimeRange range{begin, begin + 1 + static_cast<std::int64_t>(random() % 50'000'000)};
    halo::Breakdown sum;
    for (const auto& spans : ranks) {
      const halo::Breakdown breakdown = halo::breakdown(spans, range.beginNs, range.endNs);
      sum.computeNs += breakdown.computeNs;
      sum.exchangeWaitNs += breakdown.exchangeWaitNs;
      sum.quantiseNs += breakdown.quantiseNs;
      sum.synchroniseNs += breakdown.synchroniseNs;
      sum.otherNs += breakdown.otherNs;
      sum.idleNs += breakdown.idleNs;
    }
    for (const auto& rows : {allRows, std::set<RowId>{}}) {
      const SelectionStatistics statistics = model.selectionStatistics(range, rows);
      CHECK(statistics.lane == Lane::main);
      CHECK(statistics.rows == 2);
      CHECK(statistics.ns == halo::KindTimes{sum.computeNs, sum.exchangeWaitNs, sum.quantiseNs,
                                             sum.synchroniseNs, sum.otherNs, sum.idleNs});
    }
  }
}

TEST_CASE("a selection of links or phases alone counts these", "[views][timeline]") {
  Fixture f;
  const TimeRange range{0, 20'000};
  const auto phase = f.model.selectionStatistics(range, {{0, Lane::phase, 0}});
  CHECK(phase.lane == Lane::phase);
  CHECK(phase.rows == 1);
  CHECK(phase.ns[static_cast<std::size_t>(Kind::other)] == 20'000);
  const auto both = f.model.selectionStatistics(range, {{0, Lane::main, 0}, {0, Lane::phase, 0}});
  CHECK(both.ns[static_cast<std::size_t>(Kind::other)] == 0);
  CHECK(both.ns[static_cast<std::size_t>(Kind::compute)] == 10'000);
  CHECK(both.ns[static_cast<std::size_t>(Kind::idle)] == 10'000);
  CHECK(both.spans == 10);
}

TEST_CASE("the statistics of a selection are all in sight at every width", "[views][timeline]") {
  Fixture f;
  f.canvas().selection().selectArea({1'000, 187'654}, {});
  halo::TimelineLegend& legend = f.view.legend();
  for (const int width : {420, 560, 715, 1000, 1280, 2560}) {
    f.view.resize(width, 400);
    QApplication::processEvents();
    const auto entries = legend.entriesFor(legend.width());
    REQUIRE(entries.size() == 1 + halo::kKinds);
    CHECK(entries[0].text.contains("main lanes"));
    CHECK(entries[0].text.contains("spans"));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      CAPTURE(width, entries[i].text.toStdString());
      CHECK(legend.rect().contains(entries[i].box));
      CHECK(legend.fontMetrics().horizontalAdvance(entries[i].text) <= entries[i].box.width());
      if (i > 0) CHECK(entries[i].text.contains('%'));
      for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(entries[i].box.intersects(entries[k].box));
    }
  }
  CHECK(legend.toolTip().contains(" ns)"));
  CHECK(legend.toolTip().contains("synchronise"));
}

TEST_CASE("the menu of a span zooms to it and its epoch, copies its facts, selects its like",
          "[views][timeline]") {
  Fixture f;
  f.window.setVisible({0, 50'000});
  const std::unique_ptr<QMenu> menu(f.view.makeMenu(f.at(24'500)));
  REQUIRE(f.window.selectedSpan());
  CHECK(f.window.selectedSpan()->beginNs == 24'000);
  REQUIRE(entry(*menu, "Copy its facts"));
  entry(*menu, "Copy its facts")->trigger();
  const QString copied = QGuiApplication::clipboard()->text();
  CHECK(copied.startsWith("aggregate L0, compute"));
  CHECK(copied.contains("duration: " + halo::formatNs(1000)));
  REQUIRE(entry(*menu, "Select the "));
  entry(*menu, "Select the ")->trigger();
  CHECK(f.canvas().selection().spans().size() == 13);  // every 4 µs of 50
  REQUIRE(entry(*menu, "Zoom to aggregate"));
  entry(*menu, "Zoom to aggregate")->trigger();
  CHECK(f.window.visible() == TimeRange{23'900, 25'100});
  REQUIRE(entry(*menu, "Zoom to epoch 1"));
  entry(*menu, "Zoom to epoch 1")->trigger();
  CHECK(f.window.visible() == TimeRange{18'000, 42'000});
  REQUIRE(entry(*menu, "Fold rank 0"));
  entry(*menu, "Fold rank 0")->trigger();
  CHECK(f.model.collapsed(0));
}

TEST_CASE("a menu offers only what there is to do", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({0, 50'000});
  const std::unique_ptr<QMenu> beside(f.view.makeMenu(QPoint(f.at(25'500).x(), f.canvas().height() - 2)));
  CHECK_FALSE(entry(*beside, "Copy"));
  CHECK_FALSE(entry(*beside, "Select"));
  CHECK_FALSE(entry(*beside, "Zoom to the area"));
  CHECK(entry(*beside, "Zoom to epoch 1"));
  f.canvas().selection().selectArea({10'000, 20'000}, {});
  const std::unique_ptr<QMenu> area(f.view.makeMenu(std::nullopt));
  REQUIRE(entry(*area, "Zoom to the area"));
  entry(*area, "Zoom to the area")->trigger();
  CHECK(f.window.visible() == TimeRange{9'000, 21'000});
}

TEST_CASE("the menu key opens the menu of the selection", "[views][timeline]") {
  Fixture f;
  f.click(f.at(24'500));
  QContextMenuEvent key(QContextMenuEvent::Keyboard, QPoint(1, 1), f.canvas().mapToGlobal(QPoint(1, 1)));
  QApplication::sendEvent(&f.canvas(), &key);
  const auto menus = f.view.findChildren<QMenu*>();
  REQUIRE(std::ranges::count_if(menus, &QMenu::isVisible) == 1);  // its submenus are closed
  CHECK(entry(*menus[0], "Copy its facts"));
  menus[0]->close();
}

TEST_CASE("the timeline tells a screen reader its window and what is selected", "[views][timeline]") {
  Fixture f;
  CHECK(f.canvas().accessibleName() == "Timeline");
  f.window.setVisible({20'000, 40'000});
  CHECK(f.canvas().accessibleDescription().contains(halo::formatNs(20'000)));
  CHECK(f.canvas().accessibleDescription().contains(halo::formatNs(40'000)));
  f.click(f.at(24'500));
  CHECK(f.canvas().accessibleDescription().contains("aggregate L0, compute"));
  f.canvas().selection().selectArea({20'000, 30'000}, {});
  CHECK(f.canvas().accessibleDescription().contains("2 main lanes"));
  CHECK(f.view.legend().accessibleDescription().contains("2 main lanes"));
  CHECK_FALSE(f.view.overview().accessibleName().isEmpty());
  CHECK(f.view.overview().accessibleDescription().contains(halo::formatNs(20'000)));
}
