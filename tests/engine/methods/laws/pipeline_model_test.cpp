// The model of Dorylus' pipeline, by numbers that can be worked out by hand.
#include "engine/methods/laws/pipeline_model.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "engine/base/philox.h"

using namespace halo;

namespace {

PipelineRequest oneServer(std::vector<ChunkTimes> passes, int chunks, int epochs) {
  PipelineRequest request;
  request.servers = {std::move(passes)};
  request.chunks = chunks;
  request.epochs = epochs;
  return request;
}

}  // namespace

TEST_CASE("one chunk goes through the stages of every pass one after the other", "[dorylus]") {
  const PipelineTimes times = simulatePipeline(oneServer({{1, 2, 3}, {10, 20, 30}}, 1, 3));
  REQUIRE(times.finished.size() == 3);
  CHECK(times.finished[0] == Approx(66));
  CHECK(times.finished[2] == Approx(198));
  CHECK(times.epochSeconds() == Approx(66));
  CHECK(times.applySeconds == Approx(3 * 22));
}

TEST_CASE("chunks overlap within a pass: all stages once, then the longest for each further chunk",
          "[dorylus]") {
  // 1 + 4 + 2 for the first chunk, then a tensor worker gives one every 4
  PipelineRequest request = oneServer({{1, 4, 2}}, 5, 1);
  CHECK(simulatePipeline(request).finished[0] == Approx(7 + 4 * 4));
  // enough tensor workers: the link is what everybody waits for
  request.tensorWorkers = 5;
  CHECK(simulatePipeline(request).finished[0] == Approx(1 + 4 + 5 * 2));
}

TEST_CASE("without asynchrony every pass waits for the slowest server's", "[dorylus]") {
  PipelineRequest request;
  request.servers = {{{1, 1, 1}, {5, 5, 5}}, {{4, 4, 4}, {1, 1, 1}}};
  request.epochs = 4;
  const PipelineTimes times = simulatePipeline(request);
  for (std::size_t e = 0; e < 4; ++e)
    CHECK(times.finished[e] == Approx((12 + 15) * (static_cast<double>(e) + 1)));
  CHECK(times.mostAhead == 0);
}

TEST_CASE("with asynchrony nobody waits but for who is behind by more than that", "[dorylus]") {
  PipelineRequest request;
  request.servers = {{{1, 1, 1}, {5, 5, 5}}, {{4, 4, 4}, {1, 1, 1}}};
  request.epochs = 40;
  request.asynchrony = 1;
  const PipelineTimes times = simulatePipeline(request);
  // the first server's own 18 an epoch, the second's 15: no longer the sum of the slower of each pass
  CHECK(times.epochSeconds() == Approx(18));
  CHECK(times.mostAhead == 1);
}

TEST_CASE("no chunk is ahead by more than is allowed, and no time is below what one stage needs",
          "[dorylus]") {
  PhiloxStream random(3, Purpose::shuffle, 0);
  for (int round = 0; round < 30; ++round) {
    PipelineRequest request;
    const auto passes = 1 + random.below(4);
    request.servers.resize(1 + random.below(3));
    for (auto& server : request.servers)
      for (std::uint64_t p = 0; p < passes; ++p)
        server.push_back({random.uniform(), random.uniform(), random.uniform()});
    request.chunks = static_cast<int>(1 + random.below(5));
    request.tensorWorkers = static_cast<int>(1 + random.below(3));
    request.epochs = 16;
    double before = 0;
    for (request.asynchrony = 0; request.asynchrony < 4; ++request.asynchrony) {
      const PipelineTimes times = simulatePipeline(request);
      CAPTURE(round, request.asynchrony);
      CHECK(times.mostAhead <= request.asynchrony);
      REQUIRE(times.finished.size() == 16);
      CHECK(std::ranges::is_sorted(times.finished));
      for (const auto& server : request.servers) {
        double gather = 0, scatter = 0, apply = 0, alone = 0;
        for (const ChunkTimes& pass : server) {
          gather += pass.gather;
          scatter += pass.scatter;
          apply += pass.apply;
          alone += pass.gather + pass.apply + pass.scatter;
        }
        const double busiest = std::max({gather, scatter, apply / request.tensorWorkers}) * request.chunks;
        CHECK(times.finished.back() >= 16 * busiest - 1e-9);
        CHECK(times.finished.back() >= 16 * alone - 1e-9);
      }
      if (request.asynchrony == 0) before = times.finished.back();
      if (request.asynchrony > 0) CHECK(times.finished.back() <= before * 1.05);
    }
  }
}

TEST_CASE("a server with many chunks and more tensor workers than these is simulated at once", "[dorylus]") {
  PipelineRequest request = oneServer({{1, 4, 2}}, 1'000'000, 1);
  request.tensorWorkers = std::numeric_limits<int>::max();
  const PipelineTimes times = simulatePipeline(request);
  CHECK(times.finished.at(0) == Approx(1 + 4 + 2.0 * request.chunks));
  CHECK(times.applySeconds == Approx(4.0 * request.chunks));
}
