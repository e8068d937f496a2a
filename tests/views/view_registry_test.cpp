// Views register themselves: what CMake found is there, and a view of this file alone stands in the window
// like any other.
#include "views/view_registry.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <sstream>

#include "app/window/render.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "views/figures/figure_registry.h"

using namespace halo;

namespace {

/// Tells of the run, the chosen epoch and the problems it was told of.
QWidget* makeToy(Session& session) {
  auto* toy = new QLineEdit;
  QObject::connect(&session, &Session::runRead, toy,
                   [toy](const RunData& run) { toy->setText(QString("run %1").arg(run.run.id)); });
  QObject::connect(&session.window(), &TimeWindow::epochChanged, toy, [toy, &session] {
    toy->setPlaceholderText(QString("epoch %1").arg(session.window().epoch().value_or(-1)));
  });
  toy->addAction(new QAction("wind up", toy));
  return toy;
}

const Registered<ViewEntry> toy{{{"Toy", "what the tests play with", ""},
                                 "Toy box",
                                 ViewArea::bottom,
                                 35,
                                 {Perspective::decide},
                                 {},
                                 makeToy}};

QDockWidget* toyOf(TestWindow& test) { return test.window.findChild<QDockWidget*>("Toy"); }

QMenu* menuOf(TestWindow& test, const QString& title) {
  for (QAction* action : test.window.menuBar()->actions())
    if (action->text().remove('&') == title) return action->menu();
  return nullptr;
}

}  // namespace

TEST_CASE("the linker lost no view, no figure and no form of figures", "[window]") {
  std::istringstream files(HALO_REGISTERING_FILES);  // from CMake
  int count = 0;
  for (std::string file; files >> file; ++count) {
    CAPTURE(file);
    CHECK(std::ranges::any_of(registeringFiles(),
                              [&](const std::string& name) { return name.ends_with(file); }));
  }
  CHECK(count >= 15);
}

TEST_CASE("a view that registers itself is in the window, its menus and its perspective", "[window]") {
  const SmallRecording recording(1, 3);
  TestWindow test;
  QDockWidget* dock = toyOf(test);
  REQUIRE(dock);
  CHECK(dock->windowTitle() == "Toy box");
  CHECK(test.window.dockWidgetArea(dock) == Qt::BottomDockWidgetArea);
  REQUIRE(menuOf(test, "View"));
  CHECK(menuOf(test, "View")->actions().contains(dock->toggleViewAction()));
  REQUIRE(menuOf(test, "Toy box"));
  CHECK(menuOf(test, "Toy box")->actions().first()->text() == "wind up");

  CHECK(dock->isHidden());
  test.window.setPerspective(Perspective::decide);
  CHECK_FALSE(dock->isHidden());
  CHECK(test.window.tabifiedDockWidgets(dock).contains(test.window.findChild<QDockWidget*>("Ledger")));
  test.window.setPerspective(Perspective::observe);
  CHECK(dock->isHidden());

  auto* view = qobject_cast<QLineEdit*>(dock->widget());
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  CHECK(view->text() == "run 1");
  test.epochChoice()->setValue(0);
  CHECK(view->placeholderText() == "epoch 0");
  view->setWindowTitle("Toy box (1)");
  CHECK(dock->windowTitle() == "Toy box (1)");
}

TEST_CASE("a view that is new since a layout was kept stands where it does by default", "[window]") {
  const ViewEntry entry = *find<ViewEntry>("Toy");
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  const WindowPlaces places{kBin + "/haloscope", "", "", folder.path(), kResources};
  registry<ViewEntry>().erase("Toy");
  {
    MainWindow before(places, settings);
    before.setPerspective(Perspective::decide);
    before.findChild<QDockWidget*>("Ledger")->hide();
    before.setPerspective(Perspective::observe);
  }
  registry<ViewEntry>().emplace("Toy", entry);
  MainWindow after(places, settings);
  after.setPerspective(Perspective::decide);
  CHECK(after.findChild<QDockWidget*>("Ledger")->isHidden());
  auto* dock = after.findChild<QDockWidget*>("Toy");
  CHECK_FALSE(dock->isHidden());
  CHECK(after.dockWidgetArea(dock) == Qt::BottomDockWidgetArea);
  CHECK(after.tabifiedDockWidgets(dock).contains(after.findChild<QDockWidget*>("Log")));
}

TEST_CASE("a figure brings the data it is drawn from", "[window]") {
  const SmallRecording recording(1, 1);
  const QTemporaryDir folder;
  FigureEntry toy{{"toy-figure", "what the tests draw", ""},
                  [](const FigureInput& input, const Values&) {
                    Figure figure;
                    figure.form = FigureForm::table;
                    figure.table.columns = QStringList{"from"};
                    figure.table.rows.push_back({QString::number(input.runs.front().lanes.range.beginNs)});
                    return figure;
                  },
                  [](Database&, RunData& data, const FigureRanges&) {
                    data.lanes.range = {42, 43};
                  }};
  registry<FigureEntry>().emplace("toy-figure", toy);
  RenderRequest request;
  request.figure = "toy-figure";
  request.recording = recording.path();
  request.output = folder.filePath("toy.csv");
  render(request);
  registry<FigureEntry>().erase("toy-figure");
  QFile file(request.output);
  REQUIRE(file.open(QIODevice::ReadOnly));
  CHECK(file.readAll().contains("42"));
}
