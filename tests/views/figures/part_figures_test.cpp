// What figures draw of parts: the table, bars rank by rank, and exchanges over halo rows.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/csv.h"
#include "views/figures/figure_registry.h"

using namespace halo;

namespace {

/// A of four ranks and two runs, B of two ranks and one.
SceneData partsScene() {
  SceneData scene;
  for (int i = 0; i < 2; ++i) {
    ChipData chip;
    chip.chip.color = 3 + i;
    chip.name = i == 0 ? "#1–2 vanilla" : "#3 pipegcn";
    chip.runs.resize(i == 0 ? 2 : 1);
    scene.chips.push_back(chip);
    scene.compared.push_back(static_cast<std::size_t>(i));
    std::vector<PartsOfRun> runs;
    for (int r = 0; r < (i == 0 ? 2 : 1); ++r) {
      PartsOfRun& run = runs.emplace_back();
      run.run = 1 + 2 * i + r;
      for (int rank = 0; rank < (i == 0 ? 4 : 2); ++rank) {
        PartFigures& part = run.parts.emplace_back();
        part.vertices = 1'000, part.arcs = 70'000, part.boundary = 900;
        part.haloRows = 2'000 + 100 * rank;
        part.replication = 1 + part.haloRows / part.vertices;
        part.flop = 2e6;
        part.sentBytes = 4096, part.receivedBytes = 2048;
        part.computeNs = 3e6, part.waitNs = 1e6;
        part.exchangeNs = 1e6 + 1e3 * part.haloRows;
      }
    }
    scene.comparison.parts.push_back(partTable(std::move(runs)));
    scene.comparison.epochs.emplace_back().left.firsts = 1;
  }
  return scene;
}

Figure drawn(const std::string& name, const SceneData& scene, const Values& values = {}) {
  const RunsData none;
  return makeFigure(name, {none, {}, {}, &scene}, values);
}

}  // namespace

TEST_CASE("the table of parts has a row a chip and rank, and CSV its numbers with units", "[partfigure]") {
  const Figure figure = drawn("parts", partsScene());
  REQUIRE(figure.table.rows.size() == 6);
  CHECK(figure.title == "Parts · all epochs but the first");
  CHECK(figure.table.rows[0].mid(0, 3) == QStringList{"A", "0", "1\u202F000"});
  CHECK(figure.table.rows[5].mid(0, 2) == QStringList{"B", "1"});
  for (const QVariantList& row : figure.table.values) CHECK(row.size() == figure.table.headings.size());
  const test::Csv csv(toCsv(figure).toStdString());
  REQUIRE(csv.rows() == 6);
  CHECK(csv.at(3, "halo rows") == "2300");
  CHECK(csv.at(0, "sent [bytes]") == "4096");
  CHECK(csv.at(0, "received [bytes]") == "2048");
  CHECK(std::stod(csv.at(0, "computing [ns]")) == 3e6);
  CHECK(std::stod(csv.at(4, "exchange [ns]")) == 3e6);
  CHECK(csv.at(4, "chip") == "B  #3 pipegcn");
}

TEST_CASE("bars of parts stand side by side by rank, and none where a chip has fewer", "[partfigure]") {
  const SceneData scene = partsScene();
  const Figure rows = drawn("part-bars", scene);
  CHECK(rows.y.label() == "halo rows");
  CHECK(rows.x.categories == QStringList{"0", "1", "2", "3"});
  CHECK(toCsv(rows).contains("#3 pipegcn [halo rows]"));
  REQUIRE(rows.series.size() == 2);
  CHECK(rows.series[0].color == 3);
  CHECK(rows.series[0].y == std::vector<double>{2'000, 2'100, 2'200, 2'300});
  CHECK(std::isnan(rows.series[1].y[2]));
  const Figure time = drawn("part-bars", scene, {{"show", std::string("computing")}});
  CHECK(time.y.label() == "computing [ms]");
  CHECK(time.series[1].y[0] == Approx(3));
  const Figure bytes = drawn("part-bars", scene, {{"show", std::string("sent")}});
  CHECK(bytes.y.label() == "sent [KiB]");
  for (const char* show :
       {"vertices", "arcs", "boundary", "replication", "flop", "received", "waiting", "exchange"})
    CHECK_FALSE(drawn("part-bars", scene, {{"show", std::string(show)}}).empty());
}

TEST_CASE("exchanges over halo rows are points a run and rank, with a line and its R²", "[partfigure]") {
  const Figure figure = drawn("part-fit", partsScene());
  REQUIRE(figure.series.size() == 3);  // A, its line, and B, whose two points have none
  CHECK(figure.series[0].x.size() == 8);
  CHECK(figure.series[0].y[0] == Approx(3));  // ms
  CHECK_FALSE(figure.series[0].joined);
  CHECK(figure.series[1].joined);
  CHECK(figure.series[1].name.contains("R² 1.00, 8 points"));
  CHECK(figure.series[1].x == std::vector<double>{2'000, 2'300});
  CHECK(figure.series[1].y[1] == Approx(3.3));
  CHECK(figure.marks.join("").contains("no fit of B"));
}

TEST_CASE("figures of parts say why there is nothing", "[partfigure]") {
  SceneData scene = partsScene();
  for (PartTable& table : scene.comparison.parts)
    for (PartsOfRun& run : table.runs)
      for (PartFigures& part : run.parts) part.exchangeNs = std::nan("");
  CHECK(drawn("part-fit", scene).emptyReason.contains("recorded transfers"));
  scene.comparison.parts = {partTable({}), partTable({})};
  for (const char* name : {"parts", "part-bars", "part-fit"}) {
    CHECK(drawn(name, scene).empty());
    CHECK_FALSE(drawn(name, scene).emptyReason.isEmpty());
    const RunsData none;
    CHECK(makeFigure(name, {none, {}}).emptyReason.contains("press C"));
  }
}
