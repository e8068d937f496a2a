#include "engine/base/index.h"
#include "engine/run/worker/reporter.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/run/worker/between_iterations.h"
#include "engine/run/worker/recording_cost.h"

using namespace halo;

namespace {

std::vector<PredictedVolume> nothingPredicted(std::int64_t, const std::vector<RowTable>&) { return {}; }

/// Decides in each epoch to send ten times its number.
class Deciding final : public Method {
 public:
  double runEpoch(std::int32_t epoch) override {
    epoch_ = epoch;
    return 0;
  }
  EpochRow evaluate() override { return {}; }
  void keepForEvaluation() override {}
  std::vector<EpochRow> evaluateKept() override { return {}; }
  std::vector<Staleness> probeStaleness() override { return {}; }
  Memory memory() const override { return {}; }
  std::vector<RowTable> decided() const override { return {{{10 * epoch_}}}; }

 private:
  std::int32_t epoch_ = 0;
};

}  // namespace

TEST_CASE("a rank's spans, flows and work add up by layer and pass", "[reporter]") {
  const auto span = [](Kind kind, Name name, Lane lane, std::int64_t duration, std::int16_t layer,
                       Pass pass) {
    Span s;
    s.kind = kind;
    s.name = name;
    s.lane = lane;
    s.durationNs = duration;
    s.layer = layer;
    s.pass = pass;
    return s;
  };
  const std::vector<Span> spans = {
      span(Kind::compute, Name::aggregate, Lane::main, 5, 0, Pass::forward),
      span(Kind::compute, Name::aggregate, Lane::main, 7, 0, Pass::forward),
      span(Kind::communication, Name::wait, Lane::main, 11, 0, Pass::forward),
      span(Kind::communication, Name::receive, Lane::link, 30, 0, Pass::forward),
      span(Kind::synchronise, Name::allReduce, Lane::main, 13, -1, Pass::none),
      span(Kind::compute, Name::update, Lane::main, 17, 1, Pass::backward),
  };
  LayerSums sums;
  sums.add(std::span(spans).first(3));  // as they are taken, not all at once
  sums.add(std::span(spans).subspan(3));
  const auto rows =
      sums.take(4, 2, {{0, Pass::forward, 1, 2, 100, 6, 25}, {0, Pass::forward, 3, 1, 50, 4, 15}},
                {{0, Pass::forward, 1000, 9}, {1, Pass::backward, 2000, 8}});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].layer == -1);
  CHECK(rows[0].synchroniseNs == 13);
  CHECK(rows[1].layer == 0);
  CHECK(rows[1].aggregateNs == 12);
  CHECK(rows[1].exchangeWaitNs == 11);
  CHECK(rows[1].communicationNs == 40);
  CHECK(rows[1].bytesSent == 150);
  CHECK(rows[1].quantiseBytes == 10);
  CHECK(rows[1].messages == 3);
  CHECK(rows[1].flop == 1000);
  CHECK(rows[2].updateNs == 17);
  CHECK(rows[2].cpuNs == 8);
  for (const LayerRow& row : rows) {
    CHECK(row.epoch == 4);
    CHECK(row.rank == 2);
  }
}

TEST_CASE("rows never wait fifty milliseconds, spans longer", "[reporter]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Reporter reporter(comm, {}, 0, 1, nothingPredicted, [](FrameType, const std::string&) {});
  const std::int64_t now = wallNs();
  CHECK(reporter.due(now - 1'000'000'000) == Reporter::Due::nothing);
  CHECK(reporter.due(now + 50'000'000) == Reporter::Due::rows);
  CHECK(reporter.due(now + 5'000'000'000) == Reporter::Due::everything);
}

TEST_CASE("epochs that are sent together are each predicted by what they decided", "[reporter]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  std::vector<MessageRow> messages;
  Reporter reporter(
      comm, {}, 0, 1,
      [](std::int64_t, const std::vector<RowTable>& decided) {
        return std::vector<PredictedVolume>{{0, Pass::forward, 0, 1, 1, decided.at(0).at(0).at(0)}};
      },
      [&](FrameType type, const std::string& payload) {
        if (type == FrameType::epochs) messages = decodeEpochs(payload).messages;
      });
  Deciding method;
  for (const std::int32_t epoch : {3, 4}) {
    method.runEpoch(epoch);
    EpochRow scores;
    scores.epoch = epoch;
    reporter.add(scores, 0, 1, method, {});
  }
  reporter.flush();
  if (comm.rank() != 0) return;
  REQUIRE(messages.size() == 2);
  for (const MessageRow& message : messages) {
    CHECK(message.predictedBytes == 10 * message.epoch);
    CHECK(message.predictedMessages == 1);
  }
}

TEST_CASE("scores that come later are of the epoch that they say", "[reporter]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  std::vector<EpochRow> sent;
  Reporter reporter(comm, {}, 0, 1, nothingPredicted, [&](FrameType type, const std::string& payload) {
    if (type == FrameType::epochs) sent = decodeEpochs(payload).epochs;
  });
  Deciding method;
  const auto row = [](std::int64_t epoch, double loss, std::optional<double> score) {
    EpochRow epochRow;
    epochRow.epoch = epoch;
    epochRow.loss = loss;
    epochRow.train = epochRow.valid = epochRow.test = score;
    return epochRow;
  };
  const double lost = std::nan("");
  for (const EpochRow& epochRow : {row(3, 0.5, {}), row(4, 0.4, {}), row(5, lost, {})})
    reporter.add(epochRow, 0, 1, method, {});
  reporter.addScores(std::vector{row(3, 0, 0.25), row(5, 0, 0.75)});
  reporter.flush();
  if (comm.rank() != 0) return;
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].valid == 0.25);
  CHECK(sent[0].loss == 0.5);
  CHECK_FALSE(sent[1].valid);
  CHECK(std::isnan(sent[2].test.value()));  // of a loss that is no number
}

TEST_CASE("the CPU time of recording is without what was waited for", "[reporter]") {
  static std::int64_t wall = 0, cpu = 0;
  wall = cpu = 0;
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  constexpr std::int64_t kBusyNs = 3'000'000, kWaitNs = 20'000'000;
  Reporter reporter(comm, {}, 0, 1, nothingPredicted,
                    [&](FrameType, const std::string&) {  // a supervisor that is slow
                      wall += kBusyNs + kWaitNs;
                      cpu += kBusyNs;
                    },
                    {[] { return wall; }, [] { return cpu; }});
  for (const std::int64_t flushes : {1, 2}) {
    reporter.flush();
    const std::int64_t sent = comm.rank() == 0 ? flushes : 0;
    CHECK(reporter.recordingNs() == sent * (kBusyNs + kWaitNs));
    CHECK(reporter.recordingCpuNs() == sent * kBusyNs);
  }
}

TEST_CASE(
    "recording costs what the slowest rank took, or a host's ranks by its cores where they outnumber them",
    "[reporter]") {
  const std::vector<RecordingCost> ranks = {{"a", 2, 90, 40}, {"a", 2, 70, 10}, {"b", 4, 60, 50},
                                            {"a", 2, 10, 10}, {"b", 4, 10, 30}, {"b", 4, 10, 32}};
  CHECK(recordingNs(ranks, false) == 90);
  // of a: 60 on 2 cores; of b: 112 on 4, but one rank 50 of it
  CHECK(recordingNs(ranks, true) == 50);
  CHECK(recordingNs(std::span(ranks).subspan(1), true) == 50);  // without rank 0: of a 20 on 2
  const std::vector<RecordingCost> even = {{"a", 2, 90, 40}, {"b", 4, 60, 50}, {"a", 2, 70, 44},
                                           {"a", 2, 10, 38}, {"b", 4, 10, 50}, {"b", 4, 10, 12}};
  CHECK(recordingNs(even, true) == 61);                        // of a: 122 on 2 cores; of b: 112 on 4
  CHECK(recordingNs(std::span(even).subspan(1), true) == 50);  // without rank 0: of a 82 on 2
  CHECK(recordingNs({}, true) == 0);
}

TEST_CASE("an epoch of more spans than a ring holds loses none, and its rows have all", "[reporter]") {
  constexpr int kIterations = 3000, kSpans = 100;
  Tracer tracer(1024);
  Communicator comm(MPI_COMM_WORLD, tracer);
  std::size_t spans = 0;
  std::int64_t seeds = 0, aggregateNs = 0;
  std::vector<std::int64_t> numbers;
  Reporter reporter(comm, {}, 0, 1, nothingPredicted, [&](FrameType type, const std::string& payload) {
    if (type == FrameType::spans)
      for (const Span& span : decodeSpans(payload).spans) spans += span.kind == Kind::compute;
    if (type == FrameType::epochs)
      for (const LayerRow& row : decodeEpochs(payload).layers) aggregateNs += row.aggregateNs;
    if (type != FrameType::iterations) return;
    for (const IterationRow& row : decodeBatches(payload).iterations) {
      seeds += row.seeds;
      numbers.push_back(row.iteration);
    }
  });
  reporter.recordIterations(2);
  HiddenTime hidden(1);
  BetweenIterations between(comm, reporter, hidden, [] { return false; });
  Deciding method;
  method.runEpoch(0);
  between.epochBegins(0);
  for (std::int64_t i = 0; i < kIterations; ++i) {
    for (int s = 0; s < kSpans; ++s) tracer.add(Kind::compute, Name::aggregate, Lane::main, 10, 13);
    between.onIteration({.number = i, .step = i, .seeds = comm.rank() + 1});
  }
  reporter.add({}, 0, 1, method, {});
  reporter.flush();
  CHECK(tracer.dropped() == 0);
  if (comm.rank() != 0) return;
  const std::int64_t ranks = comm.size();
  CHECK(spans == at(ranks) * kIterations * kSpans);
  CHECK(aggregateNs == 3 * ranks * kIterations * kSpans);
  REQUIRE(numbers.size() == kIterations / 2);
  CHECK(numbers.back() == kIterations - 2);
  CHECK(seeds == kIterations / 2 * ranks * (ranks + 1) / 2);
}

TEST_CASE("where a stop is asked for all ranks stop after the same iteration, and what was before is sent",
          "[reporter]") {
  constexpr std::int64_t kAskedAt = 40, kMost = 100'000;
  Tracer tracer(1024);
  Communicator comm(MPI_COMM_WORLD, tracer);
  std::int64_t sent = 0, iterations = 0;
  Reporter reporter(comm, {}, 0, 1, nothingPredicted, [&](FrameType type, const std::string& payload) {
    if (type == FrameType::iterations) sent += std::ssize(decodeBatches(payload).iterations);
  });
  reporter.recordIterations(1);
  HiddenTime hidden(1);
  BetweenIterations between(comm, reporter, hidden, [&] { return iterations >= kAskedAt; });
  between.epochBegins(0);
  const auto train = [&] {
    for (; iterations < kMost; ++iterations)
      between.onIteration({.number = iterations, .step = iterations, .seeds = 1});
  };
  CHECK_THROWS_AS(train(), StopsBetween);
  CHECK(iterations >= kAskedAt);
  CHECK(comm.min(iterations) == comm.max(iterations));
  if (comm.rank() == 0) CHECK(sent == iterations + 1);
}

TEST_CASE("between iterations an emulated link stands still while they are recorded", "[reporter]") {
  Tracer tracer(1024);
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  constexpr std::size_t kBytes = 60'000;
  comm.emulate({0.001, 0.0, 0, 0});  // 480 ms: long enough to be recorded meanwhile
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  std::vector<std::uint8_t> in(kBytes);
  const std::vector<std::uint8_t> out(kBytes);
  std::int64_t recorded = 0;
  Reporter reporter(comm, {}, 0, 1, nothingPredicted, [&](FrameType, const std::string&) {
    const std::int64_t backlog = comm.linkBacklogNs(), begin = wallNs();
    while (wallNs() == begin) {
    }
    CHECK(backlog > 0);
    CHECK(comm.linkBacklogNs() == backlog);
    ++recorded;
  });
  reporter.recordIterations(1);
  HiddenTime hidden(1);
  BetweenIterations between(comm, reporter, hidden, [] { return true; });
  comm.barrier();
  between.epochBegins(wallNs());
  Transfer both[] = {comm.startReceive(left, 1, std::span(in)),
                     comm.startSend(right, 1, std::span<const std::uint8_t>(out))};
  CHECK_THROWS_AS(between.onIteration({.seeds = 1}), StopsBetween);
  if (comm.rank() == 0) CHECK(recorded > 0);
  comm.waitAll(both);
}
