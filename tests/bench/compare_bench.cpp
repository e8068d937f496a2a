// Two runs of ten million spans each, held against each other.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <vector>

#include "engine/record/comparison/comparison.h"
#include "tests/support/scratch.h"
#include "tests/support/synthetic_recording.h"

using namespace halo;

TEST_CASE("the differences of two runs of ten million spans", "[comparison]") {
  const Scratch scratch;
  const auto first = scratch / "a.db", second = scratch / "b.db";
  writeSyntheticRecording(first);
  writeSyntheticRecording(second, {.seed = 2});
  std::vector<double> seconds;
  std::size_t kinds = 0;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    Database a(first, Access::readOnly), b(second, Access::readOnly);
    const Comparison comparison =
        compareConfigurations({{&a, Runs(a).all(), {}}, {&b, Runs(b).all(), {}}}, {}, std::nullopt);
    kinds = comparison.changes.at(0).differences.size();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(seconds);
  fmt::print("compare two runs of 10 M spans: {:.2f} s, median of 5 (target 1.5 s), {} kinds\n", seconds[2],
             kinds);
  CHECK(kinds > 10);
}
