#include "simulator/accelerators/hygcn/hygcn_shards.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/small_graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::sim::hygcn;

namespace {

constexpr std::int64_t kFourBanks = 4;

struct Seen {
  std::int64_t first = 0, rows = 0;
  std::vector<Shard> shards;
};

std::vector<Seen> shardsOf(const Csr& matrix, const TileShape& shape, Window window) {
  std::vector<Seen> all;
  forEachInterval(
      {matrix.rows(), matrix.nonzeros(), 1, &matrix}, shape, window, kFourBanks,
      [&](const hygcn::Interval& interval) {
        all.push_back({interval.first, interval.rows, {interval.shards.begin(), interval.shards.end()}});
      });
  return all;
}

/// The definition: the sources that an interval needs, one by one.
std::vector<Seen> slidReference(const Csr& matrix, const TileShape& shape) {
  std::vector<Seen> all;
  const std::int64_t intervals = partsOf(matrix.rows(), shape.tileRows);
  for (std::int64_t i = 0; i < intervals; ++i) {
    const std::int64_t first = partBegin(matrix.rows(), intervals, i);
    const std::int64_t last = partBegin(matrix.rows(), intervals, i + 1);
    std::multiset<std::int64_t> needed;
    for (std::int64_t r = first; r < last; ++r) needed.insert(matrix.row(r).begin(), matrix.row(r).end());
    Seen interval{first, last - first, {}};
    while (!needed.empty()) {
      const std::int64_t begin = *needed.begin();
      const auto end = needed.lower_bound(begin + shape.windowRows);
      Shard shard;
      shard.first = begin;
      shard.rows = *std::prev(end) + 1 - begin;
      shard.nonzeros = std::distance(needed.begin(), end);
      shard.bytes = shard.rows * shape.rowBytes;
      std::map<std::int64_t, std::int64_t> atBank;
      for (auto source = needed.begin(); source != end; ++source)
        shard.busiest = std::max(shard.busiest, ++atBank[(*source - begin) % kFourBanks]);
      interval.shards.push_back(shard);
      needed.erase(needed.begin(), end);
    }
    if (!interval.shards.empty()) all.push_back(interval);
  }
  return all;
}

std::int64_t bytesOf(const std::vector<Seen>& all) {
  std::int64_t bytes = 0;
  for (const Seen& interval : all)
    for (const Shard& shard : interval.shards) bytes += shard.bytes;
  return bytes;
}

}  // namespace

TEST_CASE("windows slide to the first source needed and shrink to the last", "[simulator][hygcn]") {
  // one interval that needs sources 2, 5, 6 and 13; windows of 4
  const Csr matrix = buildCsr(16, std::vector<Arc>{{2, 0}, {5, 0}, {5, 1}, {6, 2}, {13, 15}}, true);
  const auto slid = shardsOf(matrix, {16, 4, 8, 64}, Window::shrink);
  REQUIRE(slid.size() == 1);
  REQUIRE(slid[0].shards.size() == 3);
  CHECK(slid[0].shards[0].first == 2);
  CHECK(slid[0].shards[0].rows == 4);  // 3 and 4 are holes, and come with the others
  CHECK(slid[0].shards[0].nonzeros == 3);
  CHECK(slid[0].shards[1].first == 6);
  CHECK(slid[0].shards[1].rows == 1);
  CHECK(slid[0].shards[2].first == 13);
  CHECK(bytesOf(slid) == 6 * 8);
  CHECK(bytesOf(shardsOf(matrix, {16, 4, 8, 64}, Window::fit)) == 16 * 8);
  CHECK(bytesOf(shardsOf(matrix, {16, 4, 8, 8}, Window::gather)) == 4 * 8);
}

TEST_CASE("sliding windows are those of the definition", "[simulator][hygcn]") {
  const auto arcs = GENERATE(0, 3, 40, 900);
  const auto window = GENERATE(1, 5, 16, 1000);
  const auto interval = GENERATE(1, 7, 1000);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    CAPTURE(arcs, window, interval, seed);
    const Csr matrix = randomDirected(70, arcs, seed);
    const TileShape shape{interval, window, 12, 64};
    const auto fast = shardsOf(matrix, shape, Window::shrink), slow = slidReference(matrix, shape);
    REQUIRE(fast.size() == slow.size());
    for (std::size_t i = 0; i < fast.size(); ++i) {
      CHECK(fast[i].first == slow[i].first);
      CHECK(fast[i].rows == slow[i].rows);
      REQUIRE(fast[i].shards.size() == slow[i].shards.size());
      for (std::size_t s = 0; s < fast[i].shards.size(); ++s) {
        CHECK(fast[i].shards[s].first == slow[i].shards[s].first);
        CHECK(fast[i].shards[s].rows == slow[i].shards[s].rows);
        CHECK(fast[i].shards[s].nonzeros == slow[i].shards[s].nonzeros);
        CHECK(fast[i].shards[s].bytes == slow[i].shards[s].bytes);
        CHECK(fast[i].shards[s].busiest == slow[i].shards[s].busiest);
      }
    }
  }
}

TEST_CASE("every window policy holds all edges, and the finer ones bring no more", "[simulator][hygcn]") {
  const auto arcs = GENERATE(1, 40, 900);
  const Csr matrix = randomDirected(70, arcs, 9);
  const TileShape shape{13, 8, 16, 16};  // a line a row
  for (const Window window : {Window::fit, Window::shrink, Window::gather}) {
    std::int64_t edges = 0;
    for (const Seen& interval : shardsOf(matrix, shape, window))
      for (const Shard& shard : interval.shards) edges += shard.nonzeros;
    CHECK(edges == matrix.nonzeros());
  }
  const auto bytes = [&](Window window) { return bytesOf(shardsOf(matrix, shape, window)); };
  CHECK(bytes(Window::shrink) <= bytes(Window::fit));
  CHECK(bytes(Window::gather) <= bytes(Window::shrink));
}

TEST_CASE("expected windows bring what those counted in random graphs do", "[simulator][hygcn]") {
  const auto degree = GENERATE(0.02, 0.2, 1.0, 5.0, 30.0);
  const auto window = GENERATE(20, 300, 2000);
  const Index n = 6000;
  const TileShape shape{1500, window, 16, 64};
  std::int64_t expected = 0, counted = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Csr matrix = randomDirected(n, static_cast<Index>(degree * static_cast<double>(n)), seed);
    forEachInterval({n, matrix.nonzeros(), 1, nullptr}, shape, Window::shrink, kFourBanks,
                    [&](const hygcn::Interval& interval) {
                      for (const Shard& shard : interval.shards) expected += shard.bytes;
                    });
    counted += bytesOf(shardsOf(matrix, shape, Window::shrink));
  }
  CAPTURE(degree, window, expected, counted);
  CHECK(static_cast<double>(expected) / static_cast<double>(counted) == Approx(1).margin(0.05));
}

TEST_CASE("a share of sources slid over is one where all are needed, none where none is",
          "[simulator][hygcn]") {
  CHECK(expectedSlid(100, 1) == 1);
  CHECK(expectedSlid(100, 0) == 0);
  CHECK(expectedSlid(1, 0.25) == Approx(0.25));  // windows of one row bring what is needed
  CHECK(expectedSlid(1e6, 0.5) == Approx(1).margin(1e-5));
  CHECK(expectedSlid(10, 0.2) > 0.2);
  CHECK(expectedSlid(10, 0.2) < expectedSlid(20, 0.2));
}
