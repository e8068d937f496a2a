#include "views/scene/chip_bar.h"

#include <QApplication>
#include <QFrame>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "tests/support/small_recording.h"
#include "views/scene/fairness_note.h"

using namespace halo;

namespace {

struct Bar {
  Scene scene;
  ChipBar bar{scene};

  Bar() { bar.resize(1800, 60); }
  SceneData data(std::size_t chips, std::vector<Objection> objections) {
    SceneData data;
    data.chips.resize(chips);
    for (std::size_t chip = 0; chip < chips; ++chip) {
      data.chips[chip].chip = {"/r.db", {static_cast<std::int64_t>(chip)}, static_cast<int>(chip)};
      data.chips[chip].name = "#" + QString::number(chip) + " a method with a name of some length";
    }
    data.fairness = std::move(objections);
    return data;
  }
  void show(const SceneData& data) {
    bar.show(data);
    bar.resize(bar.width(), bar.sizeHint().height());
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QApplication::processEvents();
  }
  QPushButton& fairness() { return *bar.findChild<QPushButton*>("fairness"); }
  FairnessNote& note() { return *bar.findChild<FairnessNote*>(); }
};

const std::vector<Objection> kTwo = {
    {"training.evaluate_every", "runs differ in training.evaluate_every: 1 | 5"},
    {"training.seed", "runs differ in training.seed: 1 | 2"}};

}  // namespace

TEST_CASE("what is not alike opens why it matters, by mouse and by keyboard", "[scene]") {
  Bar test;
  test.show(test.data(2, kTwo));
  REQUIRE(test.fairness().isVisible());
  CHECK(test.fairness().text().contains("Not alike: runs differ in training.evaluate_every"));
  CHECK(test.fairness().focusPolicy() & Qt::TabFocus);
  CHECK(test.fairness().accessibleName().contains("training.seed"));
  QTest::mouseClick(&test.fairness(), Qt::LeftButton);
  REQUIRE(test.note().isVisible());
  for (const Objection& each : kTwo) {
    CHECK(test.note().text().contains(QString::fromStdString(each.sentence).mid(1)));
    CHECK(test.note().text().contains(QString::fromStdString(whyItMatters(each.setting))));
  }
  QTest::keyClick(&test.note(), Qt::Key_Escape);
  CHECK_FALSE(test.note().isVisible());
  QTest::keyClick(&test.fairness(), Qt::Key_Space);
  CHECK(test.note().isVisible());
}

TEST_CASE("an open note follows what is compared, and goes where all is alike", "[scene]") {
  Bar test;
  test.show(test.data(2, kTwo));
  test.fairness().click();
  test.show(test.data(3, {{"status", "run 2 is failed"}}));
  CHECK(test.note().text().contains("un 2 is failed"));
  CHECK_FALSE(test.note().text().contains("training.seed"));
  test.show(test.data(2, {}));
  CHECK_FALSE(test.note().isVisible());
  CHECK_FALSE(test.fairness().isVisible());
  test.show(SceneData{});
  CHECK_FALSE(test.bar.isVisible());
}

TEST_CASE("chips and what is not alike share one row, however many and narrow", "[scene]") {
  Bar test;
  test.show(test.data(2, {}));
  const int high = test.bar.sizeHint().height();
  for (const int width : {1600, 1000, 760, 640})
    for (const std::size_t chips : {1u, 2u, 3u, 5u}) {
      if (width < 200 * static_cast<int>(chips)) continue;  // letters, swatches and crosses take that
      test.bar.resize(width, high);
      test.show(test.data(chips, kTwo));
      CAPTURE(width, chips);
      CHECK(test.bar.sizeHint().height() == high);
      int right = 0;
      for (const auto* frame : test.bar.findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly)) {
        CHECK(frame->geometry().left() >= right);  // none covers another
        right = frame->geometry().right() + 1;
      }
      CHECK(test.fairness().geometry().left() >= right);
      CHECK(test.fairness().geometry().right() < width);
    }
}

TEST_CASE("two runs of unlike evaluation, seed, precision and order are told apart in the strip and its note",
          "[scene]") {
  const SmallRecording recording(2, 3, 2);
  const std::string longName(300, 'x');
  {
    Database database(recording.file(), Access::readWrite);
    Runs runs(database);
    const auto set = [&](std::int64_t run, const char* evaluate, const char* order, const char* bytes,
                         const std::string& split) {
      runs.setParameters(run, {{"training.evaluate_every", evaluate},
                               {"model.order", order},
                               {"result.element_bytes", bytes},
                               {"dataset.split", split}});
    };
    database.execute("UPDATE run SET seed = id");
    set(1, "1", "\"aggregate-first\"", "4", "\"random\"");
    set(2, "5", "\"update-first\"", "8", '"' + longName + '"');
  }
  SceneState state;
  state.chips = {{recording.path(), {1}, 0}, {recording.path(), {2}, 1}};
  const SceneData data = readSceneData(state);
  std::vector<std::string> settings;
  for (const Objection& each : data.fairness) settings.push_back(each.setting);
  CAPTURE(settings);
  for (const char* setting :
       {"training.evaluate_every", "training.seed", "model.order", "the bytes of a number", "dataset.split"})
    CHECK(std::ranges::count(settings, setting) == 1);

  Bar test;
  for (const int width : {1800, 1000, 640}) {
    test.bar.resize(width, 60);
    test.show(data);
    CAPTURE(width, test.fairness().text().toStdString());
    REQUIRE(test.fairness().isVisible());
    CHECK(test.fairness().text().contains("ot alike"));
    CHECK(test.fairness().geometry().right() < width);
    CHECK(test.fairness().fontMetrics().horizontalAdvance(test.fairness().text()) <= test.fairness().width());
    for (const char* each : {"training.evaluate_every: 1 | 5", "training.seed: 1 | 2", "model.order",
                             "the bytes of a number: 4 | 8"})
      CHECK(test.fairness().toolTip().contains(each));
    CHECK(test.fairness().toolTip().contains(QString::fromStdString(longName)));
  }
  test.fairness().click();
  for (const Objection& each : data.fairness)
    CHECK(test.note().text().contains(QString::fromStdString(whyItMatters(each.setting))));
  CHECK(test.note().text().contains(QString::fromStdString(longName)));
}
