#pragma once

#include <catch2/catch.hpp>

#include "views/figures/figure_registry.h"

namespace halo {

/// Two chips with two seeds each, and their numbers as given.
inline SceneData twoChips(std::int64_t ranksOfB = 2) {
  SceneData scene;
  for (int i = 0; i < 2; ++i) {
    ChipData chip;
    chip.chip.color = 3 + i;
    chip.name = i == 0 ? "#1–2 vanilla" : "#3–4 pipegcn";
    chip.runs.resize(2);
    scene.chips.push_back(chip);
    scene.compared.push_back(static_cast<std::size_t>(i));
  }
  Comparison& all = scene.comparison;
  all.epochs.resize(2);
  all.score = Score::valid;
  all.accuracy = 0.8;
  for (int i = 0; i < 2; ++i) {
    ToAccuracy& to = all.reached.emplace_back();
    to.runs = {{1 + 2 * i, Reached{3, 1.0 + i, 2.0, 4096}}, {2 + 2 * i, Reached{3, 1.0 + i, 2.0, 4096}}};
    LearningCurve curve;
    for (std::int64_t e = 0; e < 4; ++e) {
      const auto at = static_cast<double>(e + 1);
      curve.epochs.push_back({e, at * (1 + i), at * 3, at * 2048, 0.2 * at, 0.2 * at - 0.1, 0.2 * at + 0.1});
    }
    curve.best = BestScore{0.8, 4.0 * (1 + i), 12, 8192};
    all.learning.push_back(curve);
    Traffic traffic;
    traffic.ranks = i == 0 ? 2 : ranksOfB;
    traffic.places[{0, Pass::forward, 0, 1}] = {1024.0 * (1 + i), 4, 1024.0};
    traffic.places[{1, Pass::backward, 1, 0}] = {3072, 4, 3072};
    traffic.counted = {4096 + 1024.0 * i, 8, 4096};
    all.traffic.push_back(traffic);
  }
  all.staleness = {{{1, Pass::forward, {{0, 0.0}, {10, 0.0}}}}, {{1, Pass::forward, {{0, 0.5}, {10, 0.25}}}}};
  Wait wire{{1, 0, Name::waitsWire},
            {{4'000, 1'000, 0.1, 0.08}, {0, 0, 0, 0}},
            {std::nullopt, WaitChange{-1'000, {}}}};
  Wait sum{{-1, -1, Name::waitsBarrierOrSum},
           {{800, 200, 0.02, 0.02}, {1'600, 400, 0.04, 0.03}},
           {std::nullopt, WaitChange{200, Interval{-10, 410}}}};
  all.waits = {{wire, sum}, {{4'800, 1'200, 0.12, 0.1}, {1'600, 400, 0.04, 0.03}}};
  return scene;
}

/// Their epochs as well, which the second makes longer, though perhaps by chance.
inline SceneData changedChips() {
  SceneData scene = twoChips();
  scene.comparison.epochs = {{{19, 20}, 20e6, 20e6, Interval{19e6, 21e6}}, {{20}, 25e6, 24e6, {}}};
  Change& change = scene.comparison.changes.emplace_back();
  change.sameData = true;
  change.deltaNs = 5e6;
  change.interval = Interval{-1e6, 11e6};
  for (ChipData& chip : scene.chips) chip.latest = {{"bytes_per_epoch", 4096}};
  return scene;
}

inline Figure drawn(const std::string& name, const SceneData& scene, const Values& values = {}) {
  const RunsData none;
  return makeFigure(name, {none, {}, {}, &scene}, values);
}

inline Values chosen(const char* key, const char* value) {
  Values values;
  values[key] = std::string(value);
  return values;
}

inline QString cell(const Figure& figure, std::size_t row, const QString& column) {
  const qsizetype at = figure.table.columns.indexOf(column);
  REQUIRE(at >= 0);
  return figure.table.rows.at(row).at(at);
}

}  // namespace halo
