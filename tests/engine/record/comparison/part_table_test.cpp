// What parts hold and do, against the tables that they come from.
#include "engine/record/comparison/part_table.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "engine/record/comparison/comparison.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

Span spanOf(std::int64_t begin, std::int64_t end, Kind kind, Lane lane, Name name = Name::receive) {
  Span span;
  span.beginNs = begin, span.durationNs = end - begin, span.kind = kind, span.lane = lane, span.name = name;
  return span;
}

EpochRow epochOf(std::int64_t number, std::int64_t begin, std::int64_t wall) {
  EpochRow epoch;
  epoch.epoch = number, epoch.beginNs = begin, epoch.wallNs = wall;
  return epoch;
}

/// Three epochs of 1,000 ns on `ranks` ranks. In each, rank r computes 100 (r + 1) ns, waits 50 (r + 1), and
/// has a transfer under way for 20 (r + 1).
std::int64_t addRun(Database& database, std::int64_t ranks) {
  Runs runs(database);
  RunRow row;
  row.method = "vanilla", row.dataset = "made", row.model = "gcn", row.workers = ranks;
  row.status = "completed";
  const std::int64_t run = runs.add(row);
  std::vector<EpochRow> epochs;
  std::vector<LayerRow> layers;
  std::vector<MessageRow> messages;
  std::vector<WorkerRow> workers;
  for (std::int64_t e = 0; e < 3; ++e) epochs.push_back(epochOf(e, 1'000 * (e + 1), 1'000));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    WorkerRow worker;
    worker.rank = rank, worker.vertices = 10, worker.boundary = 4, worker.remote = 5 * (rank + 1);
    worker.nonzeros = 70 + rank;
    workers.push_back(worker);
    std::vector<Span> spans;
    for (const EpochRow& epoch : epochs) {
      const std::int64_t at = epoch.beginNs, by = rank + 1;
      spans.push_back(spanOf(at, at + 100 * by, Kind::compute, Lane::main, Name::aggregate));
      spans.push_back(spanOf(at + 100 * by, at + 150 * by, Kind::communication, Lane::main, Name::wait));
      spans.push_back(spanOf(at + 5, at + 5 + 20 * by, Kind::communication, Lane::link));
      for (const std::int64_t layer : {0, 1}) {
        LayerRow counted;
        counted.epoch = epoch.epoch, counted.rank = rank, counted.layer = layer;
        counted.pass = Pass::forward, counted.flop = 1'000 * (epoch.epoch + 1) + rank;
        counted.aggregateNs = 7, counted.exchangeWaitNs = 3, counted.bytesSent = 64 * (ranks - 1);
        layers.push_back(counted);
      }
      for (std::int64_t target = 0; target < ranks; ++target)
        if (target != rank) {
          MessageRow message;
          message.epoch = epoch.epoch, message.layer = 0, message.pass = Pass::forward;
          message.source = rank, message.target = target, message.messages = 1, message.bytes = 100 + target;
          messages.push_back(message);
        }
      MessageRow sum;
      sum.epoch = epoch.epoch, sum.source = rank, sum.target = -1, sum.messages = 2, sum.bytes = 8;
      messages.push_back(sum);
    }
    Spans(database).append(run, rank, spans);
  }
  Epochs(database).append(run, epochs);
  Epochs(database).append(run, layers);
  Epochs(database).append(run, messages);
  runs.setWorkers(run, workers);
  return run;
}

Comparison compared(Database& database, const std::vector<std::int64_t>& runs, bool withSpans = true) {
  std::vector<Configuration> configurations;
  for (const std::int64_t run : runs)
    configurations.push_back({&database, {Runs(database).find(run).value()}, {}});
  return compareConfigurations(configurations, {}, {}, withSpans);
}

}  // namespace

TEST_CASE("parts are those of the recording's tables, as means of an epoch in scope", "[comparison]") {
  const Scratch scratch;
  Database database(scratch.path() / "parts.db", Access::create);
  addRun(database, 4);
  addRun(database, 2);
  const Comparison all = compared(database, {1, 2});
  REQUIRE(all.parts.size() == 2);
  REQUIRE(all.parts[0].means.size() == 4);
  REQUIRE(all.parts[1].means.size() == 2);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const PartFigures& part = all.parts[0].means[rank];
    const auto r = static_cast<double>(rank), by = r + 1;
    CHECK(part.vertices == 10);
    CHECK(part.arcs == 70 + r);
    CHECK(part.boundary == 4);
    CHECK(part.haloRows == 5 * by);
    CHECK(part.replication == Approx(1 + 0.5 * by));
    CHECK(part.flop == Approx(2 * (2'500 + r)));  // the first epoch is not in scope
    CHECK(part.sentBytes == Approx(300 + 6 - r + 8));
    CHECK(part.receivedBytes == Approx(3 * (100 + r)));
    CHECK(part.computeNs == Approx(100 * by));
    CHECK(part.waitNs == Approx(50 * by));
    CHECK(part.exchangeNs == Approx(20 * by));
  }
  REQUIRE(all.parts[0].fit);
  CHECK(all.parts[0].fit->slope == Approx(4));  // 20 ns for every 5 rows
  CHECK(all.parts[0].fit->intercept == Approx(0).margin(1e-9));
  CHECK(all.parts[0].fit->r2 == Approx(1));
  CHECK_FALSE(all.parts[1].fit);  // two points
}

TEST_CASE("parts add up to the mean epoch and to the ledger", "[comparison]") {
  const Scratch scratch;
  Database database(scratch.path() / "parts.db", Access::create);
  addRun(database, 4);
  for (const bool withSpans : {true, false}) {
    CAPTURE(withSpans);
    const Comparison all = compared(database, {1}, withSpans);
    double computing = 0, waiting = 0, sent = 0, received = 0, toAll = 0;
    for (const PartFigures& part : all.parts.at(0).means) {
      computing += part.computeNs / 4;
      waiting += part.waitNs / 4;
      sent += part.sentBytes;
      received += part.receivedBytes;
    }
    for (const auto& [place, sum] : all.traffic.at(0).places)
      if (place.target < 0) toAll += sum.bytes;
    const auto& mean = all.means.at(0).parts;
    REQUIRE(all.rankParts.at(0).size() == 4);
    for (std::size_t part = 0; part < kTimeParts; ++part) {
      double ofRanks = 0;
      for (const auto& rank : all.rankParts[0]) ofRanks += rank[part] / 4;
      CHECK(ofRanks == Approx(mean[part]).margin(1e-6));
    }
    CHECK(all.rankFacts.at(0).vertices == std::vector<std::int64_t>(4, 10));
    CHECK(computing == Approx(mean[static_cast<std::size_t>(TimePart::compute)]));
    CHECK(waiting == Approx(mean[static_cast<std::size_t>(TimePart::unjudged)]));
    CHECK(sent == Approx(totalOf(all.traffic[0]).bytes));
    CHECK(received == Approx(sent - toAll));
    CHECK(std::isnan(all.parts[0].means[0].exchangeNs) == !withSpans);
    CHECK(all.parts[0].fit.has_value() == withSpans);
  }
}

TEST_CASE("parts of several seeds are means of their runs, and each run has points of its own",
          "[comparison]") {
  std::vector<PartsOfRun> runs(2);
  for (std::size_t run = 0; run < 2; ++run) {
    runs[run].run = static_cast<std::int64_t>(run) + 1;
    for (int rank = 0; rank < 2; ++rank) {
      PartFigures& part = runs[run].parts.emplace_back();
      part.vertices = part.arcs = part.boundary = part.replication = part.flop = 1;
      part.computeNs = part.waitNs = 1;
      part.haloRows = rank == 0 ? 10.0 + 20.0 * static_cast<double>(run) : 40;
      part.exchangeNs = 2 * part.haloRows + 5;
    }
  }
  const PartTable table = partTable(runs);
  REQUIRE(table.means.size() == 2);
  CHECK(table.means[0].haloRows == 20);
  CHECK(table.means[1].haloRows == 40);
  REQUIRE(table.fit);
  CHECK(table.fit->points == 4);
  CHECK(table.fit->slope == Approx(2));
  CHECK(table.fit->intercept == Approx(5));
  CHECK(partTable({}).means.empty());
}

TEST_CASE("exchange is the union of transfers, cut to the epochs", "[comparison]") {
  const std::vector<EpochRow> epochs = {epochOf(0, 100, 100), epochOf(1, 250, 50)};
  using K = Kind;
  const std::vector<Span> link = {
      spanOf(50, 120, K::communication, Lane::link),  spanOf(110, 130, K::communication, Lane::link),
      spanOf(150, 260, K::communication, Lane::link), spanOf(160, 170, K::communication, Lane::link),
      spanOf(290, 400, K::communication, Lane::link), spanOf(295, 299, K::other, Lane::link)};
  CHECK(exchangeNsOf(link, epochs) == (130 - 100) + (200 - 150) + (260 - 250) + (300 - 290));
  CHECK(exchangeNsOf({}, epochs) == 0);
  CHECK(exchangeNsOf(link, {}) == 0);
}

TEST_CASE("a line is the one of least squares, and there is none where it would say nothing",
          "[comparison]") {
  const std::vector<double> x = {1, 2, 3, 4}, y = {2, 1, 4, 3};
  const auto fit = fitLine(x, y);
  REQUIRE(fit);
  CHECK(fit->slope == Approx(0.6));  // Σ (x − 2.5)(y − 2.5) = 3 over Σ (x − 2.5)² = 5
  CHECK(fit->intercept == Approx(1.0));
  CHECK(fit->r2 == Approx(0.36));  // the square of the correlation, 3 ÷ 5
  CHECK(fit->points == 4);
  CHECK_FALSE(fitLine(std::vector<double>{1, 2}, std::vector<double>{1, 2}));
  CHECK_FALSE(fitLine(std::vector<double>{2, 2, 2}, std::vector<double>{1, 2, 3}));
  CHECK_FALSE(fitLine(std::vector<double>{1, 2, 3}, std::vector<double>{2, 2, 2}));
  const double none = std::nan("");
  CHECK_FALSE(fitLine(std::vector<double>{1, 2, none}, std::vector<double>{1, 2, 3}));
}
