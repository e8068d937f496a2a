#include "simulator/graph/column_stretches.h"

#include <catch2/catch.hpp>

#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;

namespace {

/// By the definition: all of them in order, whole blocks of `length` numbered, so many evenly taken.
std::vector<std::array<std::int64_t, 3>> defined(const Csr& matrix, std::int64_t first, std::int64_t last,
                                                 std::int64_t sampleSize, std::int64_t length) {
  std::vector<std::array<std::int64_t, 3>> all;
  for (std::int64_t r = first; r < last; ++r) {
    const auto row = CsrRows(matrix).row(r);
    for (std::size_t i = 0; i < row.size(); ++i)
      all.push_back({row[i], r - first, static_cast<std::int64_t>(i)});
  }
  std::ranges::sort(all);
  if (std::ssize(all) <= std::max(sampleSize, length)) return all;
  std::vector<std::array<std::int64_t, 3>> sample;
  const std::int64_t count = std::max<std::int64_t>(1, sampleSize / length),
                     blocks = std::ssize(all) / length;
  for (std::int64_t s = 0; s < count; ++s) {
    const std::int64_t begin = (2 * s + 1) * blocks / (2 * count) * length;
    sample.insert(sample.end(), all.begin() + begin, all.begin() + begin + length);
  }
  return sample;
}

}  // namespace

TEST_CASE("stretches of nonzeros by column are those of the definition", "[simulator]") {
  PhiloxStream random(3, Purpose::shuffle, 41);
  for (int trial = 0; trial < 40; ++trial) {
    // beyond 65,536 columns several share a bucket; few rows make hubs of columns
    const auto vertices = static_cast<Index>(trial % 4 == 3 ? 200'000 : 20 + random.below(3000));
    std::vector<Arc> arcs = test::randomArcs(vertices, 4000, static_cast<std::uint64_t>(trial));
    for (auto& [from, to] : arcs)
      if (random.below(3) == 0) from = from % 7;
    const Csr matrix = buildCsr(vertices, arcs, true);
    const auto first = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(vertices / 4)));
    const std::int64_t last = vertices - static_cast<std::int64_t>(random.below(5));
    const auto sampleSize = static_cast<std::int64_t>(random.below(3500));
    const auto length = static_cast<std::int64_t>(1 + random.below(trial % 2 == 0 ? 20 : 800));
    CAPTURE(trial, vertices, first, last, sampleSize, length);
    std::vector<std::array<std::int64_t, 3>> stretches;
    for (const auto& [column, row, index] : stretchesByColumn(matrix, first, last, sampleSize, length))
      stretches.push_back({column, row, index});
    CHECK(stretches == defined(matrix, first, last, sampleSize, length));
  }
}

TEST_CASE("no rows, or rows without nonzeros, have no stretches", "[simulator]") {
  const Csr matrix = buildCsr(5, std::vector<Arc>{{1, 3}}, true);
  CHECK(allByColumn(matrix, 0, 0).empty());
  CHECK(allByColumn(matrix, 0, 3).empty());
  REQUIRE(stretchesByColumn(matrix, 2, 5, 0, 1).size() == 1);
}
