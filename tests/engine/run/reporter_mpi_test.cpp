#include "engine/run/reporter.h"

#include <catch2/catch.hpp>

#include "engine/base/clock.h"

using namespace halo;

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
  const auto rows =
      layerRows(4, 2, spans, {{0, Pass::forward, 1, 2, 100, 6, 25}, {0, Pass::forward, 3, 1, 50, 4, 15}},
                {{0, Pass::forward, 1000, 9}, {1, Pass::backward, 2000, 8}});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].layer == -1);
  CHECK(rows[0].synchroniseNs == 13);
  CHECK(rows[1].layer == 0);
  CHECK(rows[1].aggregateNs == 12);
  CHECK(rows[1].exposedNs == 11);
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
  const Reporter reporter(
      comm, {}, 0, 1, [](std::int64_t) { return std::vector<PredictedVolume>(); },
      [](FrameType, const std::string&) {});
  const std::int64_t now = wallNs();
  CHECK(reporter.due(now - 1'000'000'000) == Reporter::Due::nothing);
  CHECK(reporter.due(now + 50'000'000) == Reporter::Due::rows);
  CHECK(reporter.due(now + 5'000'000'000) == Reporter::Due::everything);
}

TEST_CASE("the CPU time of recording is without what was waited for", "[reporter]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  constexpr std::int64_t kWaitNs = 20'000'000;
  int sent = 0;
  Reporter reporter(
      comm, {}, 0, 1, [](std::int64_t) { return std::vector<PredictedVolume>(); },
      [&](FrameType, const std::string&) {
        ++sent;
        sleepUntil(wallNs() + kWaitNs);  // a supervisor that is slow
      });
  reporter.flush();
  CHECK(sent == (comm.rank() == 0 ? 1 : 0));
  if (comm.rank() != 0) return;
  CHECK(reporter.recordingNs() >= kWaitNs);
  CHECK(reporter.recordingCpuNs() > 0);
  CHECK(reporter.recordingCpuNs() < kWaitNs / 2);
}
