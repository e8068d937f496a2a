// Which blocks of spans are unpacked where runs are compared.
#include "engine/record/comparison/read_run.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "engine/record/comparison/comparison.h"
#include "engine/record/comparison/epoch_graph.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

Span spanOf(std::int64_t begin, Name name, Kind kind, Lane lane) {
  Span span;
  span.beginNs = begin, span.durationNs = 1, span.epoch = 1, span.name = name, span.kind = kind;
  span.lane = lane, span.peer = 0;
  return span;
}

/// A run of one rank that waits so often in its second epoch, with reasons or without. The block of what is
/// known of its messages is damaged.
Comparison compared(std::int64_t waits, bool reasons) {
  const Scratch scratch;
  Database database(scratch.path() / "run.db", Access::create);
  Runs runs(database);
  Transaction transaction(database);
  RunRow row;
  row.method = "vanilla", row.dataset = "made", row.model = "gcn", row.workers = 1;
  row.status = "completed";
  row.id = runs.add(row);
  runs.setWorkers(row.id, {WorkerRow{}});
  std::vector<EpochRow> epochs(2);
  epochs[0].wallNs = 100;
  epochs[1].epoch = 1, epochs[1].beginNs = 1'000, epochs[1].wallNs = 2 * waits + 10;
  Epochs(database).append(row.id, epochs);
  std::vector<Span> spans;
  for (std::int64_t i = 0; i < waits; ++i) {
    spans.push_back(spanOf(1'000 + 2 * i, Name::wait, Kind::communication, Lane::main));
    if (reasons) spans.push_back(spanOf(1'000 + 2 * i, Name::waitsWire, Kind::idle, Lane::wait));
  }
  spans.push_back(spanOf(1'000, Name::send, Kind::communication, Lane::message));
  spans.back().message = 1;
  Spans(database).append(row.id, 0, spans);
  database.execute("UPDATE span_block SET spans = zeroblob(length(spans)) WHERE lane = 'message'");
  transaction.commit();
  return compareConfigurations({{&database, {row}, {}}}, {}, {});
}

}  // namespace

TEST_CASE("what is known of messages is unpacked where gains need it, and only there", "[comparison]") {
  CHECK(compared(3, true).damages.size() == 1);
  CHECK(compared(3, false).damages.empty());  // nothing says why it waited
  CHECK(compared(static_cast<std::int64_t>(EpochGraph::kMostSteps) + 1, true).damages.empty());
}
