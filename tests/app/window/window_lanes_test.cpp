// Order, pins and arrows of the timeline's lanes in the real window: kept in the scene, undone, and read of
// the recordings of all runs that are compared.
#include <QComboBox>

#include "tests/app/window/window_fixture.h"
#include "views/scene/chip_bar.h"
#include "views/scene/scene_file.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/runs_view.h"
#include "views/widgets/timeline_stage.h"

using namespace halo;

namespace {

struct LanesWindow : TestWindow {
  LanesWindow() {
    REQUIRE(QFile::copy(kResources + "/samples/sample.db", folder.filePath("sample.db")));
    window.openSample();
    REQUIRE(settle());
    window.setPerspective(Perspective::decide);
    auto* runs = window.findChild<RunsView*>()->table();
    runs->clearSelection();
    for (const int row : {0, 5})
      runs->selectionModel()->select(runs->model()->index(row, 0),
                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
    press("Compare the chosen runs");
    REQUIRE(settle());
    showRun(1);
    window.setPerspective(Perspective::observe);
    REQUIRE(settle());
  }
  TimelineCanvas& canvas() { return window.findChild<TimelineView*>()->canvas(); }
  const TimelineLayout& places() { return canvas().places(); }
  RowId rowAt(std::size_t place) { return places().entryOf(places().places().at(place)).id; }
  void undo() {
    for (auto* action : window.findChildren<QAction*>())
      if (action->text().startsWith("&Undo")) return action->trigger();
  }
};

}  // namespace

TEST_CASE("the order of lanes and what stays on top belong to the scene, and are undone", "[window]") {
  LanesWindow test;
  REQUIRE(test.places().blocks().size() == 2);
  test.canvas().perform(TimelineAction::laneOrder);
  CHECK(test.places().order() == LaneOrder::ranks);
  CHECK(test.rowAt(1).block == 1);
  test.canvas().selection().setCurrentRow(RowId{2, Lane::main, 0, 1});
  test.canvas().perform(TimelineAction::pin);
  CHECK(test.rowAt(0) == RowId{2, Lane::main, 0, 1});
  REQUIRE(test.settle());
  CHECK(test.rowAt(0) == RowId{2, Lane::main, 0, 1});  // the comparison was not read again for it
  test.undo();
  CHECK(test.places().pinned().empty());
  CHECK(test.places().order() == LaneOrder::ranks);
  test.undo();
  CHECK(test.places().order() == LaneOrder::runs);
}

TEST_CASE("arrows of all compared runs come for the time that is shown", "[window]") {
  LanesWindow test;
  test.canvas().perform(TimelineAction::nextEpoch);
  test.canvas().perform(TimelineAction::nextEpoch);
  test.canvas().perform(TimelineAction::arrows);
  const auto has = [&](std::int32_t block) {
    return std::ranges::any_of(test.canvas().arrows().arrows,
                               [block](const MessageArrow& arrow) { return arrow.block == block; });
  };
  const auto areDrawn = [&] {  // more than can be drawn are there until the epoch fills the view
    return test.canvas().arrows().read && has(0) && has(1) &&
           !drawnArrows(test.canvas().arrows(), test.places(), {}).empty();
  };
  REQUIRE(QTest::qWaitFor(areDrawn, 20'000));
  for (const MessageArrow& arrow : test.canvas().arrows().arrows)
    if (!arrow.meeting)  // pipelined messages alone, not the sums
      CHECK(arrow.usedEpoch == arrow.sentEpoch + (arrow.block == 1 ? 1 : 0));  // pipegcn stands below
  test.canvas().perform(TimelineAction::arrows);
  CHECK_FALSE(test.canvas().arrows().shown);
}

TEST_CASE("the bar of the scene orders lanes layer by layer, and undo takes that back", "[window]") {
  LanesWindow test;
  QComboBox* lanes = nullptr;
  for (auto* box : test.window.findChildren<QComboBox*>())
    if (box->accessibleName() == "Order of the timeline's lanes") lanes = box;
  REQUIRE(lanes != nullptr);
  lanes->setCurrentIndex(lanes->findText("by layer"));
  REQUIRE(QTest::qWaitFor([&] { return test.places().blocks()[0]->settled(); }, 20'000));
  CHECK(test.places().order() == LaneOrder::layers);
  const std::vector<GroupPlace> groups = test.places().groups();
  REQUIRE(groups.size() >= 3);
  CHECK(groups[0].name == "layer 0");
  CHECK(groups.back().name == "no layer");
  for (std::size_t place = 0; place < 8; ++place) {  // four ranks of two runs
    CHECK(test.rowAt(place).layer == 0);
    CHECK(test.rowAt(place).rank == static_cast<std::int64_t>(place / 2));
    CHECK(test.rowAt(place).block == static_cast<std::int32_t>(place % 2));
  }
  test.undo();
  CHECK(test.places().order() == LaneOrder::runs);
  CHECK(test.places().groups().empty());
}

TEST_CASE("a scene whose lanes stand by layers opens on them", "[window]") {
  TestWindow test;
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("sample.db")));
  QFile scene(test.folder.filePath("layers.scene.toml"));
  REQUIRE(scene.open(QIODevice::WriteOnly));
  scene.write("scene = 1\nlanes = \"layers\"\n[[chip]]\nrecording = \"sample.db\"\nruns = [1]\n");
  scene.close();
  test.window.openFile(scene.fileName());
  const auto* stage = test.window.findChild<TimelineStage*>();
  CHECK(QTest::qWaitFor([&] { return qobject_cast<TimelineView*>(stage->currentWidget()) != nullptr; },
                        20'000));
}
