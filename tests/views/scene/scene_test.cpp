#include "views/scene/scene.h"

#include <QSignalSpy>
#include <catch2/catch.hpp>
#include <set>

using namespace halo;

namespace {

QString letters(const Scene& scene) {
  QString all;
  for (const Chip& chip : scene.state().chips) all += QString::number(chip.runs.front());
  return all;
}

}  // namespace

TEST_CASE("chips keep their colours whatever comes and goes", "[scene]") {
  Scene scene;
  for (std::int64_t run = 1; run <= 3; ++run) CHECK(scene.add("/r.db", {run}));
  CHECK(letters(scene) == "123");
  scene.setBaseline(2);
  CHECK(letters(scene) == "312");
  CHECK(scene.state().chips[0].color == 2);
  scene.remove(1);
  CHECK(letters(scene) == "32");
  CHECK(scene.add("/r.db", {4}));  // takes the colour that is free
  CHECK(scene.state().chips[2].color == 0);
  CHECK(scene.placeOf("/r.db", {2}) == 1);
  CHECK(scene.placeOf("/other.db", {2}) == -1);
}

TEST_CASE("a configuration stands once in a scene, and there are as many as colours", "[scene]") {
  Scene scene;
  CHECK(scene.add("/r.db", {1, 2}));
  CHECK(scene.add("/r.db", {1, 2}));
  CHECK(scene.state().chips.size() == 1);
  CHECK(scene.undoStack().count() == 1);
  for (std::int64_t run = 3; run < 3 + kMostChips - 1; ++run) CHECK(scene.add("/r.db", {run}));
  CHECK_FALSE(scene.add("/r.db", {99}));
  CHECK(static_cast<int>(scene.state().chips.size()) == kMostChips);
  std::set<int> colors;
  for (const Chip& chip : scene.state().chips) colors.insert(chip.color);
  CHECK(static_cast<int>(colors.size()) == kMostChips);
}

TEST_CASE("every change of a scene is told, undone and done again", "[scene]") {
  Scene scene;
  const QSignalSpy changes(&scene, &Scene::changed);
  std::vector<SceneState> states = {scene.state()};
  const auto keep = [&] { states.push_back(scene.state()); };
  scene.add("/r.db", {1}), keep();
  scene.add("/s.db", {1}), keep();
  scene.setBaseline(1), keep();
  scene.setAlignment(Alignment::layer, 3, 1), keep();
  scene.setAccuracy(0.8), keep();
  scene.setScope(FigureScope::selection), keep();
  scene.setBase(TimeBase::wall), keep();
  scene.setName("two runs"), keep();
  scene.remove(0), keep();
  CHECK(changes.count() == static_cast<int>(states.size()) - 1);
  scene.setBase(TimeBase::wall);  // is so already
  CHECK(scene.undoStack().count() == static_cast<int>(states.size()) - 1);
  for (std::size_t i = states.size() - 1; i-- > 0;) {
    scene.undoStack().undo();
    CHECK(scene.state() == states[i]);
  }
  for (std::size_t i = 1; i < states.size(); ++i) {
    scene.undoStack().redo();
    CHECK(scene.state() == states[i]);
  }
  scene.load(states.front());
  CHECK_FALSE(scene.undoStack().canUndo());
}

TEST_CASE("a chip grows by runs of its configuration, and shrinks until it goes", "[scene]") {
  Scene scene;
  scene.add("/r.db", {1});
  scene.add("/r.db", {7});
  scene.setPinned(0, {2});
  const SceneState before = scene.state();
  CHECK(scene.add("/r.db", {1, 2, 3}));
  CHECK(scene.state().chips.size() == 2);
  CHECK(scene.state().chips[0].runs == std::vector<std::int64_t>{1, 2, 3});
  CHECK(scene.state().chips[0].color == before.chips[0].color);
  CHECK(scene.state().chips[0].pinned == std::set<std::int64_t>{2});
  scene.undoStack().undo();
  CHECK(scene.state() == before);
  CHECK(scene.add("/other.db", {1, 7}));  // of another recording
  CHECK(scene.state().chips.size() == 3);
  CHECK(scene.add("/r.db", {1, 7, 8}));  // both that are part of it become one
  CHECK(scene.state().chips.size() == 2);
  scene.removeRun("/r.db", 7);
  CHECK(scene.state().chips[0].runs == std::vector<std::int64_t>{1, 8});
  scene.removeRun("/r.db", 1);
  scene.removeRun("/r.db", 8);
  CHECK(scene.state().chips.size() == 1);
  const int steps = scene.undoStack().count();
  scene.removeRun("/r.db", 8);  // in no chip
  CHECK(scene.undoStack().count() == steps);
}
