// What stands where in the window, and that no hand changes anything by the way.
#include <QSpinBox>

#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "tests/support/wheel.h"

using namespace halo;

namespace {}  // namespace

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
  test::turnWheel(*epoch, 1);
  test::turnWheel(*test.runChoice(), 1);
  CHECK(epoch->value() == -1);
  CHECK(test.runChoice()->currentIndex() == run);
  CHECK_FALSE(test.runChoice()->hasFocus());
  test.window.chooseRun(1);
  REQUIRE(test.settle());
  epoch->setFocus();
  test::turnWheel(*epoch, 1);
  CHECK(epoch->value() == 0);
}
