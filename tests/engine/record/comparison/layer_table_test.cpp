// What layers take, by rows of ranks and by spans of simulations, against numbers worked out by hand.
#include "engine/record/comparison/layer_table.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "engine/record/comparison/comparison.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

LayerRow rowOf(std::int64_t epoch, std::int64_t rank, std::int64_t layer, Pass pass, std::int64_t aggregate,
               std::int64_t update) {
  LayerRow row;
  row.epoch = epoch, row.rank = rank, row.layer = layer, row.pass = pass;
  row.aggregateNs = aggregate, row.updateNs = update;
  return row;
}

Span spanOf(std::int64_t begin, std::int64_t length, Name name, Kind kind, std::int16_t layer, Pass pass) {
  Span span;
  span.beginNs = begin, span.durationNs = length, span.name = name, span.kind = kind;
  span.layer = layer, span.pass = pass, span.lane = Lane::main;
  return span;
}

RunRow simulation(Database& database, std::int64_t lanes) {
  RunRow row;
  row.kind = "simulation", row.method = "made", row.dataset = "made", row.model = "gcn";
  row.workers = lanes, row.status = "completed";
  row.id = Runs(database).add(row);
  return row;
}

}  // namespace

TEST_CASE("a layer takes what its slowest rank takes, in the mean of the epochs in scope", "[layers]") {
  const std::vector<LayerRow> rows = {
      rowOf(0, 0, 0, Pass::forward, 9'000, 9'000),  // out of scope
      rowOf(1, 0, 0, Pass::forward, 100, 40),      rowOf(2, 0, 0, Pass::forward, 300, 60),
      rowOf(1, 1, 0, Pass::forward, 150, 10),      rowOf(2, 1, 0, Pass::forward, 150, 10),
      rowOf(1, 0, 0, Pass::backward, 70, 0),       rowOf(2, 1, 0, Pass::backward, 90, 0),
      rowOf(1, 0, -1, Pass::none, 5'000, 5'000)};  // outside the layers
  std::vector<EpochRow> scope(2);
  scope[0].epoch = 1, scope[1].epoch = 2;
  const LayerTable table = layersByRows(rows, scope);
  REQUIRE(table.layers.size() == 2);
  CHECK(table.layers[0].pass == Pass::forward);
  CHECK(table.layers[0].aggregateNs == 200);  // rank 0: (100 + 300) ÷ 2; rank 1: 150
  CHECK(table.layers[0].updateNs == 50);
  CHECK(table.layers[1].pass == Pass::backward);
  CHECK(table.layers[1].aggregateNs == 45);  // rank 1: (0 + 90) ÷ 2
  CHECK(layersByRows(rows, {}).layers.empty());
}

TEST_CASE("coding and parameters of codes of a layer are the means of the ranks and epochs in scope",
          "[layers]") {
  std::vector<LayerRow> rows = {
      rowOf(0, 0, 0, Pass::forward, 0, 0),  rowOf(1, 0, 0, Pass::forward, 0, 0),
      rowOf(2, 0, 0, Pass::forward, 0, 0),  rowOf(1, 1, 0, Pass::forward, 0, 0),
      rowOf(1, 0, 1, Pass::backward, 0, 0), rowOf(1, 2, -1, Pass::none, 0, 0)};  // a third rank
  rows[0].quantiseNs = 9'000;                                                    // out of scope
  rows[1].quantiseNs = 100, rows[1].quantiseBytes = 16;
  rows[2].quantiseNs = 300, rows[2].quantiseBytes = 16;
  rows[3].quantiseNs = 200, rows[3].quantiseBytes = 4;
  std::vector<EpochRow> scope(2);
  scope[0].epoch = 1, scope[1].epoch = 2;
  const LayerTable table = layersByRows(rows, scope);
  REQUIRE(table.layers.size() == 2);
  CHECK(table.layers[0].quantiseNs == Approx(100));   // 600 ÷ 3 ranks ÷ 2 epochs
  CHECK(table.layers[0].quantiseBytes == Approx(6));  // 36 ÷ 6
  CHECK(table.layers[1].quantiseNs == 0);
  LayerTable other = table;
  other.layers[0].quantiseNs = 300;
  CHECK(meanLayers(std::vector<LayerTable>{table, other}).layers[0].quantiseNs == Approx(200));
  CHECK(meanLayers(std::vector<LayerTable>{table, other}).layers[0].quantiseBytes == Approx(6));
}

TEST_CASE("a device's layer lasts from its first engine's begin to the last one's end", "[layers]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  const RunRow run = simulation(database, 2);
  Runs(database).setParameters(run.id, {{"simulate.device", "\"made\""}, {"device.freq_mhz", "250.0"}});
  std::vector<WorkerRow> workers(2);
  workers[0].rank = 0, workers[0].role = "made: memory";
  workers[1].rank = 1, workers[1].role = "made: adders";
  Runs(database).setWorkers(run.id, workers);
  Spans(database).append(run.id, 0,
                         std::vector<Span>{spanOf(0, 60, Name::stream, Kind::communication, 0, Pass::forward),
                                           spanOf(60, 40, Name::awaitAdders, Kind::idle, 0, Pass::forward)});
  Spans(database).append(run.id, 1,
                         std::vector<Span>{spanOf(0, 10, Name::awaitRows, Kind::idle, 0, Pass::forward),
                                           spanOf(10, 30, Name::awaitBanks, Kind::idle, 0, Pass::forward),
                                           spanOf(40, 80, Name::reduce, Kind::compute, 0, Pass::forward),
                                           spanOf(120, 50, Name::reduce, Kind::compute, 1, Pass::backward)});
  std::vector<std::string> notes;
  const LayerTable table = layersBySpans(database, run, notes);
  CHECK(notes.empty());
  CHECK(table.clockMhz == 250);
  REQUIRE(table.layers.size() == 2);
  const LayerFigures& first = table.layers[0];
  CHECK(first.aggregateNs == 120);
  CHECK(std::isnan(first.updateNs));
  CHECK(std::isnan(first.quantiseNs));
  REQUIRE(first.engines.size() == 2);
  CHECK(first.engines[0].name == "made: memory");
  CHECK(first.engines[0].busyNs == 60);
  CHECK(first.engines[0].stalledNs == 40);
  CHECK(first.engines[0].stalledBy == Name::awaitAdders);
  CHECK(first.engines[1].busyNs == 80);
  CHECK(first.engines[1].stalledNs == 40);
  CHECK(first.engines[1].stalledBy == Name::awaitBanks);
  CHECK(table.layers[1].aggregateNs == 50);
  CHECK(table.layers[1].engines.size() == 1);
}

TEST_CASE("a simulated cluster's layers are those of its slowest rank, and compare with training's",
          "[layers]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  const RunRow run = simulation(database, 2);
  Runs(database).setLatest(run.id, {{"simulated_workers", 2}, {"epoch_seconds", 1e-6}});
  for (const std::int64_t rank : {0, 1})
    Spans(database).append(
        run.id, rank,
        std::vector<Span>{spanOf(0, 100 * (rank + 1), Name::aggregate, Kind::compute, 0, Pass::forward),
                          spanOf(300, 50, Name::aggregate, Kind::compute, 0, Pass::forward),
                          spanOf(400, 70, Name::update, Kind::compute, 0, Pass::forward)});
  const Comparison all = compareConfigurations({{&database, {run}}}, {}, std::nullopt);
  REQUIRE(all.layers.size() == 1);
  REQUIRE(all.layers[0].layers.size() == 1);
  CHECK(all.layers[0].layers[0].aggregateNs == 250);
  CHECK(all.layers[0].layers[0].updateNs == 70);
  CHECK(all.layers[0].layers[0].engines.empty());
  const RunRow other = simulation(database, 1);  // of a node or pipeline: its lanes are no layers' alone
  std::vector<std::string> notes;
  CHECK(layersBySpans(database, other, notes).layers.empty());
}

TEST_CASE("the mean over seeds has the layers that all have", "[layers]") {
  LayerTable a, b;
  a.layers = {{0, Pass::forward, 100, 10}, {1, Pass::forward, 60, 20}};
  b.layers = {{0, Pass::forward, 300, 30}};
  const LayerTable mean = meanLayers(std::vector<LayerTable>{a, b});
  REQUIRE(mean.layers.size() == 1);
  CHECK(mean.layers[0].aggregateNs == 200);
  CHECK(mean.layers[0].updateNs == 20);
  CHECK(meanLayers({}).layers.empty());
}
