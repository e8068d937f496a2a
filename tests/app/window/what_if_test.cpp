// What if a run had another link or worker: asked in the window, simulated, and put beside the run.
#include "app/window/what_if.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>

#include "app/window/what_if_dialog.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "views/figure/figure_view.h"
#include "views/scene/chip_bar.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/scene_figure_view.h"

using namespace halo;

TEST_CASE("what is asked of a run is an experiment that replays it", "[window]") {
  WhatIf question{.run = 7, .gbit = 2.5, .latencyUs = 40, .rank = 1, .speed = 0.5, .asItWas = true};
  const QString replay = "[[simulate]]\nreplay = 7\n";
  CHECK(whatIfText(question).endsWith(replay + "\n" + replay +
                                      "link = { bandwidth_gbit = 2.5, latency_us = 40 }\n"
                                      "rank_speed = \"1:0.5\"\n"));
  question = {.run = 7, .preset = "10gbe", .cores = 2};
  CHECK(whatIfText(question).endsWith("\n\n" + replay + "link = \"10gbe\"\ncores = 2\n"));
  CHECK(whatIfText(question).count("[[simulate]]") == 1);
  question = {.run = 7, .bits = 8, .overlap = "all"};
  CHECK(whatIfText(question).endsWith(replay + "bits = 8\noverlap = \"all\"\n"));
  question = {.run = 7, .asItWas = true};
  CHECK_FALSE(question.changes());
  CHECK(whatIfText(question).count("[[simulate]]") == 1);
}

namespace {

/// Numbers stand beside their units by a space that breaks no line.
QString answer(double changed, double asItWas, double measured) {
  return whatIfAnswer(changed, asItWas, measured).replace(QChar(0x00A0), ' ');
}

}  // namespace

TEST_CASE("the answer says how far the replay itself is off", "[window]") {
  CHECK(answer(0.030, 0.040, 0.050) ==
        "What if: an epoch of 30.00 ms, −25.0 % of 40.00 ms replayed; the replay itself is −20.0 % of the "
        "50.00 ms measured.");
  CHECK(answer(0.060, 0, 0.050) == "What if: an epoch of 60.00 ms, +20.0 % of 50.00 ms measured.");
  CHECK(answer(0.060, 0, 0) == "What if: an epoch of 60.00 ms.");
}

TEST_CASE("a run of unknown network is asked for a link, and nothing unchanged is simulated", "[window]") {
  RunRow run;
  run.id = 3;
  run.method = "vanilla";
  run.workers = 2;
  const std::map<std::string, LinkSettings> links = {{"10gbe", {"10gbe", 9.4, 20}}};
  WhatIfDialog dialog(run, links, std::nullopt);
  CHECK_FALSE(dialog.question().asItWas);
  CHECK(dialog.question().changesLink());
  WhatIfDialog networkDialog(run, links, RunsNetwork{1, true, 1});
  auto* simulate = networkDialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
  CHECK(networkDialog.question().asItWas);
  CHECK(simulate->isEnabled());
  networkDialog.findChild<QCheckBox*>()->setChecked(false);
  CHECK_FALSE(simulate->isEnabled());
  networkDialog.findChild<QComboBox*>("rank")->setCurrentIndex(2);
  CHECK(simulate->isEnabled());
  CHECK(networkDialog.findChild<QPlainTextEdit*>()->toPlainText() == whatIfText(networkDialog.question()));
  CHECK(networkDialog.question().rank == 1);
}

TEST_CASE("what if begins with the span that is selected", "[window]") {
  RunRow run;
  run.id = 3;
  run.method = "vanilla";
  run.workers = 4;
  Span span;
  WhatIfDialog computes(run, {}, RunsNetwork{1, true, 1});
  computes.begin(span, 2);
  CHECK(computes.question().rank == 2);
  CHECK(computes.question().speed == 2);
  span.kind = Kind::communication;
  WhatIfDialog travels(run, {}, RunsNetwork{1, true, 1});
  travels.begin(span, 2);
  CHECK(travels.question().rank == -1);
  CHECK(travels.question().gbit == 2);
  WhatIfDialog unknown(run, {}, std::nullopt);
  const QString before = whatIfText(unknown.question());
  unknown.begin(span, 2);
  CHECK(whatIfText(unknown.question()) == before);
}

TEST_CASE("what if is simulated into the recording and compared with the run", "[window]") {
  TestWindow test;
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("sample.db")));
  test.window.openSample();
  REQUIRE(test.settle());
  test.window.chooseRun(1);
  REQUIRE(test.settle());
  test.pressAndAnswer<WhatIfDialog>(
      "What if…", [](WhatIfDialog& dialog) { return dialog.isVisible(); },
      [](WhatIfDialog& dialog) {
        dialog.findChild<QComboBox*>("link")->setCurrentIndex(1);
        dialog.findChild<QDoubleSpinBox*>("gbit")->setValue(0.05);
        dialog.accept();
      });
  const auto chips = [&test] {
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // chips of before
    int count = 0;
    for (auto* button : test.window.findChild<ChipBar*>()->findChildren<QToolButton*>())
      count += button->text() != "✕" ? 1 : 0;
    return count;
  };
  REQUIRE(QTest::qWaitFor([&] { return chips() >= 3; }, 60'000));
  CHECK(test.window.statusBar()->currentMessage().startsWith("What if: an epoch of "));
  REQUIRE(test.settle());
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  QStringList hints;
  for (auto* button : test.window.findChild<ChipBar*>()->findChildren<QToolButton*>())
    if (button->text() != "✕") hints << button->toolTip();
  REQUIRE(hints.size() == 3);
  CHECK(hints[1].contains("replay of run 1, unchanged: an epoch of "));
  CHECK(hints[2].contains("replay of run 1: an epoch of "));
  CHECK(hints[2].contains("; the replay itself is "));
  auto* view = test.window.findChild<SceneFigureView*>();
  test.window.findChild<QTabWidget*>()->setCurrentWidget(view);
  QStringList rows;
  for (const QStringList& row : view->findChild<FigureView*>()->figure().table.rows) rows << row.front();
  CHECK(rows.contains("  unchanged it is"));
  CHECK(rows.contains("  error of that"));
}

TEST_CASE("a simulation is not asked what if", "[window]") {
  TestWindow test;
  test.press("What if…");
  CHECK(test.window.statusBar()->currentMessage().startsWith("No run is shown"));
}

TEST_CASE("what if of a lane of another recording is of the run of that recording", "[window]") {
  const SmallRecording first(2, 4), other(4, 4);
  TestWindow test;
  test.window.openFiles({first.path(), other.path()});
  REQUIRE(test.settle());
  const auto shownWorkers = [&] {
    for (const auto* label : test.window.statusBar()->findChildren<QLabel*>())
      if (label->toolTip() == "Workers of the shown run") return label->text();
    return QString();
  };
  const QString shown = shownWorkers();
  REQUIRE(shown.contains("workers"));
  QString title;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &test.window, [&] {
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    title = dialog->windowTitle();
    dialog->reject();
  });
  timer.start(10);
  emit test.window.findChild<TimelineView*>()->canvas().whatIfWanted(1);
  REQUIRE(QTest::qWaitFor([&] { return !title.isEmpty(); }, 20'000));
  CHECK(title.endsWith(shown.contains("2") ? "on 4 workers" : "on 2 workers"));
  CHECK(shownWorkers() == shown);
}
