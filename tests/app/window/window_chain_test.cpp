// A wait in the real window: its chain across ranks, from the timeline and from the table of waits.
#include <QTreeWidget>

#include "tests/app/window/window_fixture.h"
#include "views/figure/figure_view.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/scene_figure_view.h"
#include "views/widgets/timeline_stage.h"

using namespace halo;

namespace {

struct Sample : TestWindow {
  Sample() {
    REQUIRE(QFile::copy(kResources + "/samples/sample.db", folder.filePath("sample.db")));
    window.openSample();
    REQUIRE(settle());
    showRun(1);
  }
  TimelineCanvas& canvas() { return window.findChild<TimelineView*>()->canvas(); }
  bool settleChain() {
    const auto* stage = window.findChild<TimelineStage*>();
    return settle() && QTest::qWaitFor([&] { return stage->settled(); }, 20'000);
  }
  /// What the inspector says of the chain, line by line.
  QStringList chainLines() {
    QStringList lines;
    auto* view = window.findChild<InspectorView*>();
    for (int i = 0; i < view->topLevelItemCount(); ++i) {
      const QTreeWidgetItem* group = view->topLevelItem(i);
      if (!group->text(0).startsWith("What made it late") || group->isHidden()) continue;
      for (int line = 0; line < group->childCount(); ++line)
        lines << group->child(line)->text(0) + ": " + group->child(line)->text(1).remove(QChar(0x200B));
    }
    return lines;
  }
};

}  // namespace

TEST_CASE("the chain of a wait that is chosen is drawn and told, and goes with it", "[window]") {
  Sample test;
  CHECK(test.chainLines().isEmpty());
  const QImage before = test.canvas().grab().toImage();
  REQUIRE(test.canvas().goToWait(Name::waitsWire, 2, 0));
  REQUIRE(test.settleChain());
  const WaitChain& chain = test.canvas().chain();
  REQUIRE(chain.links.size() >= 2);
  CHECK(chain.links[0].what == ChainLink::What::wait);
  CHECK(chain.links[1].rank == 2);
  const QStringList lines = test.chainLines();
  REQUIRE(lines.size() == static_cast<int>(chain.links.size()));
  CHECK(lines[0].contains("waited"));
  CHECK(lines[0].contains("rank 2's message of layer 0"));
  CHECK(test.canvas().grab().toImage() != before);
  test.canvas().selection().selectSpan({});
  REQUIRE(test.settleChain());
  CHECK(test.canvas().chain().links.empty());
  CHECK(test.chainLines().isEmpty());
}

TEST_CASE("a click on a row of the waits goes to the longest of its kind", "[window]") {
  Sample test;
  test.compareRows({0, 5});
  auto* view = test.window.findChild<SceneFigureView*>();
  test.bringUp("Side by side");
  view->findChild<QComboBox*>()->setCurrentText("why");
  auto* figure = view->findChild<FigureView*>();
  REQUIRE(figure->figure().table.rows.size() > 2);
  figure->grab();  // what can be clicked is known once it is painted
  int chosen = 0, row = -1;
  QObject::connect(figure, &FigureView::categoryChosen, [&](int category) {
    ++chosen;
    row = category;
  });
  const auto clickAt = [&](int y) {
    QWidget* painted = figure->childAt(30, y);
    QTest::mouseClick(painted, Qt::LeftButton, {}, painted->mapFrom(figure, QPoint(30, y)));
  };
  for (int y = 20; y < figure->height() && row < 1; y += 6) clickAt(y);
  REQUIRE(row == 1);  // the one below all together
  REQUIRE(test.settleChain());
  CHECK(test.window.findChild<QTabWidget*>()->currentWidget() == test.window.findChild<TimelineStage*>());
  const auto span = test.canvas().selection().current();
  REQUIRE(span);
  CHECK(span->row.lane == Lane::wait);
  CHECK(chosen >= 1);
}

TEST_CASE("traffic is chosen by layer, pass and epoch, and the waterfall stands beside where time goes",
          "[window]") {
  Sample test;
  test.compareRows({0, 5});
  auto* view = test.window.findChild<SceneFigureView*>();
  test.bringUp("Side by side");
  auto* show = view->findChild<QComboBox*>();
  show->setCurrentText("traffic");
  const auto selector = [&](const QString& option) {
    for (auto* box : view->findChildren<QComboBox*>())
      if (box != show && box->isVisible() && box->findText(option) >= 0) return box;
    return static_cast<QComboBox*>(nullptr);
  };
  auto* pass = selector("backward");
  auto* layer = selector("1");
  REQUIRE(pass != nullptr);
  REQUIRE(layer != nullptr);
  const auto figures = view->findChildren<FigureView*>();
  REQUIRE(figures.size() == 2);
  const QString all = figures[0]->figure().matrices.at(0).note;
  pass->setCurrentText("backward");
  CHECK(figures[0]->figure().title.contains("backward"));
  CHECK(figures[0]->figure().matrices.at(0).note != all);
  CHECK(figures[0]->figure().marks.filter("counters").isEmpty());
  CHECK_FALSE(figures[1]->isVisible());
  show->setCurrentText("where");
  CHECK(figures[1]->isVisible());
  CHECK(figures[1]->figure().name == "waterfall");
}
