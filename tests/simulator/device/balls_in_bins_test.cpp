#include "simulator/device/balls_in_bins.h"
#include "engine/base/index.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "engine/base/philox.h"
#include "simulator/memory/sram.h"
#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

/// Every way to put the balls, one after the other.
double bruteForce(int balls, int bins) {
  double sum = 0;
  int ways = 1;
  for (int b = 0; b < balls; ++b) ways *= bins;
  for (int way = 0; way < ways; ++way) {
    std::vector<int> load(at(bins), 0);
    for (int b = 0, rest = way; b < balls; ++b, rest /= bins) ++load[at(rest % bins)];
    sum += std::ranges::max(load);
  }
  return sum / ways;
}

double thrown(std::int64_t balls, std::int64_t bins) {
  constexpr int kTrials = 1500;
  PhiloxStream random(1, Purpose::shuffle, 77);
  double sum = 0;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<int> load(at(bins), 0);
    for (std::int64_t b = 0; b < balls; ++b) ++load[random.below(static_cast<std::uint64_t>(bins))];
    sum += std::ranges::max(load);
  }
  return sum / kTrials;
}

double factorOf(const DeviceResult& result, const std::string& begin, std::string* from = nullptr) {
  const auto factor =
      std::ranges::find_if(result.factors, [&](const Factor& f) { return f.name.starts_with(begin); });
  REQUIRE(factor != result.factors.end());
  if (from != nullptr) *from = factor->from;
  return factor->value;
}

DeviceResult run(const std::string& device, const std::map<std::string, Value>& other, std::int64_t width) {
  const Graph graph{100'000, 2'000'000, 1, nullptr};
  const Values figures = deviceFigures(device, other);
  return find<AcceleratorEntry>(deviceFile(device).model)
      ->simulate({figures, library(), graph, {{0, Pass::forward, width, false}}, Level::tile});
}

}  // namespace

TEST_CASE("the fullest bin is what all ways to put the balls say", "[simulator]") {
  for (const auto& [balls, bins] :
       std::vector<std::pair<int, int>>{{1, 5}, {2, 2}, {5, 2}, {4, 4}, {7, 3}, {3, 9}, {6, 6}}) {
    CAPTURE(balls, bins);
    CHECK(expectedLargestLoad(balls, bins) == Approx(bruteForce(balls, bins)));
  }
  CHECK(expectedLargestLoad(0, 4) == 0);
  CHECK(expectedLargestLoad(9, 1) == 9);
}

TEST_CASE("many bins are as if balls were thrown into them", "[simulator]") {
  for (const auto& [balls, bins] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {65, 64}, {64, 65}, {512, 64}, {300, 1000}, {1024, 1024}, {4096, 512}, {128, 16}, {1000, 3}}) {
    CAPTURE(balls, bins);
    CHECK(expectedLargestLoad(balls, bins) == Approx(thrown(balls, bins)).epsilon(0.015));
  }
}

TEST_CASE("random rows keep all banks busy the sooner the deeper their queues are", "[simulator]") {
  CHECK(randomBankShare(4, 4, 1) == Approx(1 / expectedLargestLoad(4, 4)));
  CHECK(randomBankShare(1, 1, 1) == 1);
  for (const std::int64_t banks : {4, 16, 4096}) {
    double before = 0;
    for (const std::int64_t depth : {1, 2, 8, 64, 1024}) {
      const double share = randomBankShare(banks, banks, depth);
      CHECK(share > before);
      before = share;
    }
    CHECK(before > 0.85);
  }
  CHECK(randomBankShare(1024, 16, 8) > 0.99);  // few requests hardly meet
}

TEST_CASE("followed queues are up to two fifths better than balls in bins from two places on",
          "[simulator]") {
  PhiloxStream random(1, Purpose::shuffle, 78);
  std::vector<std::int64_t> rows(60'000);
  for (auto& row : rows) row = static_cast<std::int64_t>(random.below(1'000'000'000));
  for (const std::int64_t banks : {8, 16, 64, 1024})
    for (const std::int64_t depth : {2, 8, 32}) {
      if (banks == 1024 && depth == 2) continue;  // the one full bank holds all up: see the manual
      CAPTURE(banks, depth);
      const double followed = static_cast<double>(rows.size()) /
                              static_cast<double>(bankCycles(rows, banks, banks, depth) * banks);
      CHECK(followed / randomBankShare(banks, banks, depth) == Approx(1.19).margin(0.22));
    }
}

TEST_CASE("devices take balls in bins where closed-form says so", "[simulator]") {
  const std::map<std::string, Value> closed{{"efficiencies", std::string("closed-form")}};
  std::string from;
  // a row of 16 columns is 64 bytes: 1,024 banks of 65,536 bytes a cycle
  CHECK(factorOf(run("spu", closed, 16), "bank_efficiency", &from) == Approx(randomBankShare(1024, 1024, 8)));
  CHECK(from == "derived: balls in bins, random rows");
  CHECK(factorOf(run("hygcn", closed, 16), "bank_efficiency", &from) < 1);
  CHECK(from == "derived: balls in bins, random rows");
  const DeviceResult awb = run("awb-gcn", {{"conflicts", std::string("closed-form")}}, 16);
  CHECK(factorOf(awb, "network_share", &from) == Approx(randomBankShare(256, 256, 4)));
  CHECK(from == "derived: balls in bins, outputs at random");
  CHECK(factorOf(run("awb-gcn",
                     {{"conflicts", std::string("closed-form")}, {"distributor", std::string("tdq-1")}}, 16),
                 "network_share") == 1);
}
