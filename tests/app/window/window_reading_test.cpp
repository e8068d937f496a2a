// What the window makes of a recording: failures in their place, figures of what is shown, steps and their
// history.
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QTreeWidget>

#include "app/window/export_dialog.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "views/experiment/problems_view.h"
#include "views/look/notice.h"
#include "views/session/recording_reader.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/breakdown_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/log_view.h"

using namespace halo;

namespace {

void change(const SmallRecording& recording, const std::string& sql) {
  Database database(recording.file(), Access::readWrite);
  database.execute(sql);
}

}  // namespace

TEST_CASE("a recording that is not there is told of, and the one before is gone", "[window]") {
  const SmallRecording recording(1, 2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.openFile(test.folder.filePath("missing.db"));
  REQUIRE(QTest::qWaitFor([&] { return test.shown<Notice>() != nullptr && test.window.settled(); }, 20'000));
  CHECK(test.shown<Notice>()->sentence().contains("missing.db: there is no such recording"));
  waitForPolls(test);
  REQUIRE(test.shown<Notice>());
  CHECK(test.shown<Notice>()->sentence().contains("missing.db"));
  CHECK(test.runChoice()->count() == 0);
}

TEST_CASE("a run without an experiment opens like any other", "[window]") {
  const SmallRecording recording(1, 2);
  change(recording, "UPDATE run SET experiment_id = NULL");
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  CHECK(test.state() == "completed");
  CHECK(test.shown<TimelineView>());
  CHECK(test.window.findChild<ProblemsView*>()->problemCount() == 0);
}

TEST_CASE("the log of a run that wrote nothing says so, and tells what was recorded of it", "[window]") {
  const SmallRecording recording(1, 2);
  change(recording,
         "UPDATE run SET status = 'failed', error = 'rank 0 was killed', host = 'node1', finished_at = "
         "'2026-01-02T03:05:00Z'");
  change(recording,
         "INSERT INTO artifact(run_id, name, media_type, bytes) VALUES(1, 'launch', 'text/plain', "
         "'mpirun -np 1 worker')");
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  CHECK(test.window.findChild<LogView*>()->toPlainText().split('\n') ==
        QStringList{
            "2026-01-02T03:04:05Z  run 1, synthetic / vanilla / workers=1, on node1, by haloscope 0.1.0",
            "$ mpirun -np 1 worker", "(the run wrote nothing else)",
            "2026-01-02T03:05:00Z  failed: rank 0 was killed"});
}

TEST_CASE("a damaged block leaves out its worker and is named", "[window]") {
  const SmallRecording recording(3, 4);
  change(recording, "UPDATE span_block SET spans = x'00ff' WHERE rank = 1 AND lane = 'main'");
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto* view = test.window.findChild<BreakdownView*>();
  CHECK(view->findChild<QTableView*>()->isVisibleTo(view));
  CHECK(view->findChild<QLabel*>()->text().startsWith("1 worker left out"));
  bool named = false;
  auto* problems = test.window.findChild<ProblemsView*>();
  for (int i = 0; i < problems->count(); ++i)
    named = named || (problems->item(i)->text().contains("worker 1 is left out") &&
                      problems->item(i)->text().contains("of span_block"));
  CHECK(named);
  Database database(recording.file(), Access::readOnly);
  const BreakdownData data = readBreakdown(database, 1, 3, {});
  CHECK(data.leftOut.size() == 1);
  CHECK(data.ranks[0].totalNs() == data.range.lengthNs());
  CHECK(data.ranks[1].totalNs() == 0);
  CHECK(data.ranks[2].totalNs() == data.range.lengthNs());
}

TEST_CASE("a damaged block is left out of a rendered timeline, and the figure says so", "[window]") {
  const SmallRecording recording(3, 4);
  change(recording, "UPDATE span_block SET spans = x'00ff' WHERE rank = 1 AND lane = 'main'");
  const QTemporaryDir folder;
  const QString file = folder.filePath("timeline.svg");
  const Outcome outcome = desktop({"--render", "timeline", "-o", file, recording.path()});
  CHECK(outcome.status == 4);
  CHECK(outcome.words.contains("left out: "));
  CHECK(outcome.words.contains("of span_block"));
  QFile svg(file);
  REQUIRE(svg.open(QIODevice::ReadOnly));
  CHECK(svg.readAll().contains("1 damaged span block left out"));
}

TEST_CASE("a run that claims workers it cannot have had is refused in its place", "[window]") {
  for (const char* claim : {"2000000", "4", "0", "-3"}) {
    const SmallRecording recording(3, 4);
    change(recording, std::string("UPDATE run SET workers = ") + claim);
    TestWindow test;
    test.window.openFile(recording.path());
    CAPTURE(claim);
    REQUIRE(QTest::qWaitFor([&] { return test.shown<Notice>() && test.window.settled(); }, 20'000));
    CHECK(test.shown<Notice>()->sentence().contains(QString("claims %1 workers, 3 are recorded").arg(claim)));
  }
}

TEST_CASE("of many questions for a breakdown only the newest is worked out", "[window]") {
  const SmallRecording recording(3, 4);
  RecordingReader reader;
  int answers = 0;
  TimeRange last;
  QObject::connect(&reader, &RecordingReader::breakdownRead, [&](std::int64_t, const BreakdownData& data) {
    ++answers;
    last = data.range;
  });
  reader.open(recording.path());  // takes longer than asking does
  for (std::int64_t i = 1; i <= 20; ++i) reader.askBreakdown(1, 3, {1'000'000'000, 1'000'000'000 + i * 1000});
  REQUIRE(QTest::qWaitFor([&] { return answers > 0; }, 20'000));
  CHECK(answers == 1);
  CHECK(last.lengthNs() == 20'000);
  CHECK(reader.breakdownsMeasured() < 20);
  Database database(recording.file(), Access::readOnly);
  CHECK(readBreakdown(database, 1, 3, {}, [] { return true; }).ranks.empty());
}

TEST_CASE("a recording replaced by another is read anew", "[window]") {
  const SmallRecording first(1, 2), second(1, 2, /*runs=*/3);
  TestWindow test;
  change(first, "PRAGMA journal_mode = DELETE");
  change(second, "PRAGMA journal_mode = DELETE");
  test.window.openFile(first.path());
  REQUIRE(test.settle());
  REQUIRE(rename(second.file().c_str(), first.file().c_str()) == 0);
  CHECK(QTest::qWaitFor([&] { return test.runChoice()->count() == 3; }, 20'000));
  CHECK(test.window.findChild<ProblemsView*>()->problemCount() == 0);
}

TEST_CASE("a figure of what is shown is exported under any name", "[window]") {
  const SmallRecording recording(2, 6);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  const QString file = test.folder.filePath("fig 1.final.svg");
  test.pressAndAnswer<ExportDialog>(
      "Export a figure…", [](ExportDialog&) { return true; },
      [&](ExportDialog& dialog) {
        auto* figure = dialog.findChild<QComboBox*>("figure");
        CHECK(figure->count() >= 4);
        CHECK(dialog.request().theme == themeOf(test.window.palette()));
        figure->setCurrentIndex(figure->findData("timeline"));
        auto* format = dialog.findChild<QComboBox*>("format");
        format->setCurrentIndex(format->findData("svg"));
        auto* name = dialog.findChild<QLineEdit*>("file");
        name->setText(file);
        dialog.accept();
      });
  REQUIRE(test.settle());
  QFile svg(file);
  REQUIRE(svg.open(QIODevice::ReadOnly));
  const QByteArray text = svg.readAll();
  CHECK_FALSE(text.contains("recorded no spans"));
  CHECK(text.count("<rect") + text.count("<path") > 2 * 6 * 4);  // a form a span at least
}

TEST_CASE("a step of an epoch is one entry of the history, and the whole run chooses no epoch", "[window]") {
  const SmallRecording recording(2, 6);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  canvas.setAnimated(false);
  const auto left = [&] { return canvas.nsAt(canvas.lanes().left()); };
  const auto initial = left();
  canvas.perform(TimelineAction::nextEpoch);
  const auto first = left();
  canvas.perform(TimelineAction::nextEpoch);
  CHECK(left() != first);
  canvas.perform(TimelineAction::back);
  CHECK(left() == first);
  canvas.perform(TimelineAction::back);
  CHECK(left() == initial);
  canvas.perform(TimelineAction::nextEpoch);
  CHECK(test.epochChoice()->value() >= 0);
  canvas.perform(TimelineAction::home);
  CHECK(test.epochChoice()->value() == -1);
  test.epochChoice()->setValue(3);
  CHECK(left() == 1'030'000'000);  // the box brings its epoch into view
  canvas.perform(TimelineAction::home);
  REQUIRE(test.settle());
}

TEST_CASE("the inspector forgets a cleared span and shows every value whole", "[window]") {
  const SmallRecording recording(2, 6);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto* inspector = test.window.findChild<InspectorView*>();
  auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  canvas.perform(TimelineAction::nextSpan);
  const QTreeWidgetItem* span = inspector->topLevelItem(0);
  CHECK(span->childCount() > 3);
  canvas.perform(TimelineAction::clear);
  CHECK(span->childCount() == 1);
  const QTreeWidgetItem* run = inspector->topLevelItem(1);
  inspector->doItemsLayout();  // what waits for the next turn of the event loop
  const int room = inspector->header()->sectionSize(1) - 8;
  int checked = 0;
  for (int i = 0; i < run->childCount(); ++i, ++checked) {
    const QString value = run->child(i)->text(1);
    const QRect needed =
        inspector->fontMetrics().boundingRect(QRect(0, 0, room, 1000), Qt::TextWordWrap, value);
    CAPTURE(value.toStdString(), room);
    CHECK(needed.width() <= room);
    CHECK(inspector->visualItemRect(run->child(i)).height() >= needed.height());
  }
  CHECK(checked > 8);
}

TEST_CASE("names of facts take two lines at most in the column of a small window", "[window]") {
  const SmallRecording recording(1, 2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto* inspector = test.window.findChild<InspectorView*>();
  RunData data;
  data.run.id = 1;
  for (const char* metric : {"balance",
                             "best_epoch",
                             "best_valid",
                             "bytes_per_epoch",
                             "compute_share",
                             "dropped_spans",
                             "epoch_seconds",
                             "epochs_per_second",
                             "exposed_share",
                             "feature_bytes",
                             "flop_per_epoch",
                             "idle_share",
                             "loss",
                             "messages_per_epoch",
                             "peak_rss_bytes",
                             "predicted_bytes_per_epoch",
                             "quantise_share",
                             "recorder_share",
                             "synchronise_share",
                             "test",
                             "test_at_best_valid",
                             "total_seconds",
                             "train",
                             "valid"})
    data.latest[metric] = 0.5;
  inspector->showRun(data);
  inspector->doItemsLayout();
  const int room = inspector->columnWidth(0) - 2 * inspector->indentation() - 8;
  int checked = 0;
  for (const int group : {1, 2, 3})
    for (int i = 0; i < inspector->topLevelItem(group)->childCount(); ++i, ++checked) {
      const QString name = inspector->topLevelItem(group)->child(i)->text(0);
      const QRect needed =
          inspector->fontMetrics().boundingRect(QRect(0, 0, room, 1000), Qt::TextWordWrap, name);
      CAPTURE(name.toStdString(), room);
      CHECK(needed.height() <= 2 * inspector->fontMetrics().lineSpacing());
      CHECK(needed.width() <= room);
    }
  CHECK(checked > 20);
}

TEST_CASE("the inspector shows what is selected alone, and what a metric is", "[window]") {
  const SmallRecording recording(2, 6);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto* inspector = test.window.findChild<InspectorView*>();
  auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  QTreeWidgetItem *span = inspector->topLevelItem(0), *run = inspector->topLevelItem(1);
  CHECK(run->isExpanded());
  CHECK(span->childCount() + run->childCount() <= 12);
  for (int group = 2; group < inspector->topLevelItemCount(); ++group)
    CHECK_FALSE(inspector->topLevelItem(group)->isExpanded());
  canvas.perform(TimelineAction::nextSpan);
  CHECK_FALSE(run->isExpanded());
  canvas.perform(TimelineAction::clear);
  CHECK(run->isExpanded());
  RunData data;
  data.run.id = 1;
  data.latest = {{"nobody_declared", 1}, {"recorder_share", 0.01}};
  inspector->showRun(data);
  const QTreeWidgetItem* metrics = inspector->topLevelItem(3);
  REQUIRE(metrics->childCount() == 2);
  CHECK_FALSE(metrics->child(0)->toolTip(0).contains(':'));
  CHECK(metrics->child(1)->toolTip(1).contains("time of recording ÷ the epochs"));
}

TEST_CASE("the side columns take a sensible share of a wide window", "[window]") {
  TestWindow test;
  test.window.hide();
  test.window.resize(2560, 1440);
  test.window.show();
  test.window.setPerspective(MainWindow::Perspective::setUp);  // as opening an experiment does
  test.window.setPerspective(MainWindow::Perspective::observe);
  for (const char* name : {"Experiments", "Inspector"}) {
    const auto* dock = test.window.findChild<QDockWidget*>(name);
    const auto sensible = [dock] { return dock->width() >= 2560 / 10 && dock->width() <= 2560 / 4; };
    CAPTURE(name);
    CHECK(QTest::qWaitFor(sensible, 20'000));
  }
}

TEST_CASE("where nothing can be kept the sample is opened where it is, and said so", "[window]") {
  const SmallRecording recording(1, 2);
  TestWindow test("file/data");  // a folder below a file cannot be made
  QFile file(test.folder.filePath("file"));
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.close();
  change(recording, "PRAGMA journal_mode = DELETE");
  REQUIRE(QFile::copy(recording.path(), test.folder.filePath("sample.db")));
  test.press("Open sample recording");
  REQUIRE(test.settle());
  CHECK(test.state() == "completed");
  CHECK(test.window.statusBar()->currentMessage().contains("opened where it is"));
}

TEST_CASE("a theme or perspective that there is not is refused, not passed over", "[window]") {
  const Outcome theme = desktop({"--theme", "drak"}, {});
  CHECK(theme.status == 2);
  CHECK(theme.words.contains("--theme: 'drak' cannot be used; one of light dark system"));
  const Outcome perspective = desktop({"--perspective", "setup"}, {});
  CHECK(perspective.status == 2);
  CHECK(perspective.words.contains("--perspective: 'setup' cannot be used; one of set-up observe decide"));
}

TEST_CASE("without a display the window says so and ends with its status", "[window]") {
  const QList<QPair<QString, QString>> bare{
      {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}, {"QT_QPA_PLATFORM", ""}};
  const Outcome window = desktop({}, bare);
  CHECK(window.status == 5);
  CHECK(window.words.contains("there is no display"));
  for (const char* option : {"-h", "--help", "-v", "--version"}) CHECK(desktop({option}, bare).status == 0);
  CHECK(desktop({"-v"}, bare).words.contains("haloscope-desktop "));
  auto wrong = bare;
  wrong.back().second = "no-such-platform";
  const Outcome platform = desktop({}, wrong);
  CHECK(platform.status == 5);
  CHECK(platform.words.contains("no-such-platform"));
}
