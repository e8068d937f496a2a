#pragma once

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QProcess>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <catch2/catch.hpp>
#include <functional>

#include "app/window/main_window.h"
#include "tests/support/places.h"
#include "views/widgets/runs_view.h"

namespace halo {

inline const QString kBin = kBinDir;
inline const QString kResources = QString(kSourceDir) + "/resources";

/// A window with settings and folders of its own that go with it.
struct TestWindow {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  MainWindow window;

  explicit TestWindow(const QString& data = "data")
      : window({kBin + "/haloscope", folder.filePath("sample.db"), folder.filePath("bundled"),
                folder.filePath(data), kResources},
               settings) {
    window.resize(1280, 800);
    window.show();
  }
  bool settle() {
    return QTest::qWaitFor([this] { return window.settled(); }, 20'000);
  }
  template <class Widget>
  Widget* shown() {
    for (auto* each : window.findChildren<Widget*>())
      if (each->isVisible()) return each;
    return nullptr;
  }
  QString state() { return window.statusBar()->findChildren<QLabel*>().front()->text(); }
  QComboBox* runChoice() {
    for (auto* box : window.findChildren<QComboBox*>())
      if (box->accessibleName() == "Shown run") return box;
    return nullptr;
  }
  /// As a person chooses it in the tool bar.
  void showRun(std::int64_t run) {
    auto* box = runChoice();
    for (int row = 0; row < box->count(); ++row)
      if (box->model()->index(row, 0).data(RunsModel::kRunRole).toLongLong() == run) emit box->activated(row);
    REQUIRE(settle());
  }
  /// The view of the centre with this title.
  QWidget* centreView(const QString& title) {
    auto* tabs = window.centralWidget()->findChild<QTabWidget*>();
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i).remove('&') == title) return tabs->widget(i);
    FAIL("no view " << title.toStdString());
    return nullptr;
  }
  void bringUp(const QString& title) {
    window.centralWidget()->findChild<QTabWidget*>()->setCurrentWidget(centreView(title));
    QApplication::processEvents();
  }
  /// The runs in these rows of the run table, as chips.
  void compareRows(const std::vector<int>& rows) {
    window.setPerspective(Perspective::decide);
    auto* runs = window.findChild<RunsView*>()->table();
    runs->clearSelection();
    for (const int row : rows)
      runs->selectionModel()->select(runs->model()->index(row, 0),
                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
    press("Compare the chosen runs");
    REQUIRE(settle());
  }
  QSpinBox* epochChoice() {
    for (auto* box : window.findChildren<QSpinBox*>())
      if (box->accessibleName() == "Shown epoch") return box;
    return nullptr;
  }
  /// What a menu entry of this text does.
  void press(const QString& text) {
    for (auto* action : window.findChildren<QAction*>())
      if (action->text().remove('&') == text) return action->trigger();
    FAIL("no menu entry " << text.toStdString());
  }
  /// Presses and, once a dialog is up for which `ready` holds, calls `answer` with it; it must close.
  template <class Dialog>
  void pressAndAnswer(const QString& text, std::function<bool(Dialog&)> ready,
                      std::function<void(Dialog&)> answer) {
    bool answered = false;
    QTimer timer;
    QElapsedTimer clock;
    clock.start();
    QObject::connect(&timer, &QTimer::timeout, &window, [&] {
      auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
      if (!dialog || answered) return;
      if (!ready(*dialog)) {
        if (clock.elapsed() > 20'000) dialog->reject();
        return;
      }
      answered = true;
      answer(*dialog);
    });
    timer.start(10);
    press(text);
    CHECK(answered);
  }
  /// An experiment file in `folder`, of `epochs` epochs on two workers.
  QString experiment(const QString& name, int epochs) {
    const QString path = folder.filePath(name);
    QFile file(path);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(QString("schema = 1\nname = \"small\"\n[dataset]\nname = \"karate\"\n[training]\nepochs = %1\n"
                       "[cluster]\nworkers = 2\n[[run]]\nmethod = \"vanilla\"\n")
                   .arg(epochs)
                   .toUtf8());
    return path;
  }
};

/// Until the recording has been looked at again, twice.
inline void waitForPolls(TestWindow& test) {
  auto* poll = test.window.findChild<QTimer*>("poll");
  REQUIRE(poll != nullptr);
  QSignalSpy polls(poll, &QTimer::timeout);
  const bool seen = QTest::qWaitFor([&] { return polls.count() >= 3 && test.window.settled(); }, 20'000);
  REQUIRE(seen);
}

struct Outcome {
  int status = -1;
  QString words;
};

/// haloscope-desktop with `extra` in its environment; an empty value takes a variable away.
inline Outcome desktop(const QStringList& arguments,
                       const QList<QPair<QString, QString>>& extra = {{"QT_QPA_PLATFORM", "offscreen"}}) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const auto& [name, value] : extra) {
    environment.remove(name);
    if (!value.isEmpty()) environment.insert(name, value);
  }
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(kBin + "/haloscope-desktop", arguments);
  REQUIRE(process.waitForFinished(60'000));
  return {process.exitCode(), QString::fromUtf8(process.readAll())};
}

}  // namespace halo
