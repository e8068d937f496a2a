// The window with 10,000 runs stored: how long it keeps a person waiting at most (T20: 50 ms) while it opens
// the recording, sorts and filters its table, and chooses runs. Exit status 1 if a target is missed.
#include <QApplication>
#include <QLineEdit>
#include <QSettings>
#include <QTableView>
#include <QThread>
#include <cstdio>

#include "app/window/main_window.h"
#include "tests/bench/judge.h"
#include "tests/support/longest_block.h"
#include "tests/support/small_recording.h"
#include "views/widgets/runs_view.h"

namespace {

/// Not by qWaitFor: it naps 10 ms between two looks at the events, and a nap is no block.
void settle(const halo::MainWindow& window, halo::LongestBlock& block) {
  QElapsedTimer clock, still;
  clock.start();
  still.start();
  while (still.elapsed() < 200) {  // what is painted once all is known
    QCoreApplication::processEvents();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    block.rest();
    if (!window.settled()) still.restart();
    if (clock.elapsed() > 60'000) {
      std::puts("still at it");
      clock.restart();
    }
    QThread::msleep(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  QApplication app(argc, argv);
  const halo::SmallRecording recording(/*workers=*/4, /*epochs=*/50, /*runs=*/10'000, /*varied=*/true);
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  halo::MainWindow window({"haloscope", "", folder.path(), folder.path(), HALO_RESOURCES}, settings);
  window.resize(1280, 800);
  window.show();
  halo::LongestBlock block;
  settle(window, block);
  halo::Judge results;
  const auto judge = [&](const char* label, const auto& act) {
    block.restart();
    block.begin();
    act();
    settle(window, block);
    results.judge(label, block.milliseconds(), 50, "ms");
    results.note("  computing at most", block.cpuMilliseconds(), "ms");
  };
  QElapsedTimer clock;
  clock.start();
  judge("T20 opening 10,000 runs, longest block", [&] { window.openFile(recording.path()); });
  results.note("  opened, with 0.2 s of rest", static_cast<double>(clock.elapsed()) * 1e-3, "s");
  judge("T20 showing the run table, longest block",
        [&] { window.setPerspective(halo::Perspective::decide); });
  auto* runs = window.findChild<halo::RunsView*>();
  const auto sort = [&](int column, Qt::SortOrder order) { runs->table()->sortByColumn(column, order); };
  judge("T20 sorting by a metric, longest block",
        [&] { sort(halo::RunsModel::FixedColumns, Qt::DescendingOrder); });
  judge("T20 sorting by name, longest block", [&] { sort(halo::RunsModel::Name, Qt::AscendingOrder); });
  judge("T20 filtering, longest block", [&] { runs->findChild<QLineEdit*>()->setText("vanilla 4"); });
  judge("T20 choosing a run, longest block", [&] { window.chooseRun(1); });
  return results.conclude();
}
