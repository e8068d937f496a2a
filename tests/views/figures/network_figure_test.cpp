// Epochs on real hosts beside emulated and simulated ones.
#include <catch2/catch.hpp>

#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"
#include "tests/support/small_recording.h"
#include "tests/views/figures/compared_figures_fixture.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_writers.h"

using namespace halo;

namespace {

using Parameters = std::map<std::string, std::string>;

/// Runs of methods on two workers, on hosts, emulated and simulated.
struct Networks : ComparedRuns {
  RunRow& addRun(const char* kind, const char* method, double seconds, Parameters own, double bytes = 0) {
    std::map<std::string, double> latest = {{"epoch_seconds", seconds}, {"mean_epoch_seconds", seconds / 2}};
    if (bytes > 0) latest["wire_bytes_per_epoch"] = bytes;
    RunRow& run = add(kind, method, 2, latest, "");
    own.emplace("training.seed", "1");
    own.emplace("model.layers", "2");
    data.parameters[run.id] = std::move(own);
    return run;
  }
  RunRow& hosts(const char* method, double seconds, const char* gbit = "0.4", Parameters own = {}) {
    own["cluster.wire.bandwidth_gbit"] = gbit;
    own["cluster.hosts"] = "[\"a:1\", \"b:1\"]";
    own["run.method"] = method;
    return addRun("training", method, seconds, std::move(own), 5e6);
  }
  RunRow& emulated(const char* method, double seconds, const char* gbit = "0.4", Parameters own = {}) {
    own["cluster.link"] = "{}";
    own["cluster.link.bandwidth_gbit"] = gbit;
    own["run.method"] = method;
    return addRun("training", method, seconds, std::move(own), 10e6);
  }
  RunRow& simulated(const char* method, double seconds, const char* gbPerS = "0.05", Parameters own = {}) {
    own["simulate.cluster"] = "\"emulated-10gbe\"";
    own["machine.gb_per_s"] = gbPerS;
    return addRun("simulation", method, seconds, std::move(own));
  }
};

/// A cell by its heading in the CSV form.
QVariant cell(const Figure& figure, std::size_t row, const char* heading) {
  const qsizetype column = figure.table.headings.indexOf(heading);
  REQUIRE(column >= 0);
  REQUIRE(row < figure.table.values.size());
  return figure.table.values[row][column];
}

}  // namespace

TEST_CASE("what only goes with the bandwidth is no variant, and the line below names it", "[compared]") {
  Networks runs;
  for (const auto& [gbit, epochs] : {std::pair("0.1", "10"), {"0.4", "14"}})
    for (const char* overlap : {"none", "central"})
      runs.hosts("vanilla", 0.2, gbit, {{"training.epochs", epochs}, {"run.overlap", overlap}});
  runs.hosts("sancus", 0.2);
  runs.emulated("sancus", 0.3);
  runs.simulated("sancus", 0.3, "0.05", {{"result.unlike_epochs", "2"}});
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 5);
  CHECK(cell(figure, 4, "within 10 %") == "no: both");
  CHECK(figure.table.rows[0][1] == "overlap=none");
  CHECK(figure.table.rows[1][1] == "overlap=central");
  CHECK(figure.table.note.contains("not the same in all rows of a method: epochs"));
  CHECK(figure.table.note.contains("mean epochs of sancus, of others the median"));
}

TEST_CASE("variants of a run are told apart though their network was measured anew before each",
          "[compared]") {
  Networks runs;
  runs.hosts("vanilla", 0.2, "0.40", {{"run.overlap", "none"}});
  runs.hosts("vanilla", 0.2, "0.38", {{"run.overlap", "central"}});
  runs.hosts("vanilla", 0.2, "0.20", {{"run.overlap", "central"}});  // another network, with one variant
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 3);
  CHECK(figure.table.rows[0][1] == "");
  CHECK(figure.table.rows[1][1] == "overlap=central");
  CHECK(figure.table.rows[2][1] == "overlap=none");
  CHECK_FALSE(figure.table.note.contains("not the same in all rows"));
}

TEST_CASE("a row holds an emulated and a simulated epoch against that on hosts", "[compared]") {
  Networks runs;
  runs.emulated("vanilla", 0.21);
  runs.simulated("vanilla", 0.23);
  runs.hosts("vanilla", 0.2, "0.39");
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 1);
  CHECK(figure.table.rows[0] == QStringList{"vanilla", "", "2", "1", "0.390", "200.0", "210.0", "230.0",
                                            "102.6", "1.05", "1.15", "no: simulated"});
  CHECK(figure.table.columns[5] == "measured [ms]");
  CHECK(cell(figure, 0, "bandwidth [Gbit/s]").toDouble() == Approx(0.39));
  CHECK(cell(figure, 0, "emulated bandwidth [Gbit/s]").toDouble() == Approx(0.4));
  CHECK(cell(figure, 0, "measured [s]").toDouble() == Approx(0.2));
  CHECK(cell(figure, 0, "measured runs").toDouble() == Approx(1));
  CHECK(cell(figure, 0, "least of the wire [s]").toDouble() == Approx(5e6 * 8 / 0.39e9));
  CHECK(cell(figure, 0, "within 10 %").toString() == "no: simulated");
  CHECK(figure.table.note.startsWith("0 of 1 rows within 10 %"));
  CHECK(toCsv(figure).startsWith("method,variant,workers,ranks a host,bandwidth [Gbit/s],"));
}

TEST_CASE("repeats and rounds of a configuration count as the median of their medians", "[compared]") {
  Networks runs;
  for (const double seconds : {0.5, 0.2, 0.21}) runs.hosts("vanilla", seconds);
  runs.hosts("vanilla", 0.22, "0.4", {{"training.seed", "2"}});
  runs.emulated("vanilla", 0.2);
  runs.emulated("vanilla", 0.22);
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 1);
  CHECK(cell(figure, 0, "measured [s]").toDouble() == Approx(0.215));
  CHECK(cell(figure, 0, "measured runs").toDouble() == Approx(4));
  CHECK(cell(figure, 0, "emulated [s]").toDouble() == Approx(0.21));
  CHECK(figure.table.rows[0][5] == "215.0 (4)");
  CHECK(figure.table.rows[0][6] == "210.0 (2)");
  CHECK(figure.table.note.startsWith("1 of 1 rows within 10 %"));
}

TEST_CASE("configurations have rows of their own, named by what sets them apart", "[compared]") {
  Networks runs;
  for (const char* gbit : {"0.4", "0.1"})
    for (const char* overlap : {"\"none\"", "\"central\""}) {
      runs.emulated("vanilla", 0.2, gbit, {{"run.overlap", overlap}});
      runs.hosts("vanilla", 0.2, gbit, {{"run.overlap", overlap}});
    }
  runs.hosts("bns", 0.2, "0.1");
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 5);
  CHECK(figure.table.rows[0].mid(0, 5) == QStringList{"vanilla", "overlap=none", "2", "1", "0.100"});
  CHECK(figure.table.rows[1].mid(0, 5) == QStringList{"vanilla", "overlap=central", "2", "1", "0.100"});
  CHECK(figure.table.rows[2][0] == "bns");
  CHECK(figure.table.rows[2].mid(6) == QStringList{"–", "–", "400.0", "–", "–", "–"});
  CHECK(figure.table.rows[4][4] == "0.400");
  CHECK(figure.table.note.startsWith("4 of 4 rows within 10 %"));
  CHECK(figure.table.note.contains("2 workers"));
  CHECK(figure.table.note.contains("1 rank a host"));
  CHECK_FALSE(std::ranges::count(figure.table.shown, 2));  // which is said below
}

TEST_CASE("the nearest link stands for a wire, and none beyond 10 %", "[compared]") {
  Networks runs;
  runs.emulated("vanilla", 0.1, "0.42");
  runs.emulated("vanilla", 0.2, "0.39");
  runs.emulated("vanilla", 0.3, "0.3");
  runs.hosts("vanilla", 0.2, "0.4");
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 1);  // others emulate no wire here, and nothing simulates them
  CHECK(cell(figure, 0, "emulated bandwidth [Gbit/s]").toDouble() == Approx(0.39));
  CHECK(cell(figure, 0, "emulated [s]").toDouble() == Approx(0.2));
}

TEST_CASE("rounds, each with the network as it was measured before it, are one row", "[compared]") {
  Networks runs;
  for (const auto& [gbit, seconds] : {std::pair("0.4", 0.2), {"0.38", 0.22}, {"0.39", 0.21}}) {
    runs.emulated("vanilla", seconds + 0.01, gbit);
    runs.hosts("vanilla", seconds, gbit);
  }
  runs.simulated("vanilla", 0.2, "0.04875");  // of the last
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 1);
  CHECK(cell(figure, 0, "measured [s]").toDouble() == Approx(0.21));
  CHECK(cell(figure, 0, "measured runs").toDouble() == Approx(3));
  CHECK(cell(figure, 0, "emulated [s]").toDouble() == Approx(0.22));
  CHECK(cell(figure, 0, "emulated runs").toDouble() == Approx(3));
  CHECK(cell(figure, 0, "simulated [s]").toDouble() == Approx(0.2));
  CHECK(cell(figure, 0, "bandwidth [Gbit/s]").toDouble() == Approx(0.39));
  CHECK(cell(figure, 0, "least of the wire [s]").toDouble() == Approx(5e6 * 8 / 0.39e9));
}

TEST_CASE("where the simulation is a mean of unlike epochs, so are the others", "[compared]") {
  Networks runs;
  runs.emulated("sancus", 0.2);
  runs.hosts("sancus", 0.2);
  runs.simulated("sancus", 0.1, "0.05", {{"result.unlike_epochs", "2"}});
  const Figure figure = figureOf("network", runs);
  CHECK(cell(figure, 0, "measured [s]").toDouble() == Approx(0.1));
  CHECK(cell(figure, 0, "emulated [s]").toDouble() == Approx(0.1));
  CHECK(cell(figure, 0, "within 10 %").toString() == "yes");
}

TEST_CASE("an epoch that is too short for its bytes is marked, and the line below says why", "[compared]") {
  Networks runs;  // hosts: 5 MB an epoch, 100 ms at 0.4 Gbit/s; emulated: 10 MB, 200 ms
  runs.hosts("pipegcn", 0.09);
  runs.hosts("pipegcn", 0.09);
  runs.emulated("pipegcn", 0.21);
  runs.simulated("pipegcn", 0.19);
  runs.hosts("vanilla", 0.1);              // just what they take
  runs.emulated("vanilla", 0.19, "0.43");  // less than 200 ms, and enough at this bandwidth
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 2);
  CHECK(figure.table.rows[0].mid(5, 4) == QStringList{"90.00↓ (2)", "210.0", "190.0↓", "100.0"});
  CHECK(cell(figure, 0, "measured [s]").toDouble() == Approx(0.09));
  CHECK(cell(figure, 0, "below the least of the wire") == "measured, simulated");
  CHECK(figure.table.rows[1].mid(5, 2) == QStringList{"100.0", "190.0"});
  CHECK(cell(figure, 1, "below the least of the wire") == "");
  CHECK(figure.table.note.contains("↓: less than that at its own bandwidth; its messages pile up"));
  Networks sound;
  sound.hosts("vanilla", 0.2);
  CHECK_FALSE(figureOf("network", sound).table.note.contains("↓"));
}

TEST_CASE("a simulated epoch is held against the bytes on its own link, not on those of other rounds",
          "[compared]") {
  const auto [seconds, below] = GENERATE(table<double, const char*>({{0.2, ""}, {0.19, "simulated"}}));
  Networks runs;
  for (const char* gbit : {"0.38", "0.39", "0.41"}) {
    runs.hosts("vanilla", 0.3, gbit);
    runs.emulated("vanilla", 0.3, gbit);
  }
  runs.simulated("vanilla", seconds, "0.05125");  // 10 MB take 195 ms there, and 205 at 0.39 Gbit/s
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 1);
  CHECK(cell(figure, 0, "below the least of the wire") == below);
}

TEST_CASE("before a run on hosts an emulated epoch stands beside its simulation", "[compared]") {
  Networks runs;
  runs.emulated("vanilla", 0.2);
  CHECK(figureOf("network", runs).empty());
  CHECK(figureOf("network", runs).emptyReason.contains("network-truth.toml"));
  runs.simulated("vanilla", 0.1);
  runs.simulated("vanilla", 0.1, "0.0125");  // of another link
  const Figure figure = figureOf("network", runs);
  REQUIRE(figure.table.rows.size() == 1);
  CHECK(figure.table.rows[0].mid(5) == QStringList{"–", "200.0", "100.0↓", "200.0", "–", "–", "–"});
  CHECK(figure.table.note.startsWith("nothing to hold against a run on real hosts yet"));
  CHECK(figureOf("network", runs, nullptr, {1}).empty());  // chosen without its simulation
}

TEST_CASE("a table that is to be seen whole is as high as its rows need", "[figure]") {
  Figure figure;
  figure.form = FigureForm::table;
  figure.table.columns = QStringList{"a", "b"};
  for (int row = 0; row < 60; ++row) figure.table.rows.push_back({QString::number(row), "x"});
  FigureStyle style;
  CHECK(neededHeight(figure, style) == 0);
  figure.table.showsAllRows = true;
  figure.table.note = "a note";
  CHECK(neededHeight(figure, style) >= 60 * style.fontSize * 1.5);
  CHECK(toSvg(figure, roomyStyle(figure, style)).contains(">59<"));
  CHECK_FALSE(toSvg(figure, roomyStyle(figure, style)).contains("more row"));
  CHECK(toSvg(figure, style).contains("more row"));
}

TEST_CASE("a run on hosts is drawn from its recording without any simulation there", "[figure]") {
  const SmallRecording recording(2, 4);
  {
    Database database(recording.file(), Access::readWrite);
    Runs(database).setParameters(
        1, {{"cluster.wire.bandwidth_gbit", "0.4"}, {"cluster.hosts", "[\"a\", \"b\"]"}});
  }
  Database database(recording.file(), Access::readOnly);
  const RunsData all = readRuns(database);
  const Figure figure = makeFigure("network", {all, {}});
  REQUIRE(figure.table.rows.size() == 1);
  CHECK(figure.table.rows[0][5] == "10.00");
}
