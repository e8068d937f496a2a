#include <sys/stat.h>

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QProcess>
#include <QSettings>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "app/window/main_window.h"
#include "app/window/runs/run_process.h"
#include "engine/base/index.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/csv.h"
#include "tests/support/small_recording.h"
#include "views/experiment/problems_view.h"
#include "views/look/notice.h"
#include "views/widgets/log_view.h"
#include "views/widgets/start_view.h"

using namespace halo;

namespace {

QByteArray bytesOf(const QString& file) {
  QFile source(file);
  REQUIRE(source.open(QIODevice::ReadOnly));
  return source.readAll();
}

int colorsIn(const QImage& image) {
  std::set<QRgb> colors;
  for (int y = 0; y < image.height(); y += 3)
    for (int x = 0; x < image.width(); x += 3) colors.insert(image.pixel(x, y));
  return static_cast<int>(colors.size());
}

}  // namespace

TEST_CASE("the window opens a recording and shows its run in every view", "[window]") {
  const SmallRecording recording(/*workers=*/3, /*epochs=*/6, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.chooseRun(1);
  REQUIRE(test.settle());
  CHECK(test.window.windowTitle().contains("synthetic.db"));
  CHECK(test.window.statusBar()->findChildren<QLabel*>().front()->text() == "completed");
  REQUIRE(QTest::qWaitFor([&] { return colorsIn(test.window.grab().toImage()) > 20; }, 20'000));
  const QImage picture = test.window.grab().toImage();
  CHECK(picture.size() == test.window.size() * picture.devicePixelRatio());
  const auto brightness = [&] {
    return test.window.grab().toImage().scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  };
  test.window.setTheme("light");
  CHECK(QTest::qWaitFor([&] { return qGray(brightness().pixel(0, 0)) > 128; }, 20'000));
  test.window.setTheme("dark");
  CHECK(QTest::qWaitFor([&] { return qGray(brightness().pixel(0, 0)) < 128; }, 20'000));
  test.window.setTheme("light");
}

TEST_CASE("every dock can float and come back, and layouts belong to perspectives", "[window]") {
  TestWindow test;
  using P = MainWindow::Perspective;
  for (const P perspective : {P::setUp, P::observe, P::decide, P::observe})
    test.window.setPerspective(perspective);
  for (auto* dock : test.window.findChildren<QDockWidget*>()) {
    dock->setFloating(true);
    CHECK(QTest::qWaitFor([dock] { return dock->isFloating() && !dock->grab().isNull(); }, 20'000));
    dock->setFloating(false);
  }
  test.window.findChild<QDockWidget*>("Ledger")->hide();
  test.window.setPerspective(P::decide);
  test.window.setPerspective(P::observe);
  CHECK(test.window.findChild<QDockWidget*>("Ledger")->isHidden());
}

TEST_CASE("docks share a window of any size, and stand as they were left when it opens again", "[window]") {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  const WindowPlaces places{kBin + "/haloscope", folder.filePath("sample.db"), folder.filePath("bundled"),
                            folder.filePath("data"), kResources};
  const auto bottom = [](MainWindow& window) {
    return window.findChild<QDockWidget*>("Breakdown")->height();
  };
  int left = 0;
  {
    MainWindow window(places, settings);
    window.resize(2400, 1400);
    window.show();
    CHECK(QTest::qWaitFor([&] { return bottom(window) >= 1400 / 3; }, 5'000));
    window.resizeDocks({window.findChild<QDockWidget*>("Breakdown")}, {300}, Qt::Vertical);
    CHECK(QTest::qWaitFor([&] { return bottom(window) < 1400 / 3; }, 20'000));
    left = bottom(window);
    window.close();
  }
  MainWindow window(places, settings);
  window.resize(2400, 1400);
  window.show();
  CHECK(QTest::qWaitFor([&] { return bottom(window) == left; }, 20'000));
}

TEST_CASE("an empty window offers three ways to begin, a damaged recording says what it is", "[window]") {
  TestWindow test;
  CHECK(test.shown<StartView>());
  const QString file = test.folder.filePath("damaged.db");
  QFile damaged(file);
  REQUIRE(damaged.open(QIODevice::WriteOnly));
  damaged.write("SQLite format 3 it is not");
  damaged.close();
  test.window.openFile(file);
  REQUIRE(QTest::qWaitFor(
      [&] { return test.shown<Notice>() && test.shown<Notice>()->sentence().contains("damaged.db"); },
      10'000));
  CHECK(test.window.findChild<ProblemsView*>()->problemCount() == 1);
  const SmallRecording recording(1, 1);
  test.window.openFile(recording.path());  // it recovers
  REQUIRE(test.settle());
  CHECK_FALSE(test.shown<Notice>());
}

TEST_CASE("a run started by the window is followed to its end", "[window]") {
  TestWindow test;
  const QString file = test.folder.filePath("small.toml");
  QFile experiment(file);
  REQUIRE(experiment.open(QIODevice::WriteOnly));
  experiment.write(
      "schema = 1\nname = \"small\"\n[training]\nepochs = 5\n[cluster]\nworkers = 2\n[[run]]\nmethod = "
      "\"vanilla\"\n");
  experiment.close();
  test.window.openFile(file);
  REQUIRE(test.settle());
  test.window.startExperiment();
  auto* state = test.window.statusBar()->findChildren<QLabel*>().front();
  const bool done =
      QTest::qWaitFor([&] { return state->text() == "completed" && test.window.settled(); }, 60'000);
  QFile log(test.folder.filePath("recordings.db.log"));
  if (!done && log.open(QIODevice::ReadOnly)) UNSCOPED_INFO(log.readAll().toStdString());
  REQUIRE(done);
  Database database(test.folder.filePath("recordings.db").toStdString(), Access::readOnly);
  CHECK(Runs(database).all().size() == 1);
  CHECK(Epochs(database).epochs(1).size() == 5);
  auto* events = test.window.findChild<LogView*>();
  const auto tells = [&] { return events->tail(1).endsWith("completed"); };
  REQUIRE(QTest::qWaitFor(tells, 20'000));  // the recorded one, once the run is over
  const QStringList lines = events->toPlainText().split('\n');
  CHECK(lines.first().contains("run 1, small"));
  CHECK(lines[1].startsWith("$ "));
  CHECK(lines[1].contains("mpirun"));
}

TEST_CASE("a run is asked for by an argument vector, whatever the names are", "[window]") {
  RunRequest request;
  request.experiment = "a b; rm -rf ~.toml";
  request.recording = "r.db";
  request.record = "none";
  CHECK(runArguments(request) ==
        QStringList{"--db", "r.db", "run", "a b; rm -rf ~.toml", "--set", "record.spans=\"none\""});
  request.record = "10";
  CHECK(runArguments(request).last() == "record.spans=\"every 10 epochs\"");
  request.program = "/no/such/haloscope";
  CHECK_THROWS_AS(startRun(request), EnvironmentError);
  CHECK_FALSE(askToStop(0, false));
  CHECK_FALSE(askToStop(QApplication::applicationPid(), true));  // no haloscope: the test program itself
}

TEST_CASE("figures are rendered without a display, the same bytes every time", "[window]") {
  const SmallRecording recording(2, 3);
  const QTemporaryDir folder;
  for (const char* ending : {"svg", "pdf", "png", "csv"}) {
    const QString a = folder.filePath(QString("a.") + ending), b = folder.filePath(QString("b.") + ending);
    for (const QString& file : {a, b}) {
      const Outcome outcome =
          desktop({"--render", "breakdown", "--run", "1", "--db", recording.path(), "-o", file});
      CAPTURE(outcome.words.toStdString());
      REQUIRE(outcome.status == 0);
    }
    const bool same = bytesOf(a) == bytesOf(b);
    CAPTURE(ending);
    CHECK(same);
  }
  CHECK(desktop({"--render", "all", "-o", folder.filePath("all"), recording.path()}).status == 0);
  CHECK(QFile::exists(folder.filePath("all/timeline.svg")));
  CHECK(desktop({"--render", "convergence-loss", "--with", "along=time", "-o", folder.filePath("c.csv"),
                 recording.path()})
            .status == 0);
  CHECK(bytesOf(folder.filePath("c.csv")).startsWith("series,time since the first epoch [s],loss [nats]\n"));
}

TEST_CASE("without a number the last run that has what is drawn is taken, and is said", "[window]") {
  const SmallRecording recording(2, 3, /*runs=*/3);  // the first alone has epochs, spans and messages
  const QTemporaryDir folder;
  for (const char* figure :
       {"convergence-loss", "convergence-score", "timeline", "breakdown", "ledger", "volume"}) {
    CAPTURE(figure);
    const QString file = folder.filePath(QString(figure) + ".csv");
    const Outcome outcome = desktop({"--render", figure, "-o", file, recording.path()});
    CAPTURE(outcome.words.toStdString());
    CHECK(outcome.status == 0);
    CHECK(outcome.words.contains(QString("%1: drawn of run 1, synthetic / vanilla / workers=2").arg(figure)));
    CHECK(bytesOf(file).count('\n') > 1);
  }
  const QString file = folder.filePath("third.csv");
  CHECK(desktop({"--render", "convergence-loss", "--run", "3", "-o", file, recording.path()}).status == 0);
  CHECK(bytesOf(file).count('\n') == 1);
}

TEST_CASE("the run table as CSV is numbers, units in the headings, names whole", "[window]") {
  const SmallRecording recording(2, 3, /*runs=*/2);
  {
    Database database(recording.file(), Access::readWrite);
    RunRow run = *Runs(database).find(2);
    run.name = "=1+1";
    run.status = "failed";
    Runs(database).update(run);
    Runs(database).setLatest(
        2, {{"loss", std::nan("")}, {"epoch_seconds", 672e-9}, {"epoch_ns", 5}, {"peak_bytes", 3e9}});
  }
  const QTemporaryDir folder;
  const auto table = [&](const QStringList& more) {
    const QString file = folder.filePath("r.csv");
    CHECK(desktop(QStringList{"--render", "runs", "--force", "-o", file, recording.path()} + more).status ==
          0);
    const QByteArray bytes = bytesOf(file);
    return test::Csv(std::string_view(bytes.data(), at(bytes.size())));
  };
  const test::Csv runs = table({});
  CHECK(std::set<std::string>(runs.head().begin(), runs.head().end()).size() == runs.head().size());
  CHECK(runs.at(0, "name") == "synthetic / vanilla / workers=2");
  CHECK(runs.at(0, "status") == "completed");
  CHECK(runs.at(1, "status") == "failed");
  CHECK(runs.at(0, "epoch [s]") == "0.01");
  CHECK(runs.at(1, "epoch [s]") == "6.72e-07");
  CHECK(runs.at(1, "epoch [ns]") == "5");
  CHECK(runs.at(0, "epoch [ns]").empty());
  CHECK(runs.at(1, "peak [bytes]") == "3e+09");
  CHECK(runs.at(0, "loss") == "0.5");
  CHECK(runs.at(1, "loss") == "NaN");
  CHECK(runs.at(1, "name") == "=1+1");
  CHECK(table({"--for", "spreadsheet"}).at(1, "name") == "'=1+1");
  CHECK(
      desktop({"--render", "runs", "--for", "me", "-o", folder.filePath("x.csv"), recording.path()}).status ==
      2);
}

TEST_CASE("rendering says what is wrong and ends with its exit status", "[window]") {
  const SmallRecording recording(1, 1);
  const QTemporaryDir folder;
  const QString out = folder.filePath("a.svg");
  const auto fails = [&](int status, const char* word, const QStringList& arguments) {
    const Outcome outcome = desktop(arguments);
    CAPTURE(outcome.words.toStdString());
    CHECK(outcome.status == status);
    CHECK(outcome.words.contains(word));
  };
  fails(2, "no figure", {"--render", "brakdown", "--db", recording.path(), "-o", out});
  fails(2, "--output", {"--render", "breakdown", "--db", recording.path()});
  fails(2, "--size", {"--render", "breakdown", "--db", recording.path(), "-o", out, "--size", "1x1"});
  fails(2, "--theme", {"--render", "breakdown", "--db", recording.path(), "-o", out, "--theme", "green"});
  fails(2, "--with", {"--render", "breakdown", "--db", recording.path(), "-o", out, "--with", "a=b"});
  fails(2, "--run", {"--render", "breakdown", "--db", recording.path(), "-o", out, "--run", "x"});
  fails(2, "wrong-option", {"--wrong-option"});
  fails(2, "--run: goes with --render only", {"--run", "1", recording.path()});
  fails(2, "--output", {"-o", out, recording.path()});
  fails(2, "no run 99", {"--render", "breakdown", "--db", recording.path(), "-o", out, "--run", "99"});
  fails(4, "absent.db", {"--render", "breakdown", "--db", folder.filePath("absent.db"), "-o", out});
  CHECK_FALSE(QFile::exists(out));
}

TEST_CASE("the window takes a picture of itself", "[window]") {
  const SmallRecording recording(2, 4);
  const QTemporaryDir folder;
  const QString file = folder.filePath("window.png");
  const Outcome outcome =
      desktop({"--screenshot", file, "--size", "1280x800", "--theme", "light", recording.path()});
  CAPTURE(outcome.words.toStdString());
  REQUIRE(outcome.status == 0);
  const QImage picture(file);
  CHECK(picture.size() == QSize(1280, 800));
  CHECK(colorsIn(picture) > 20);
  // neither over what is there nor through a link, and never in half
  const QString target = folder.filePath("kept"), link = folder.filePath("link.png");
  QFile precious(target);
  REQUIRE((precious.open(QIODevice::WriteOnly) && precious.write("precious") == 8));
  precious.close();
  REQUIRE(QFile::link(target, link));
  const auto contents = [&] {
    QFile again(target);
    return again.open(QIODevice::ReadOnly) ? again.readAll() : QByteArray();
  };
  const Outcome refused = desktop({"--screenshot", link, recording.path()});
  CHECK(refused.status == 2);
  CHECK(refused.words.contains("exists already"));
  CHECK(contents() == "precious");
  CHECK(desktop({"--screenshot", link, "--force", recording.path()}).status == 0);
  CHECK(contents() == "precious");
  CHECK_FALSE(QFileInfo(link).isSymLink());
  const Outcome other = desktop({"--screenshot", folder.filePath("window.foo"), recording.path()});
  CHECK(other.status == 2);
  CHECK(other.words.contains("give it the ending .png"));
  const Outcome nowhere = desktop({"--screenshot", folder.filePath("no/such/folder.png"), recording.path()});
  CHECK(nowhere.status == 5);
  CHECK(nowhere.words.contains("cannot be written"));
}

TEST_CASE("the log beside a recording is no link that somebody planted, and no pipe", "[window]") {
  const QTemporaryDir folder;
  const QString log = folder.filePath("r.db.log"), target = folder.filePath("kept");
  RunRequest request;
  request.program = "/bin/true";
  request.log = log;
  noteInLog(log, "a line");
  CHECK(lastWords(log, 1) == "a line");
  CHECK(startRun(request) > 0);
  REQUIRE(QFile::remove(log));
  REQUIRE(QFile::link(target, log));
  CHECK_THROWS_AS(noteInLog(log, "a line"), EnvironmentError);
  CHECK_THROWS_AS(startRun(request), EnvironmentError);
  CHECK_FALSE(QFile::exists(target));
  REQUIRE(QFile::remove(log));
  REQUIRE(::mkfifo(log.toLocal8Bit().constData(), 0600) == 0);
  CHECK_THROWS_AS(noteInLog(log, "a line"), EnvironmentError);
  CHECK_THROWS_AS(startRun(request), EnvironmentError);
}
