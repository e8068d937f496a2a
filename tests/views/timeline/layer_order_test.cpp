// Lanes layer by layer: which rows there are, which spans stand in them, and what stays selected.
#include <QMenu>
#include <catch2/catch.hpp>

#include "tests/views/timeline/timeline_window_fixture.h"
#include "views/timeline/lane_order.h"

using namespace halo;

namespace {

constexpr RowId layerRow(std::int64_t rank, std::int16_t layer, std::int32_t block = 0) {
  return {rank, Lane::main, 0, block, layer};
}

std::vector<RowId> idsOf(const TimelineModel& model) {
  std::vector<RowId> ids;
  for (const RowEntry& row : model.rows()) ids.push_back(row.id);
  return ids;
}

/// One span of each rank outside all layers, after the others.
void addLoss(TimelineModel& model) {
  std::vector<Span> spans(1);
  spans[0].beginNs = 200'000;
  spans[0].durationNs = 500;
  spans[0].name = Name::loss;
  for (const std::int64_t rank : {0, 1}) model.append(rank, Lane::main, spans);
}

struct LayersWindow : TimelineWindowFixture {
  TimelineModel other;
  LayersWindow() {
    fillTwoRanks(other);
    TimelineBlock first, second;
    first.name = "A  vanilla";
    second.name = "B  pipegcn";
    second.color = 1;
    second.model = &other;
    view.setOthers(first, {second});
    canvas().setOrder(LaneOrder::layers);
    QApplication::processEvents();
  }
  const TimelineLayout& places() { return canvas().places(); }
  std::vector<RowId> placed() {
    std::vector<RowId> ids;
    for (const RowPlace& place : places().places()) ids.push_back(places().entryOf(place).id);
    return ids;
  }
};

}  // namespace

TEST_CASE("a layer has a row a rank, and what is of no layer stands below all layers", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  addLoss(model);
  CHECK(model.hasLayers());
  const std::size_t spans = model.spans();
  model.setByLayer(true);
  CHECK(model.settled());
  CHECK(idsOf(model) == std::vector{layerRow(0, 0), layerRow(1, 0), layerRow(0, 1), layerRow(1, 1),
                                    layerRow(0, -1), layerRow(1, -1)});
  CHECK(model.spans() == spans);
  const SpanRow& second = model.find(layerRow(1, 1))->row->spans;
  REQUIRE(second.size() == 50);
  for (std::size_t i = 0; i < second.size(); ++i) CHECK(second.layer(i) == 1);
  CHECK(second.beginNs(0) == 10'000);  // the sixth span: layers change after five
  CHECK(second.endNs(49) == 199'000);
  CHECK(model.find(layerRow(0, -1))->row->spans.name(0) == Name::loss);
  model.setByLayer(false);
  CHECK(idsOf(model).front() == RowId{0, Lane::main});
}

TEST_CASE("a rank unfolds in each of its layers, and phases are divided too", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  model.setByLayer(true);
  model.setCollapsed(0, false);
  // phases of two_ranks.h name no layer
  CHECK(idsOf(model) == std::vector{layerRow(0, 0), layerRow(1, 0), layerRow(0, 1), layerRow(1, 1),
                                    RowId{0, Lane::phase, 0, 0, -1}, RowId{1, Lane::phase, 0, 0, -1}});
}

TEST_CASE("spans that arrive later find their layers between events", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  model.setByLayer(true);
  addLoss(model);
  CHECK_FALSE(model.settled());
  while (!model.settled()) QApplication::processEvents();
  REQUIRE(model.find(layerRow(1, -1)) != nullptr);
  CHECK(model.find(layerRow(1, -1))->row->spans.size() == 1);
}

TEST_CASE("layer lanes of many spans hold each span once, whatever the stretch", "[views][timeline]") {
  std::vector<Span> spans(900);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    spans[i].lane = Lane::link;
    spans[i].beginNs = static_cast<std::int64_t>(i) * 10;
    spans[i].durationNs = 15;  // overlaps the next
    spans[i].peer = static_cast<std::int32_t>(i % 3);
    spans[i].layer = static_cast<std::int16_t>(i / 7 % 3);
  }
  std::vector<std::unique_ptr<TimelineLane>> lanes;
  lanes.push_back(std::make_unique<TimelineLane>(0, Lane::link));
  lanes.front()->append(spans);
  for (const std::size_t stretch : {1UL, 64UL, 100'000UL}) {
    LayerLanes layers;
    while (layers.advance(lanes, stretch)) {
    }
    std::size_t all = 0;
    for (const LayerLanes::Part& part : layers.parts()) all += part.lane->size();
    CHECK(all == spans.size());
    CHECK(layers.parts().size() == 3);
  }
}

TEST_CASE("runs stand in turns below the name of each layer", "[views][timeline]") {
  LayersWindow f;
  std::vector<RowId> rows = f.placed();
  REQUIRE(rows.size() == 12);  // the last four are phases, which are of no layer
  rows.resize(8);
  CHECK(rows == std::vector{layerRow(0, 0), layerRow(0, 0, 1), layerRow(1, 0), layerRow(1, 0, 1),
                            layerRow(0, 1), layerRow(0, 1, 1), layerRow(1, 1), layerRow(1, 1, 1)});
  const std::vector<GroupPlace> groups = f.places().groups();
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].name == "layer 0");
  CHECK(groups[1].name == "layer 1");
  CHECK(groups[2].name == "no layer");
  CHECK(groups[1].top > f.places().boxOf(layerRow(1, 0, 1))->top);
  CHECK(groups[1].top < f.places().boxOf(layerRow(0, 1))->top);
  f.canvas().setOrder(LaneOrder::runs);
  CHECK(f.places().groups().empty());
  CHECK_FALSE(f.other.byLayer());
}

TEST_CASE("a selected span and an area stay selected when lanes are divided", "[views][timeline]") {
  TimelineWindowFixture f;
  f.canvas().selection().selectSpan(SpanId{{1, Lane::main}, 7});  // of layer 1
  f.canvas().selection().selectArea({20'000, 40'000}, {{0, Lane::main}, {1, Lane::main}});
  const SelectionStatistics before =
      f.model.selectionStatistics({20'000, 40'000}, f.canvas().selection().areaRows());
  f.canvas().setOrder(LaneOrder::layers);
  REQUIRE(f.canvas().selection().current());
  CHECK(*f.canvas().selection().current() == SpanId{layerRow(1, 1), 2});
  const std::set<RowId>& rows = f.canvas().selection().areaRows();
  CHECK(rows == std::set{layerRow(0, 0), layerRow(1, 0), layerRow(0, 1), layerRow(1, 1)});
  const SelectionStatistics after = f.model.selectionStatistics({20'000, 40'000}, rows);
  CHECK(after.ns == before.ns);
  CHECK(after.rows == before.rows);
  CHECK(after.spans == before.spans);
  f.canvas().setOrder(LaneOrder::runs);
  CHECK(*f.canvas().selection().current() == SpanId{{1, Lane::main}, 7});
  CHECK(f.canvas().selection().areaRows().size() == 2);
}

TEST_CASE("an area over one layer counts that layer, and as idle only what no layer fills",
          "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  model.setByLayer(true);
  // epoch 1: 5 µs of each layer, 10 µs of gaps between spans
  const SelectionStatistics layer = model.selectionStatistics({20'000, 40'000}, {layerRow(0, 0)});
  CHECK(layer.ns[static_cast<std::size_t>(Kind::compute)] == 5'000);
  CHECK(layer.ns[static_cast<std::size_t>(Kind::idle)] == 10'000);
  CHECK(layer.rows == 1);
  CHECK(layer.spans == 5);
}

TEST_CASE("search, keys and the fold go by the rows of layers", "[views][timeline]") {
  TimelineWindowFixture f;
  f.canvas().setOrder(LaneOrder::layers);
  QApplication::processEvents();
  f.canvas().selection().selectSpan(SpanId{layerRow(0, 0), 0});
  f.canvas().perform(TimelineAction::nextSpan);
  CHECK(*f.canvas().selection().current() == SpanId{layerRow(0, 0), 1});
  f.canvas().perform(TimelineAction::nextPhase);
  CHECK(f.canvas().selection().current()->row == layerRow(0, 1));
  f.canvas().perform(TimelineAction::laneUp);
  CHECK(f.canvas().selection().currentRow() == layerRow(1, 0));
  f.view.setFolded(true);
  QApplication::processEvents();
  REQUIRE(f.view.fold().folded().front().lanes.size() == 4);
  CHECK(f.view.fold().folded().front().lanes[2].name == "rank 0, layer 1");
}

TEST_CASE("the order by layers is offered where spans have layers, in keys and menu", "[views][timeline]") {
  TimelineWindowFixture f;
  f.key(Qt::Key_G);
  CHECK(f.canvas().places().order() == LaneOrder::layers);
  const std::unique_ptr<QMenu> menu(f.view.makeMenu(std::nullopt));
  QStringList orders;
  for (const QAction* action : menu->actions())
    if (action->menu() != nullptr)
      for (const QAction* order : action->menu()->actions()) orders << order->text();
  CHECK(orders == QStringList{"Run by run", "Layer by layer"});
  TimelineModel plain;
  std::vector<Span> spans(3);
  plain.append(0, Lane::main, spans);
  CHECK_FALSE(plain.hasLayers());
}
