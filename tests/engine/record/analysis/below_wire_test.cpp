#include "engine/record/analysis/below_wire.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

using Keys = std::map<std::string, std::string>;

RunRow training() {
  RunRow run;
  run.kind = "training";
  run.workers = 2;
  return run;
}

/// Of two workers, on a link of 1 Gbit/s unless said otherwise.
std::string mark(double median, double mean, double bytes,
                 const Keys& keys = {{"cluster.link.bandwidth_gbit", "1.0"}}) {
  const RunRow run = training();
  return belowWire(
      {run, keys, run.workers},
      {{"epoch_seconds", median}, {"mean_epoch_seconds", mean}, {"wire_bytes_per_epoch", bytes}});
}

constexpr double kBytes = 38'875'000;  // 311 ms at 1 Gbit/s

}  // namespace

TEST_CASE("a median epoch below what the bytes take is marked: epochs differ", "[record]") {
  CHECK(mark(0.285, 0.320, kBytes) == "median below the wire: epochs differ");
  CHECK(mark(0.315, 0.320, kBytes).empty());
  CHECK(mark(0.3105, 0.3111, kBytes).empty());  // within a link's jitter
  CHECK(mark(0.285, 0.290, kBytes) == "epochs below the wire");
}

TEST_CASE("without a network, or its bytes, no epoch is marked", "[record]") {
  CHECK(mark(0.285, 0.320, kBytes, {}).empty());
  const RunRow run = training();
  const Keys link = {{"cluster.link.bandwidth_gbit", "1.0"}};
  CHECK(belowWire({run, link, run.workers}, {{"epoch_seconds", 0.1}, {"mean_epoch_seconds", 0.2}}).empty());
}

TEST_CASE("on real hosts the bandwidth that was measured may be five percent short", "[record]") {
  const Keys wire = {{"cluster.wire.bandwidth_gbit", "1.0"}, {"cluster.hosts", "[\"a:1\", \"b:1\"]"}};
  CHECK(mark(0.300, 0.320, kBytes, wire).empty());
  CHECK(mark(0.285, 0.320, kBytes, wire) == "median below the wire: epochs differ");
}
