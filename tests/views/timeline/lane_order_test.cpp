// The order of lanes, and those that stay on top: where they stand, what is drawn of them, and what keys do.
#include "views/timeline/lane_order.h"

#include <QMenu>
#include <catch2/catch.hpp>

#include "tests/views/timeline/layout_fixture.h"
#include "tests/views/timeline/timeline_window_fixture.h"

using namespace halo;

namespace {

/// Of three runs in a row, block and rank by block and rank.
using Order = std::vector<std::pair<std::size_t, std::int64_t>>;

Order orderOf(const std::vector<RowPlace>& rows, const std::vector<const TimelineModel*>& models) {
  Order order;
  for (const RowPlace& row : rows) {
    const std::int64_t rank = models[row.block]->rows()[row.entry].id.rank;
    if (order.empty() || order.back() != std::pair(row.block, rank)) order.emplace_back(row.block, rank);
  }
  return order;
}

void giveHosts(TimelineModel& model, const std::vector<std::string>& hosts) {
  std::vector<WorkerRow> workers(hosts.size());
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    workers[rank].rank = static_cast<std::int64_t>(rank);
    workers[rank].host = hosts[rank];
  }
  model.setWorkers(workers);
}

struct TwoModels {
  TimelineModel first, second;
  std::vector<const TimelineModel*> models{&first, &second};
  TwoModels() {
    fillTwoRanks(first);
    fillTwoRanks(second);
    second.setBlock(1);
  }
};

/// Two runs below each other in a window.
struct TwoRunsWindow : TimelineWindowFixture {
  TimelineModel other;
  TwoRunsWindow() {
    fillTwoRanks(other);
    TimelineBlock first, second;
    first.name = "A  vanilla";
    second.name = "B  pipegcn";
    second.color = 1;
    second.model = &other;
    view.setOthers(first, {second});
    QApplication::processEvents();
  }
  const TimelineLayout& places() { return canvas().places(); }
  RowId rowAt(std::size_t place) { return places().entryOf(places().places().at(place)).id; }
};

}  // namespace

TEST_CASE("lanes stand run by run, or rank by rank below all headings", "[views][timeline]") {
  TwoModels f;
  const BlockHeads heads{10, 5, 8};
  const BlockPlaces runs = placeBlocks(f.models, 20, 4, heads);
  CHECK(orderOf(runs.rows, f.models) == Order{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  CHECK(runs.headings == std::vector<int>{0, 10 + 68 + 4});
  const BlockPlaces ranks = placeBlocks(f.models, 20, 4, heads, LaneOrder::ranks);
  CHECK(orderOf(ranks.rows, f.models) == Order{{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  CHECK(ranks.headings == std::vector<int>{0, 10});
  CHECK(ranks.rows.front().top == 10 + 15);
  CHECK(ranks.rows[2].top == 25 + 32 + 1);           // the same rank of the other run stands near
  CHECK(ranks.rows[4].top == 25 + 32 + 1 + 32 + 4);  // the next rank further away
  CHECK(ranks.height == 25 + 4 * 32 + 1 + 4 + 1);
  const BlockPlaces alone = placeBlocks({&f.first}, 20, 4, {}, LaneOrder::ranks);
  CHECK(alone.height == placeBlocks({&f.first}, 20, 4, {}).height);
}

TEST_CASE("blocks stand in the order that is given, and the topmost has no lane of changes",
          "[views][timeline]") {
  TwoModels f;
  const BlockHeads heads{10, 5, 8};
  const BlockPlaces runs = placeBlocks(f.models, 20, 4, heads, LaneOrder::runs, {}, {1, 0});
  CHECK(orderOf(runs.rows, f.models) == Order{{1, 0}, {1, 1}, {0, 0}, {0, 1}});
  CHECK(runs.headings == std::vector<int>{10 + 68 + 4, 0});
  CHECK(runs.rows.front().top == 10);
  const BlockPlaces ranks = placeBlocks(f.models, 20, 4, heads, LaneOrder::ranks, {}, {1, 0});
  CHECK(orderOf(ranks.rows, f.models) == Order{{1, 0}, {0, 0}, {1, 1}, {0, 1}});
  CHECK(ranks.headings == std::vector<int>{10, 0});
}

TEST_CASE("the shown run stands where its chip does, the baseline above it", "[views][timeline]") {
  TwoRunsWindow f;
  TimelineBlock first, second;
  first.name = "B  pipegcn";
  first.place = 1;
  second.name = "A  vanilla";
  second.model = &f.other;
  f.view.setOthers(first, {second});
  QApplication::processEvents();
  CHECK(f.places().topmost() == 1);
  CHECK(f.rowAt(0).block == 1);
  CHECK(f.places().blockBox(1).top < f.places().blockBox(0).top);
  CHECK(f.places().blockBox(1).bottom == f.places().blockBox(0).top);
  CHECK(f.places().blockBox(1).change == f.places().blockBox(1).rows);
  const auto shown = f.places().blockBox(0);
  CHECK(shown.rows - shown.change == TimelineLayout::kChangeHeight);
  CHECK(f.canvas().tooltipAt({f.canvas().lanes().center().x(), shown.change + 3}).contains("topmost run"));
}

TEST_CASE("lanes stand host by host where hosts differ", "[views][timeline]") {
  TwoModels f;
  CHECK_FALSE(f.first.hasHosts());
  giveHosts(f.first, {"north", "north"});
  CHECK_FALSE(f.first.hasHosts());
  CHECK(placeBlocks(f.models, 20, 4, {10, 5, 8}, LaneOrder::nodes).groups.empty());
  giveHosts(f.first, {"north", "south"});
  CHECK(f.first.hasHosts());
  const BlockPlaces places = placeBlocks(f.models, 20, 4, {10, 5, 8}, LaneOrder::nodes);
  REQUIRE(places.groups.size() == 2);
  CHECK(places.groups[0] == GroupPlace{10, "host north"});
  CHECK(places.groups[1] == GroupPlace{10 + 8 + 32 + 4, "host south"});
  CHECK(places.rows[0].top == 18);
  CHECK(places.rows[2].top == 10 + 8 + 32 + 4 + 8);
  CHECK(placeBlocks(f.models, 20, 4, {10, 5, 8}).groups.empty());
}

TEST_CASE("lanes stand part by part, in the order of the first ranks, and others below them",
          "[views][timeline]") {
  TwoModels f;
  CHECK_FALSE(f.first.hasParts());
  f.first.setWorkers({}, {}, {{0, "part 0"}, {1, "part 0"}});
  CHECK_FALSE(f.first.hasParts());
  CHECK(placeBlocks(f.models, 20, 4, {10, 5, 8}, LaneOrder::parts).groups.empty());
  f.first.setWorkers({}, {}, {{0, "part 0: 9 vertices"}, {1, "part 1: 8 vertices"}});
  CHECK(f.first.hasParts());
  CHECK(f.first.partOf(1) == "part 1: 8 vertices");
  const BlockPlaces places = placeBlocks(f.models, 20, 4, {10, 5, 8}, LaneOrder::parts);
  REQUIRE(places.groups.size() == 2);
  CHECK(places.groups[0] == GroupPlace{10, "part 0: 9 vertices"});
  CHECK(places.groups[1] == GroupPlace{10 + 8 + 32 + 4, "part 1: 8 vertices"});
  CHECK(orderOf(places.rows, f.models) == Order{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  f.second.setWorkers({}, {}, {{1, "part 0"}});
  const BlockPlaces lacking = placeBlocks(f.models, 20, 4, {10, 5, 8}, LaneOrder::parts);
  REQUIRE(lacking.groups.size() == 4);
  CHECK(lacking.groups[2].name == "no part");
  CHECK(lacking.groups[3].name == "part 0");
}

TEST_CASE("ranks that share a part stand together, also where their numbers do not", "[views][timeline]") {
  TimelineModel model;
  for (const std::int64_t rank : {0, 1, 2}) model.append(rank, Lane::main, std::vector<Span>(1));
  model.setWorkers({}, {}, {{0, "part 0"}, {1, "part 1"}, {2, "part 0"}});
  const std::vector<const TimelineModel*> models{&model};
  const BlockPlaces places = placeBlocks(models, 20, 4, {0, 0, 8}, LaneOrder::parts);
  CHECK(orderOf(places.rows, models) == Order{{0, 0}, {0, 2}, {0, 1}});
  CHECK(places.groups.size() == 2);
}

TEST_CASE("the order by parts is offered where the graph has several", "[views][timeline]") {
  TwoRunsWindow f;
  f.other.setWorkers({}, {}, {{0, "part 0"}, {1, "part 1"}});
  f.key(Qt::Key_G);
  f.key(Qt::Key_G);
  CHECK(f.places().order() == LaneOrder::parts);
  const std::unique_ptr<QMenu> menu(f.view.makeMenu(std::nullopt));
  QStringList orders;
  for (const QAction* action : menu->actions())
    if (action->menu() != nullptr)
      for (const QAction* order : action->menu()->actions()) orders << order->text();
  CHECK(orders == QStringList{"Run by run", "Rank by rank", "Part by part", "Layer by layer"});
}

TEST_CASE("pinned ranks come first and are in no other place", "[views][timeline]") {
  TwoModels f;
  for (const LaneOrder order : {LaneOrder::runs, LaneOrder::ranks, LaneOrder::nodes, LaneOrder::parts}) {
    const BlockPlaces places = placeBlocks(f.models, 20, 4, {10, 5, 8}, order, {{1, 1}, {0, 1}});
    CHECK(orderOf(places.rows, f.models) == Order{{0, 1}, {1, 1}, {0, 0}, {1, 0}});
    CHECK(places.pinned == 4);
    CHECK(places.pinnedHeight == 2 * (32 + 4));
    CHECK(places.headings.front() == places.pinnedHeight);
  }
  CHECK(placeBlocks(f.models, 20, 4, {}, LaneOrder::runs, {{7, 0}, {0, 9}}).pinned == 0);
}

TEST_CASE("a pinned lane stays where it is, however far the others are scrolled", "[views][timeline]") {
  LayoutFixture f;
  f.layout.setFrame({{1100, 40 + 60}, 100, 40, 1});
  f.layout.setPinned({{0, 1}});
  CHECK(f.layout.pinnedHeight() == 36);
  CHECK(f.layout.scrolledLanes().top() == 76);
  f.layout.setScroll(1000);
  CHECK(f.layout.scroll() == 68 - 60);
  CHECK(f.layout.boxOf(kSecondMain)->top == 40);
  CHECK(f.layout.rowAt(45) == kSecondMain);
  CHECK(f.layout.boxOf(kFirstMain)->top == 76 - 8);
  CHECK(f.layout.rowAt(77) == kFirstMain);
  REQUIRE(f.layout.visibleScrolled().size() == 2);
  CHECK(f.layout.visibleScrolled().front().top == 36 - 8);  // partly under the pinned one
  CHECK(f.layout.visiblePinned().size() == 2);
  CHECK(f.layout.rowsBetween(41, 45) == std::set<RowId>{kSecondMain});
  f.layout.reveal(kFirstMain);
  CHECK(f.layout.scroll() == 0);
  CHECK(f.layout.boxOf(kFirstMain)->top == 76);
}

TEST_CASE("keys order lanes and keep them on top, and so does the menu", "[views][timeline]") {
  TwoRunsWindow f;
  CHECK(f.rowAt(1) == RowId{1, Lane::main, 0, 0});
  f.key(Qt::Key_G);
  CHECK(f.places().order() == LaneOrder::ranks);
  CHECK(f.rowAt(1) == RowId{0, Lane::main, 0, 1});
  f.canvas().selection().setCurrentRow(f.rowAt(1));
  f.canvas().perform(TimelineAction::laneDown);  // as they stand
  CHECK(f.canvas().selection().currentRow() == RowId{1, Lane::main, 0, 0});
  f.key(Qt::Key_G);  // all are on one host
  CHECK(f.places().order() == LaneOrder::layers);
  f.key(Qt::Key_G);
  CHECK(f.places().order() == LaneOrder::runs);
  f.canvas().selection().setCurrentRow(RowId{1, Lane::main, 0, 1});
  f.key(Qt::Key_K);
  CHECK(f.places().pinned() == std::set<LaneChoice>{{1, 1}});
  CHECK(f.rowAt(0) == RowId{1, Lane::main, 0, 1});
  f.key(Qt::Key_K);
  CHECK(f.places().pinned().empty());
  const std::unique_ptr<QMenu> menu(f.view.makeMenu(QPoint(40, f.places().boxOf(f.rowAt(0))->top + 3)));
  QStringList texts;
  for (const QAction* action : menu->actions()) texts << action->text();
  CHECK(texts.filter("Keep rank 0 on top").size() == 1);
  CHECK(texts.filter("Order of lanes").size() == 1);
}

TEST_CASE("each row is drawn where it stands, in every order", "[views][timeline]") {
  TwoRunsWindow f;
  f.other.clear();
  std::vector<Span> spans(1);  // one long wait, unlike anything in the first run
  spans[0].durationNs = 200'000;
  spans[0].kind = Kind::communication;
  spans[0].name = Name::wait;
  for (const std::int64_t rank : {0, 1}) f.other.append(rank, Lane::main, spans);
  const Palette& colors = palette(themeOf(f.canvas().palette()));
  const auto pictured = [&](RowId row) {
    const QImage image = f.canvas().grab().toImage();
    const auto box = f.places().boxOf(row);
    REQUIRE(box);
    return image.pixel(f.canvas().lanes().center().x() + 100, box->top + box->height / 2);
  };
  for (const LaneOrder order : {LaneOrder::runs, LaneOrder::ranks}) {
    f.canvas().setOrder(order);
    for (const std::int64_t rank : {0, 1})
      CHECK(pictured({rank, Lane::main, 0, 1}) == colors.kind[static_cast<std::size_t>(Kind::communication)]);
  }
  f.canvas().setPinned({{1, 1}});
  CHECK(pictured({1, Lane::main, 0, 1}) == colors.kind[static_cast<std::size_t>(Kind::communication)]);
  CHECK(f.places().boxOf({1, Lane::main, 0, 1})->top == f.canvas().lanes().top());
}
