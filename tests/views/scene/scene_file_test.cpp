#include "views/scene/scene_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "engine/base/problem.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

SceneState everything() {
  SceneState state;
  state.name = "Überlappung \"zu viert\"";
  state.chips = {{"/data/runs/a.db", {3, 1}, 4}, {"/else/b.db", {7}, 0}};
  state.alignment = Alignment::layer;
  state.epoch = 12;
  state.layer = 1;
  state.accuracy = 0.8125;
  state.scope = FigureScope::visible;
  state.epochs = {5, 20};
  state.base = TimeBase::wall;
  state.lanes = OrderOfLanes::ranks;
  state.clock = TimeClock::wall;
  state.ranks = RankRule::node;
  state.chips[1].pinned = {0, 3};
  state.chips[0].notes = {{2, 1'234'567, "waits \"here\""}, {0, -5, "before"}};
  state.chips[1].notes = {{1, 0, "Anfang"}};
  return state;
}

std::string refusal(const std::string& text) {
  try {
    sceneOf(text, "/data/x.scene.toml");
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& problem : error.problems()) all += describe(problem) + "\n";
    return all;
  }
  return "";
}

}  // namespace

TEST_CASE("a scene is read back as it was written, and moves with its folder", "[scene]") {
  const std::string text = sceneText(everything(), "/data/x.scene.toml");
  CHECK(sceneOf(text, "/data/x.scene.toml") == everything());
  CHECK_THAT(text, Contains("recording = \"runs/a.db\"") && Contains("recording = \"/else/b.db\""));
  const SceneState moved = sceneOf(text, "/moved/x.scene.toml");
  CHECK(moved.chips[0].recording == "/moved/runs/a.db");
  CHECK(moved.chips[1].recording == "/else/b.db");
  CHECK(sceneOf("scene = 1\n", "/x.scene.toml") == SceneState{});
  const std::string two =
      "scene = 1\n[[chip]]\nrecording = \"a\"\nruns = [1]\n[[chip]]\nrecording = \"a\"\nruns = [2]\n";
  CHECK(sceneOf(two, "/x").chips.at(1).color == 1);
  for (const Alignment alignment : {Alignment::start, Alignment::epoch, Alignment::accuracy}) {
    SceneState state;
    state.alignment = alignment;
    CHECK(sceneOf(sceneText(state, "/x"), "/x") == state);
  }
}

TEST_CASE("a scope may have one end alone, and goes forward", "[scene]") {
  CHECK(sceneOf("scene = 1\nfirst_epoch = 0\n", "/x").epochs == Scope{0, {}});
  CHECK(sceneOf("scene = 1\nlast_epoch = 4\n", "/x").epochs == Scope{{}, 4});
  CHECK_THAT(refusal("scene = 1\nfirst_epoch = 5\nlast_epoch = 4\n"),
             Contains("last_epoch: is before first_epoch"));
}

TEST_CASE("what is wrong in a scene file is named with its place, all at once", "[scene]") {
  CHECK_THAT(refusal("scene = 2\n"), Contains("/data/x.scene.toml:1:9: scene: 2 cannot be used"));
  CHECK_THAT(refusal("name = \"x\"\n"), Contains("scene: missing"));
  CHECK_THAT(refusal("scene = 1\nalign = \"epoc\"\nbase = 3\n"),
             Contains(":2:9: align: 'epoc' cannot be used") && Contains(":3:8: base: 3 cannot be used"));
  CHECK_THAT(refusal("scene = 1\naccuracy = 1.5\n"), Contains("a number from 0 to 1"));
  CHECK_THAT(refusal("scene = 1\nlanes = \"rows\"\n"), Contains("lanes: 'rows' cannot be used"));
  CHECK_THAT(refusal("scene = 1\n[[chip]]\nrecording = \"a.db\"\nruns = [1]\npinned = [-1]\n"),
             Contains(":5:10: chip.pinned: cannot be used; a list of numbers of ranks"));
  const std::string noted = "scene = 1\n[[chip]]\nrecording = \"a.db\"\nruns = [1]\n";
  CHECK_THAT(refusal(noted + "[[chip.note]]\nrank = -1\n"),
             Contains("chip.note.rank: -1 cannot be used") && Contains("chip.note.text: missing"));
  CHECK_THAT(refusal(noted + "note = 3\n"), Contains("[[chip.note]] heads"));
  CHECK_THAT(refusal("scene = 1\nscop = \"epochs\"\n"), Contains("did you mean 'scope'"));
  CHECK_THAT(refusal("scene = 1\nchip = 3\n"), Contains("[[chip]] heads"));
  CHECK_THAT(refusal("scene = 1\n[[chip]]\n"),
             Contains("chip.recording: missing") && Contains("chip.runs: missing"));
  const std::string chip = "[[chip]]\nrecording = \"a.db\"\nruns = [1]\n";
  CHECK_THAT(refusal("scene = 1\n" + chip + chip), Contains("the same runs stand in two chips"));
  CHECK_THAT(refusal("scene = 1\n[[chip]]\nrecording = \"a.db\"\nruns = [1, 1, 0, 2.5]\n"),
             Contains(":4:12: chip.runs: 1 cannot be used") && Contains("0 cannot be used") &&
                 Contains("2.5 cannot be used"));
  std::string many = "scene = 1\n";
  for (int run = 1; run <= kMostChips + 1; ++run)
    many += "[[chip]]\nrecording = \"a.db\"\nruns = [" + std::to_string(run) +
            "]\ncolor = " + std::to_string(run % kMostChips) + "\n";
  CHECK_THAT(refusal(many), Contains("at most 8 configurations"));
  CHECK_THAT(refusal("scene = \n"), Contains(":1:"));
}

TEST_CASE("a scene file that cannot be written or read says why", "[scene]") {
  const Scratch scratch;
  const auto file = scratch / "x.scene.toml";
  writeScene(everything(), file);
  CHECK(readScene(file) == everything());
  CHECK_THROWS_AS(writeScene(everything(), scratch / "no" / "x.scene.toml"), EnvironmentError);
  CHECK_THROWS_AS(readScene(scratch / "absent.scene.toml"), InputError);
  CHECK_THROWS_AS(readScene(scratch.path()), InputError);
}
