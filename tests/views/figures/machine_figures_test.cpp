// Figures of the machine: layers and engines of made chips, and what their buffers hold.
#include <catch2/catch.hpp>
#include <cmath>

#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

using namespace halo;

namespace {

/// A run on ranks, and a device of 500 MHz that simulates its aggregations.
SceneData ranksAndDevice() {
  SceneData scene;
  for (int i = 0; i < 2; ++i) {
    ChipData chip;
    chip.chip.color = i;
    chip.name = i == 0 ? "#1 vanilla ×2" : "#2 spu";
    chip.runs.resize(1);
    chip.modelled = i == 1;
    scene.chips.push_back(chip);
    scene.compared.push_back(static_cast<std::size_t>(i));
  }
  scene.comparison.epochs.resize(2);
  scene.comparison.layers = {
      {{{0, Pass::forward, 8'000, 500}, {0, Pass::backward, 6'000, 900}}, {}},
      {{{0,
         Pass::forward,
         2'000,
         LayerFigures::kNone,
         {{"spu: dram", 1'500, 500, Name::awaitAdders}, {"spu: adders", 2'000, 0, {}}}}},
       500}};
  scene.chips[0].latest = {{"memory_features_bytes", 3 << 20},
                           {"memory_activations_bytes", 1 << 20},
                           {"memory_history_bytes", 0},
                           {"peak_rss_bytes", 64 << 20}};
  return scene;
}

Figure drawn(const char* name, const SceneData& scene, const char* show = nullptr) {
  const RunsData none;
  Values values;
  if (show != nullptr) values["show"] = std::string(show);
  return makeFigure(name, {none, {}, {}, &scene}, values);
}

}  // namespace

TEST_CASE("layers of a run stand beside a device's, with the difference over them", "[machine]") {
  const SceneData scene = ranksAndDevice();
  const Figure times = drawn("layers", scene);
  CHECK(times.x.categories == QStringList{"layer 0\nforward", "layer 0\nbackward"});
  CHECK(times.y.unit == "µs");
  REQUIRE(times.series.size() == 2);
  CHECK(times.series[0].y == std::vector<double>{8, 6});
  CHECK(times.series[1].y[0] == 2);
  CHECK(std::isnan(times.series[1].y[1]));
  CHECK(times.series[1].outlined);
  CHECK(times.series[1].labels == std::vector<QString>{formatSignedNs(-6'000), ""});
  CHECK(times.series[1].labelValues[0] == -6);
  const Figure change = drawn("layers", scene, "aggregate-change");
  REQUIRE(change.series.size() == 1);
  CHECK(change.series[0].y[0] == -6);
  const Figure cycles = drawn("layers", scene, "aggregate-cycles");
  CHECK(cycles.y.unit == "cycles");
  CHECK(cycles.series[0].y[0] == Approx(4'000));  // 8 µs of 500 MHz
  CHECK(cycles.series[1].y[0] == Approx(1'000));
  const Figure update = drawn("layers", scene, "update");
  REQUIRE(update.series.size() == 1);  // devices update nothing
  CHECK(update.series[0].y == std::vector<double>{0.5, 0.9});
}

TEST_CASE("engines have a row each with their share of the layer", "[machine]") {
  const Figure engines = drawn("engines", ranksAndDevice());
  REQUIRE(engines.table.rows.size() == 2);
  const QStringList row{"B",
                        "0",
                        "forward",
                        "spu: dram",
                        formatNsOf(1'500, 3),
                        "750",
                        formatShare(0.75),
                        formatNsOf(500, 3),
                        "adders"};
  CHECK(engines.table.rows[0].join('|').toStdString() == row.join('|').toStdString());
  CHECK(engines.table.values[0][6].toDouble() == 0.75);
  CHECK(engines.table.rows[1].back() == "–");
  CHECK(toCsv(engines).contains("busy [cycles]"));
}

TEST_CASE("memory is stacked by what holds it, of the chips that recorded it", "[machine]") {
  const Figure memory = drawn("memory", ranksAndDevice());
  CHECK(memory.x.categories.size() == 1);
  CHECK(memory.y.unit == "MiB");
  REQUIRE(memory.series.size() == 2);  // what nobody holds is left out
  CHECK(memory.series[0].y == std::vector<double>{3});
  CHECK(memory.series[1].y == std::vector<double>{1});
  CHECK(memory.marks.join(' ').contains("largest process at most: A " + formatBytes(64 << 20)));
}

TEST_CASE("figures of the machine say why they are empty", "[machine]") {
  SceneData scene = ranksAndDevice();
  scene.comparison.layers = {{}, {}};
  scene.chips[0].latest.clear();
  for (const char* name : {"layers", "engines", "memory"}) {
    CAPTURE(name);
    const Figure figure = drawn(name, scene);
    CHECK(figure.empty());
    CHECK(figure.emptyReason.endsWith('.'));
    CHECK(makeFigure(name, {RunsData{}, {}, {}, nullptr}).empty());
  }
  scene.comparison.layers = {ranksAndDevice().comparison.layers[0], {}};
  CHECK(drawn("layers", scene, "aggregate-cycles").emptyReason.contains("no clock"));
  CHECK(drawn("layers", scene, "aggregate-change").emptyReason.contains("No other chip"));
}
