#include "simulator/network/network.h"

#include <catch2/catch.hpp>
#include <deque>
#include <numeric>
#include <set>

#include "engine/base/philox.h"
#include "simulator/memory/sram.h"

using namespace halo;
using namespace halo::sim;

namespace {

std::vector<std::int64_t> randomNumbers(std::int64_t count, std::uint64_t most, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 9);
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<std::int64_t>(random.below(most + 1)));
  return all;
}

/// The fewest cycles of all: every way to put segments into cycles is tried.
std::int64_t fewest(const std::vector<std::int64_t>& lengths, std::int64_t width, std::size_t next,
                    std::vector<std::int64_t>& rooms) {
  if (next == lengths.size()) return static_cast<std::int64_t>(rooms.size());
  std::int64_t best = 1 << 20;
  for (std::size_t c = 0; c <= rooms.size(); ++c) {
    if (c == rooms.size())
      rooms.push_back(width);
    else if (rooms[c] < lengths[next])
      continue;
    rooms[c] -= lengths[next];
    best = std::min(best, fewest(lengths, width, next + 1, rooms));
    rooms[c] += lengths[next];
    if (rooms[c] == width) {
      rooms.pop_back();
      break;
    }
  }
  return best;
}

/// All rows of one width.
std::int64_t distribute(const std::vector<std::int64_t>& sources, std::int64_t width,
                        const DistributionTree& tree) {
  return distributeCycles(sources, std::vector<std::int64_t>(sources.size(), width), tree);
}

/// Queues at the banks, cycle by cycle.
std::int64_t bankReference(const std::vector<std::int64_t>& rows, std::int64_t banks, std::int64_t issue,
                           std::int64_t depth) {
  std::vector<std::int64_t> queued(static_cast<std::size_t>(banks), 0);
  std::size_t next = 0;
  std::int64_t cycles = 0, waiting = 0;
  for (; next < rows.size() || waiting > 0; ++cycles) {
    for (std::int64_t i = 0; i < issue && next < rows.size(); ++i, ++next, ++waiting) {
      auto& queue = queued[static_cast<std::size_t>(rows[next] % banks)];
      if (queue == depth) break;
      ++queue;
    }
    for (auto& queue : queued)
      if (queue > 0) --queue, --waiting;
  }
  return cycles;
}

}  // namespace

TEST_CASE("segments are packed as their definition packs them", "[simulator]") {
  const auto width = GENERATE(as<std::int64_t>{}, 1, 2, 7, 64, 1000);
  const auto most = GENERATE(as<std::uint64_t>{}, 0, 1, 5, 64, 3000);
  for (const std::int64_t count : {0, 1, 2, 63, 500}) {
    const auto lengths = randomNumbers(count, most, 1 + most);
    CAPTURE(width, most, count);
    const std::int64_t cycles = packSegments(lengths, width);
    CHECK(cycles == packSegmentsReference(lengths, width));
    const std::int64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    CHECK(cycles * width >= sum);
    CHECK(cycles <= 2 * ((sum + width - 1) / width) + 1);  // all cycles but one are more than half full
  }
}

TEST_CASE("first fit is within its bound of the best packing", "[simulator]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto lengths = randomNumbers(7, 9, seed);
    for (auto& length : lengths) ++length;
    std::vector<std::int64_t> rooms;
    const std::int64_t best = fewest(lengths, 12, 0, rooms), bins = packSegments(lengths, 12);
    CAPTURE(seed);
    CHECK(bins >= best);
    CHECK(bins * 10 <= best * 17);  // Dósa and Sgall 2013
  }
}

TEST_CASE("a distribution tree carries a word once that several leaves take in a cycle", "[simulator]") {
  const std::vector<std::int64_t> same(12, 7), different = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  // 16 leaves, rows of 4: four rows a cycle, or two different ones where a level carries 8 words
  CHECK(distribute(different, 4, {16, 16}) == 3);
  CHECK(distribute(different, 4, {16, 8}) == 6);
  CHECK(distribute(same, 4, {16, 8}) == 3);
  CHECK(distribute(same, 4, {16, 4}) == 3);
  CHECK(distribute(std::vector<std::int64_t>{1, 1, 2, 1, 3, 3}, 4, {16, 8}) == 2);  // 1 1 2 1, 3 3
  CHECK(distribute(different, 20, {16, 16}) == 24);                                 // wider than the tree
  CHECK(distribute({}, 4, {16, 8}) == 0);
  // two words of row 1, then all four: two more are carried; columns that no sum wants take nothing
  const std::vector<std::int64_t> sources = {1, 1, 2, 3}, widths = {2, 4, 4, 0};
  CHECK(distributeCycles(sources, widths, {16, 8}) == 1);
  CHECK(distributeCycles(sources, widths, {16, 7}) == 2);
  CHECK(treeLevels(1) == 0);
  CHECK(treeLevels(16) == 4);
  CHECK(treeLevels(17) == 5);
}

TEST_CASE("the tree takes what its definition says, cycle by cycle", "[simulator]") {
  const auto width = GENERATE(as<std::int64_t>{}, 1, 3, 16);
  const auto words = GENERATE(as<std::int64_t>{}, 16, 20, 64, 100);
  for (const std::uint64_t population : {1U, 4U, 30U}) {
    const auto sources = randomNumbers(500, population, population);
    std::int64_t cycles = 0;
    for (std::size_t at = 0; at < sources.size(); ++cycles) {
      std::set<std::int64_t> carried;
      for (std::int64_t leaves = 64; at < sources.size() && leaves >= width; leaves -= width, ++at) {
        carried.insert(sources[at]);
        if (std::ssize(carried) * width > words) break;
      }
    }
    CAPTURE(width, words, population);
    CHECK(distribute(sources, width, {64, words}) == cycles);
    if (population == 30)
      CHECK(500.0 / static_cast<double>(cycles) ==
            Approx(distributedRows(31, width, {64, words})).epsilon(0.1));
  }
}

TEST_CASE("banks serve as queues that are followed cycle by cycle", "[simulator]") {
  const auto banks = GENERATE(as<std::int64_t>{}, 1, 3, 16);
  const auto issue = GENERATE(as<std::int64_t>{}, 1, 4, 40);
  const auto depth = GENERATE(as<std::int64_t>{}, 1, 2, 8);
  for (const std::int64_t count : {0, 1, 5, 300}) {
    const auto rows = randomNumbers(count, 99, static_cast<std::uint64_t>(count));
    CAPTURE(banks, issue, depth, count);
    CHECK(bankCycles(rows, banks, issue, depth) == bankReference(rows, banks, issue, depth));
  }
}

TEST_CASE("deep queues keep banks busy", "[simulator]") {
  const auto rows = randomNumbers(100'000, 1'000'000, 3);
  const auto share = [&](std::int64_t depth) {
    return 100'000.0 / static_cast<double>(bankCycles(rows, 16, 16, depth) * 16);
  };
  CHECK(share(1) < 0.5);
  CHECK(share(8) > share(2));
  CHECK(share(64) > 0.9);
}
