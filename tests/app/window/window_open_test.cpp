// What the window opens of several files.
#include <QDockWidget>

#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "views/experiment/experiment_form.h"
#include "views/experiment/problems_view.h"

using namespace halo;

namespace {

ProblemsView& problems(TestWindow& test) {
  return *test.window.findChild<QDockWidget*>("Problems")->findChild<ProblemsView*>();
}

}  // namespace

TEST_CASE("of several files a recording and an experiment open, of another recording it is said how",
          "[window]") {
  const SmallRecording first(1, 2), second(1, 2);
  const QString other = second.path();
  TestWindow test;
  const QString experiment = test.experiment("small.toml", 2);
  test.window.openFiles({first.path(), experiment, other, first.path()});
  const QString message = test.window.statusBar()->currentMessage();  // it goes after a while
  REQUIRE(test.settle());
  CHECK(test.state() == "completed");
  CHECK(test.window.findChild<ExperimentForm*>()->file() == experiment);
  REQUIRE(problems(test).problemCount() == 1);
  const QString said = problems(test).item(0)->text();
  CHECK(said.startsWith(other + ": not shown yet"));
  CHECK(said.contains("File ▸ Open…"));
  CHECK(message == said);
}

TEST_CASE("a second experiment is named too", "[window]") {
  TestWindow test;
  const QString first = test.experiment("a.toml", 2), second = test.experiment("b.toml", 2);
  test.window.openFiles({first, second});
  REQUIRE(test.settle());
  CHECK(test.window.findChild<ExperimentForm*>()->file() == first);
  REQUIRE(problems(test).problemCount() == 1);
  CHECK(problems(test).item(0)->text().startsWith(second + ": not opened"));
}
