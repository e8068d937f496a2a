#include "engine/run/supervisor/wait_recorder.h"

#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

Span spanOf(Lane lane, Name name, Kind kind, std::int64_t begin, std::int64_t end) {
  Span span;
  span.beginNs = begin;
  span.durationNs = end - begin;
  span.lane = lane;
  span.name = name;
  span.kind = kind;
  span.epoch = 0;
  return span;
}

Span waitOf(std::int64_t begin, std::int64_t end) {
  return spanOf(Lane::main, Name::barrier, Kind::synchronise, begin, end);
}

}  // namespace

TEST_CASE("waits that came before the row of their epoch and after it are all in table waiting", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  const std::vector<WorkerRow> workers(1);
  WaitRecorder recorder(database, run, 1);
  recorder.start(0, /*emulated=*/false, workers);

  const std::vector<Span> first = {waitOf(100, 160)};
  recorder.add(0, first);
  recorder.add(std::span<const EpochRow>());  // the epoch goes on
  EpochRow epoch;
  epoch.wallNs = 1000;
  recorder.add(std::span(&epoch, 1));  // rows are sent more often than spans
  CHECK(WaitingTable(database).rows(run).empty());
  const std::vector<Span> rest = {waitOf(500, 540), spanOf(Lane::phase, Name::epoch, Kind::other, 0, 1000)};
  recorder.add(0, rest);
  recorder.add(std::span<const EpochRow>());

  const std::vector<WaitRow> rows = WaitingTable(database).rows(run);
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().reasonNs[reasonIndex(Name::waitsBarrierOrSum)] == 100);
  CHECK(recorder.metrics().at("wait_share") == Approx(0.1));
  recorder.finish();
  CHECK(WaitingTable(database).rows(run).size() == 1);
}

TEST_CASE("an epoch of whose spans only the first came has no row in table waiting", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  const std::vector<WorkerRow> workers(1);
  WaitRecorder recorder(database, run, 1);
  recorder.start(0, /*emulated=*/false, workers);
  const std::vector<Span> first = {waitOf(100, 160)};
  recorder.add(0, first);
  EpochRow epoch;
  epoch.wallNs = 1000;
  recorder.add(std::span(&epoch, 1));
  recorder.finish();
  CHECK(WaitingTable(database).rows(run).empty());
  CHECK(recorder.metrics().empty());
}
