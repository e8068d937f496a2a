// A run that goes on in the real window: how far it is, a pause, and a rank that is killed.
#include <signal.h>

#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>

#include "engine/record/tables/runs.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/descendants.h"
#include "views/timeline/timeline_view.h"

using namespace halo;

namespace {

constexpr int kPatienceMs = 60'000;

struct LiveWindow : TestWindow {
  TimelineCanvas& canvas;
  QLabel& progress;
  QLabel& banner;

  LiveWindow()
      : canvas(window.findChild<TimelineView*>()->canvas()),
        progress(*window.findChild<QLabel*>("progress")),
        banner(*window.findChild<QLabel*>("banner")) {
    canvas.setAnimated(false);
    window.openFile(experiment("long.toml", 1'000'000));
    REQUIRE(settle());
    window.startExperiment();
    REQUIRE(QTest::qWaitFor(
        [this] {
          return state() == "running" && shown<TimelineView>() && !canvas.places().places().empty() &&
                 progress.text().contains("time left");
        },
        kPatienceMs));
  }
  ~LiveWindow() {
    for (const RunRow& run : runs())
      if (run.status == "running") ::kill(static_cast<pid_t>(run.supervisorPid), SIGTERM);
    const bool over = QTest::qWaitFor([this] { return runs().back().status != "running"; }, kPatienceMs);
    CHECK(over);
  }
  std::vector<RunRow> runs() const {
    Database database(folder.filePath("recordings.db").toStdString(), Access::readOnly);
    return Runs(database).all();
  }
  std::pair<std::int64_t, std::int64_t> visible() {
    return {canvas.nsAt(canvas.lanes().left()), canvas.nsAt(canvas.lanes().right())};
  }
};

}  // namespace

TEST_CASE("a live run tells its epoch, rate and time left, and a pause draws nothing more",
          "[window][live]") {
  LiveWindow test;
  const QString words = QString(test.progress.text()).replace(QRegularExpression("[^\\x20-\\x7e]"), " ");
  CAPTURE(words.toStdString());
  CHECK(words.contains(QRegularExpression("^epoch [0-9 ]+ of 1 000 000, [0-9.]+ epochs/s, time left ")));
  CHECK(test.progress.isVisible());
  const auto buttons = test.window.findChild<QWidget*>("live")->findChildren<QToolButton*>();
  REQUIRE(buttons.size() == 2);
  CHECK(buttons[1]->text().contains("top"));

  buttons[0]->click();
  CHECK(test.banner.isVisible());
  CHECK(test.banner.text().contains("paused"));
  const auto visible = test.visible();
  const QImage picture = test.canvas.grab().toImage();
  const QString before = test.progress.text();
  REQUIRE(QTest::qWaitFor([&] { return test.progress.text() != before; }, kPatienceMs));  // it trains on
  waitForPolls(test);
  CHECK(test.visible() == visible);
  CHECK(test.canvas.grab().toImage() == picture);
  emit test.banner.linkActivated("resume");
  CHECK_FALSE(test.banner.isVisible());
  CHECK(QTest::qWaitFor([&] { return test.canvas.grab().toImage() != picture; }, kPatienceMs));
  buttons[1]->click();
  CHECK(QTest::qWaitFor([&] { return test.state() == "cancelled"; }, kPatienceMs));
  CHECK_FALSE(test.progress.isVisible());
}

TEST_CASE("a rank that is killed is told of above its lanes, and the view stays", "[window][live][flow]") {
  LiveWindow test;
  for (int i = 0; i < 4; ++i) test.canvas.perform(TimelineAction::zoomIn);
  const auto visible = test.visible();
  const pid_t worker = test::workerOfRank(1, static_cast<pid_t>(test.runs().back().supervisorPid));
  REQUIRE(worker > 0);
  REQUIRE(::kill(worker, SIGKILL) == 0);
  REQUIRE(QTest::qWaitFor([&] { return test.state() == "failed" && test.window.settled(); }, kPatienceMs));
  CAPTURE(test.banner.text().toStdString());
  CHECK(test.banner.isVisible());
  CHECK(test.banner.text().contains("rank 1"));
  CHECK(test.canvas.badges().has(1));
  CHECK_FALSE(test.canvas.badges().has(0));
  waitForPolls(test);
  CHECK(test.visible() == visible);
  CHECK(test.shown<TimelineView>() != nullptr);
}
