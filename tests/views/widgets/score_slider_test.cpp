#include "views/widgets/score_slider.h"

#include <QSlider>
#include <QTest>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

/// Two chips of a run each; the second never got to 0.8.
SceneData learned() {
  SceneData data;
  data.chips.resize(2);
  data.compared = {0, 1};
  data.comparison.score = Score::valid;
  data.comparison.accuracy = 0.8;
  data.comparison.learning.resize(2);
  for (std::size_t chip = 0; chip < 2; ++chip) {
    LearningCurve& curve = data.comparison.learning[chip];
    for (const double score : {0.3, chip == 0 ? 0.9 : 0.7}) {
      LearnedEpoch epoch;
      epoch.score = score;
      curve.epochs.push_back(epoch);
      curve.best = BestScore{score, 1, 1, 1};
    }
  }
  data.comparison.reached.resize(2);
  data.comparison.reached[0].runs.push_back({1, Reached{3, 2.0, 5.0, 1024}});
  data.comparison.reached[1].runs.push_back({2, std::nullopt});
  return data;
}

QString plain(QString text) { return text.replace(QChar(0x00A0), QChar(0x20)); }

}  // namespace

TEST_CASE("a slider of the score tells what each chip took to it, in the time of the scene",
          "[views][learning]") {
  Scene scene;
  ScoreSlider slider(scene);
  SceneData data = learned();
  slider.show(data);
  CHECK(slider.hasScores());
  CHECK(plain(slider.words()) == "to 0.8000: A 2.00 s, 1.00 KiB · B never there");
  data.state.base = TimeBase::wall;
  CHECK(plain(reachedText(data)) == "to 0.8000: A 5.00 s, 1.00 KiB · B never there");
  data.comparison.reached[0].runs.push_back({3, Reached{9, 4.0, 9.0, 3072}});
  CHECK(plain(reachedText(data)) == "to 0.8000: A 7.00 s, 2.00 KiB · B never there");  // means
  slider.show(SceneData{});
  CHECK_FALSE(slider.hasScores());
  CHECK(slider.words().isEmpty());
}

TEST_CASE("the scene takes the score where the slider rests, as one step to undo", "[views][learning]") {
  Scene scene;
  ScoreSlider slider(scene);
  slider.show(learned());
  auto* handle = slider.findChild<QSlider*>();
  CHECK(handle->value() == Approx(1000 * 0.5 / 0.6).margin(1));
  handle->setSliderDown(true);
  for (const int place : {100, 300, 500}) handle->setValue(place);
  CHECK_FALSE(scene.state().accuracy.has_value());
  CHECK(slider.words().startsWith("to 0.6"));
  slider.show(learned());  // as it is read meanwhile
  CHECK(handle->value() == 500);
  handle->setSliderDown(false);
  CHECK(scene.state().accuracy.value() == Approx(0.6));
  CHECK(scene.undoStack().count() == 1);
  handle->setValue(1000);  // by a key
  REQUIRE(QTest::qWaitFor([&] { return scene.state().accuracy == 0.9; }, 20'000));
  scene.undoStack().undo();
  CHECK(scene.state().accuracy.value() == Approx(0.6));
}
