// What stands where in the window, and that no hand changes anything by the way.
#include <QSpinBox>
#include <QWheelEvent>

#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"

using namespace halo;

namespace {

void turnWheel(QWidget& widget) {
  const QPointF at = widget.rect().center();
  QWheelEvent turn(at, widget.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                   false);
  QApplication::sendEvent(&widget, &turn);
}

}  // namespace

TEST_CASE("the wheel over a box of the tool bar changes nothing unless it has the focus", "[window]") {
  const SmallRecording recording(/*workers=*/2, /*epochs=*/4, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto* epoch = test.window.findChild<QSpinBox*>();
  REQUIRE(epoch->accessibleName() == "Shown epoch");
  const int run = test.runChoice()->currentIndex();
  test.window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&test.window));
  turnWheel(*epoch);
  turnWheel(*test.runChoice());
  CHECK(epoch->value() == -1);
  CHECK(test.runChoice()->currentIndex() == run);
  CHECK_FALSE(test.runChoice()->hasFocus());
  test.window.chooseRun(1);
  REQUIRE(test.settle());
  epoch->setFocus();
  turnWheel(*epoch);
  CHECK(epoch->value() == 0);
}
