// What a person does with two runs from opening to export, in the real window; and recordings that are hard
// to hold against each other.
#include <QLineEdit>
#include <QPushButton>
#include <set>

#include "app/window/export_dialog.h"
#include "tests/app/window/sample_window.h"
#include "tests/support/small_recording.h"
#include "views/figure/figure_view.h"
#include "views/scene/scope_bar.h"
#include "views/timeline/timeline_legend.h"
#include "views/widgets/scene_figure_view.h"

using namespace halo;

namespace {

TimelineCanvas& canvasOf(TestWindow& test) { return test.window.findChild<TimelineView*>()->canvas(); }

template <class Box>
Box& boxNamed(TestWindow& test, const QString& name) {
  for (auto* each : test.window.findChild<ScopeBar*>()->findChildren<Box*>())
    if (each->accessibleName() == name) return *each;
  throw std::logic_error("no box is called " + name.toStdString());
}

/// What *Side by side* shows of the chips.
const Figure& figureOf(TestWindow& test, const QString& name) {
  auto* view = test.window.findChild<SceneFigureView*>();
  test.window.findChild<QTabWidget*>()->setCurrentWidget(view);
  view->findChild<QComboBox*>()->setCurrentText(name);
  return view->findChild<FigureView*>()->figure();
}

void dragOver(QWidget& canvas, QPoint from, QPoint to) {
  QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
  QTest::mouseMove(&canvas, (from + to) / 2);
  QTest::mouseMove(&canvas, to);
  QTest::mouseRelease(&canvas, Qt::LeftButton, {}, to);
}

void exportFigure(TestWindow& test, const QString& figure, const QString& file) {
  test.pressAndAnswer<ExportDialog>(
      "Export a figure…", [](ExportDialog&) { return true; },
      [&](ExportDialog& dialog) {
        auto* choice = dialog.findChild<QComboBox*>("figure");
        choice->setCurrentIndex(choice->findData(figure));
        auto* format = dialog.findChild<QComboBox*>("format");
        format->setCurrentIndex(format->findData("csv"));
        dialog.findChild<QLineEdit*>("file")->setText(file);
        dialog.accept();
      });
  REQUIRE(test.settle());
}

}  // namespace

TEST_CASE("two runs are ticked, aligned, zoomed, selected, read and exported", "[window][flow]") {
  SampleWindow test;
  test.clickBox(test.tree(), test.inTree(1));
  test.clickBox(test.tree(), test.inTree(6));
  REQUIRE(test.chips() == "1 6");
  test.showRun(1);
  test.bringUp("Timeline");
  TimelineCanvas& canvas = canvasOf(test);
  canvas.setAnimated(false);
  REQUIRE(QTest::qWaitFor([&] { return canvas.places().blocks().size() == 2; }, 20'000));

  boxNamed<QComboBox>(test, "What stands at one place of the timeline").setCurrentText("epoch");
  boxNamed<QSpinBox>(test, "Epoch that is aligned").setValue(7);
  REQUIRE(test.settle());
  const auto beginOf = [&](std::size_t block) {
    for (const EpochRow& epoch : canvas.places().blocks()[block]->epochs())
      if (epoch.epoch == 7) return epoch.beginNs;
    return std::int64_t{-1};
  };
  CHECK(beginOf(0) > 0);
  CHECK(beginOf(0) == beginOf(1));

  const double before = canvas.xOf(beginOf(0) + 1'000'000) - canvas.xOf(beginOf(0));
  for (int i = 0; i < 5; ++i) canvas.perform(TimelineAction::zoomIn);
  CHECK(canvas.xOf(beginOf(0) + 1'000'000) - canvas.xOf(beginOf(0)) > 4 * before);
  const QRect lanes = canvas.lanes();
  dragOver(canvas, {lanes.left() + lanes.width() / 4, lanes.top() + 30},
           {lanes.left() + lanes.width() / 2, lanes.bottom() - 4});
  CHECK_FALSE(test.window.findChild<TimelineLegend*>()->range().empty());

  const Figure differences = figureOf(test, "differences");
  REQUIRE_FALSE(differences.table.rows.empty());
  const Figure why = figureOf(test, "why");  // who waits, for whom, in which layer
  REQUIRE(why.table.rows.size() > 1);
  CHECK(why.table.columns.mid(0, 3) == QStringList{"reason", "peer", "layer"});
  const QString file = test.folder.filePath("differences.csv");
  exportFigure(test, "differences", file);
  const auto lines = [&file] {
    QFile csv(file);
    return csv.open(QIODevice::ReadOnly) ? csv.readAll().count('\n') : qsizetype{0};
  };
  const auto rows = static_cast<qsizetype>(differences.table.rows.size());
  CHECK(QTest::qWaitFor([&] { return lines() > rows; }, 20'000));  // once its data are read
}

TEST_CASE("two recordings stand side by side, each under the name of its file", "[window][flow]") {
  const SmallRecording first(2, 4), second(2, 4);
  TestWindow test;
  const QString a = test.folder.filePath("a.db"), b = test.folder.filePath("b.db");
  REQUIRE(QFile::copy(first.path(), a));
  REQUIRE(QFile::copy(second.path(), b));
  test.window.openFiles({a, b});
  REQUIRE(test.settle());
  REQUIRE(QTest::qWaitFor([&] { return canvasOf(test).places().blocks().size() == 2; }, 20'000));
  REQUIRE(test.settle());
  QStringList names;
  for (const auto* button : test.window.findChild<ChipBar*>()->findChildren<QToolButton*>())
    if (button->text() != "✕") names << button->text();
  REQUIRE(names.size() == 2);
  CHECK(names[0].contains("a.db"));
  CHECK(names[1].contains("b.db"));
  const auto summary = figureOf(test, "summary").table;
  CHECK(summary.columns.size() >= 3);
  CHECK_FALSE(summary.rows.empty());
}

TEST_CASE("four ranks stand beside sixteen, lane by lane", "[window][flow]") {
  const SmallRecording four(4, 4), sixteen(16, 4);
  TestWindow test;
  test.window.openFiles({four.path(), sixteen.path()});
  REQUIRE(test.settle());
  TimelineCanvas& canvas = canvasOf(test);
  const auto ranks = [&](std::size_t block) {
    std::set<std::int64_t> all;
    if (block < canvas.places().blocks().size())
      for (const RowEntry& row : canvas.places().blocks()[block]->rows()) all.insert(row.id.rank);
    return all.size();
  };
  CHECK(QTest::qWaitFor([&] { return ranks(0) == 4 && ranks(1) == 16; }, 20'000));
  REQUIRE(test.settle());
  CHECK_FALSE(figureOf(test, "where").empty());
  CHECK_FALSE(figureOf(test, "traffic").empty());
  CHECK_FALSE(figureOf(test, "waterfall").empty());
}

TEST_CASE("what was measured stands beside what is simulated", "[window][flow]") {
  const SmallRecording measured(2, 4);
  TestWindow test;
  const QString file = test.folder.filePath("chip.toml"), simulated = test.folder.filePath("chip.db");
  QFile experiment(file);
  REQUIRE(experiment.open(QIODevice::WriteOnly));
  experiment.write(
      "schema = 1\nname = \"chip\"\n[dataset]\nname = \"karate\"\n[[simulate]]\ndevice = \"spu\"\n");
  experiment.close();
  QProcess simulate;
  simulate.start(kBin + "/haloscope", {"--db", simulated, "simulate", file});
  REQUIRE(simulate.waitForFinished(30'000));
  CAPTURE(simulate.readAllStandardError().toStdString());
  REQUIRE(simulate.exitCode() == 0);
  test.window.openFiles({measured.path(), simulated});
  REQUIRE(test.settle());
  TimelineCanvas& canvas = canvasOf(test);
  REQUIRE(QTest::qWaitFor([&] { return canvas.places().blocks().size() == 2; }, 20'000));
  CHECK(QTest::qWaitFor([&] { return !canvas.places().blocks()[1]->rows().empty(); }, 20'000));
  REQUIRE(test.settle());
  CHECK_FALSE(figureOf(test, "summary").empty());
  auto* fairness = test.window.findChild<QPushButton*>("fairness");
  if (fairness->isVisible()) CHECK(fairness->text().contains("ot alike"));
}
