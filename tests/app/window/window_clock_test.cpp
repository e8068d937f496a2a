// Modelled and wall time of a node in the real window: one switch for lanes, marks, figures and breakdown.
#include <QComboBox>
#include <QToolButton>

#include "engine/record/database/database.h"
#include "tests/app/window/window_fixture.h"
#include "tests/engine/record/sound_recording.h"
#include "views/figure/figure_view.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/breakdown_view.h"
#include "views/widgets/iterations_view.h"

using namespace halo;

namespace {

/// Dilation 2; the spans of three epochs of 10 ms of the wall each.
struct NodeWindow : TestWindow {
  NodeWindow() {
    const QString file = folder.filePath("node.db");
    {
      Database database(file.toStdString(), Access::create);
      SoundRun like;
      like.inBatches = like.acts = true;
      const SoundRecording recording(database, like);
    }
    window.openFile(file);
    REQUIRE(settle());
    window.setPerspective(Perspective::observe);
    timeline().canvas().setAnimated(false);
    REQUIRE(settle());
  }
  TimelineView& timeline() { return *window.findChild<TimelineView*>(); }
  std::int64_t lengthNs() { return timeline().canvas().places().shown().lengthNs(); }
  QString axis() { return timeline().clock().text(); }
  QString said(QWidget* view) {
    QString all;
    for (auto* label : view->findChildren<QLabel*>()) all += label->text() + '\n';
    return all;
  }
  QString breakdown() { return said(window.findChild<BreakdownView*>()); }
  QComboBox* choice() {
    for (auto* box : window.findChild<IterationsView*>()->findChildren<QComboBox*>())
      if (box->accessibleName() == "Which time") return box;
    return nullptr;
  }
  QString figureAxis() {
    return window.findChild<IterationsView*>()->findChildren<FigureView*>().front()->figure().y.title;
  }
  void undo() {
    for (auto* action : window.findChildren<QAction*>())
      if (action->text().startsWith("&Undo")) return action->trigger();
    FAIL("there is nothing to undo by");
  }
};

}  // namespace

TEST_CASE("one switch shows lanes, figures and parts of a node in modelled or wall time", "[window]") {
  NodeWindow test;
  CHECK(test.axis() == "modelled time");
  CHECK(test.figureAxis() == "modelled time");
  CHECK(test.breakdown().contains("of modelled time on"));
  const std::int64_t modelledNs = test.lengthNs();

  test.timeline().canvas().perform(TimelineAction::clock);
  REQUIRE(test.settle());
  CHECK(test.axis() == "wall time");
  CHECK(test.lengthNs() == Approx(2 * modelledNs).margin(2));
  CHECK(test.choice()->currentText() == "wall time");
  CHECK(test.figureAxis() == "wall time");
  CHECK(test.breakdown().contains("of wall time on"));

  test.choice()->setCurrentIndex(0);  // the same switch
  REQUIRE(test.settle());
  CHECK(test.axis() == "modelled time");
  CHECK(test.lengthNs() == modelledNs);
  CHECK(test.breakdown().contains("of modelled time on"));
  test.undo();
  REQUIRE(test.settle());
  CHECK(test.axis() == "wall time");
  CHECK(test.choice()->currentText() == "wall time");
}

TEST_CASE("what is in view, selected and chosen stays so in the other time", "[window]") {
  NodeWindow test;
  TimelineCanvas& canvas = test.timeline().canvas();
  canvas.perform(TimelineAction::zoomIn);
  canvas.perform(TimelineAction::zoomIn);
  QApplication::processEvents();
  const TimeRange before = canvas.places().shown();
  test.timeline().clock().click();
  REQUIRE(test.settle());
  const TimeRange after = canvas.places().shown();
  CHECK(after.beginNs == Approx(2 * before.beginNs).margin(2));
  CHECK(after.endNs == Approx(2 * before.endNs).margin(2));
}
