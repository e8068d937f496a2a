#include "simulator/graph/reuse.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "datasets/generate/rmat.h"
#include "datasets/graph/order.h"
#include "engine/base/clock.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;

namespace {

constexpr CacheBytes kTiny{1024, 4096, 16384};

std::array<double, kLevels> shares(const std::vector<Wave>& waves) {
  std::array<double, kLevels> sum{};
  double all = 0;
  for (const Wave& wave : waves)
    for (std::size_t l = 0; l < kLevels; ++l) {
      sum[l] += wave.byLevel[l];
      all += wave.byLevel[l];
    }
  for (double& share : sum) share /= all;
  return sum;
}

RowAccess rowsOf(std::int64_t strideBytes, const Csr& A) {
  RowAccess access;
  access.strideBytes = strideBytes;
  access.sumBytes = strideBytes;
  access.passBytes = static_cast<double>(A.cols * strideBytes);
  return access;
}

}  // namespace

TEST_CASE("rows are found where looking back for every nonzero finds them", "[simulator]") {
  const std::int64_t cores = GENERATE(1, 2, 3, 8), stride = GENERATE(4, 16, 36, 64, 100, 256);
  for (const Dataset& set : halo::test::hardGraphs()) {
    CAPTURE(set.name, cores, stride);
    for (const std::int64_t parts : {std::int64_t{1}, 3 * cores, 5 * cores + 1}) {
      const std::vector<Index> borders = blockBorders(set.arcs, parts);
      RowAccess access = rowsOf(stride, set.arcs);
      const auto fast = reuse(set.arcs, borders, cores, access, kTiny, 1);
      const auto slow = reuseReference(set.arcs, borders, cores, access, kTiny);
      REQUIRE(fast.size() == slow.size());
      for (std::size_t w = 0; w < fast.size(); ++w) {
        CHECK(fast[w].rows == slow[w].rows);
        CHECK(fast[w].nonzeros == slow[w].nonzeros);
        CHECK(fast[w].byLevel == slow[w].byLevel);
      }
    }
  }
}

TEST_CASE("a graph that outgrows the marks of a pass is counted like any other", "[simulator]") {
  // 300 rows of X touched 6,000 times: the marks over time are put together several times
  const Csr A = rmat(8, 24, 5);
  const std::vector<Index> borders = blockBorders(A, 8);
  const RowAccess access = rowsOf(64, A);
  CHECK(shares(reuse(A, borders, 2, access, kTiny, 1)) ==
        shares(reuseReference(A, borders, 2, access, kTiny)));
}

TEST_CASE("a cyclic sweep just larger than a cache finds nothing in it, one as large all", "[simulator]") {
  // 8 rows that each read columns 0 to 15 in order, lines of 64 bytes: 1,024 bytes, and nothing else streams
  std::vector<Arc> arcs;
  for (Vertex r = 0; r < 16; ++r)
    for (Vertex c = 0; c < 16; ++c) arcs.push_back({c, r});
  const Csr A = buildCsr(16, arcs, true);
  RowAccess access;
  access.indexBytes = 0;
  access.passBytes = 1e9;
  const std::vector<Index> borders = {0, 16};
  const auto fits = shares(reuse(A, borders, 1, access, {1024, 4096, 8192}, 1));
  CHECK(fits[kInFirst] == 15.0 / 16);  // all but the first time
  CHECK(fits[kInMemory] == 1.0 / 16);
  const auto tooSmall = shares(reuse(A, borders, 1, access, {1023, 4096, 8192}, 1));
  CHECK(tooSmall[kInFirst] == 0);
  CHECK(tooSmall[kInSecond] == 15.0 / 16);
  access.passBytes = 8192;  // what the pass before left in the last level
  CHECK(shares(reuse(A, borders, 1, access, {1023, 4096, 8192}, 1))[kInThird] == 1.0 / 16);
  // column numbers that stream by push rows out: 16 of 4 bytes between two uses of a row
  access.indexBytes = 4;
  CHECK(shares(reuse(A, borders, 1, access, {1024, 4096, 8192}, 1))[kInFirst] == 0);
  CHECK(shares(reuse(A, borders, 1, access, {1088, 4096, 8192}, 1))[kInFirst] == 15.0 / 16);
}

TEST_CASE("a sample of the rows finds about what all of them find", "[simulator]") {
  const Csr plain = rmat(16, 8, 3), ordered = permuted(plain, rcmOrder(plain));
  for (const Csr* A : {&plain, &ordered})
    for (const std::int64_t stride : {16, 128, 1024}) {
      const RowAccess access = rowsOf(stride, *A);
      const CacheBytes caches{48e3, 512e3, 4e6};
      const std::vector<Index> borders = blockBorders(*A, 64);
      const double share = std::min(0.25, sampledShare(*A, access));
      const auto exact = shares(reuse(*A, borders, 2, access, caches, 1));
      const auto sampled = shares(reuse(*A, borders, 2, access, caches, share));
      CAPTURE(A == &ordered, stride);
      // some hundred hubs have a good part of the nonzeros, and each of them is followed or is not
      for (std::size_t l = 0; l < kLevels; ++l) CHECK(sampled[l] == Approx(exact[l]).margin(0.04));
    }
}

TEST_CASE("counts alone tell what arcs at random places would", "[simulator]") {
  // 20,000 rows of 8 columns each, any of 4,096 rows of 64 bytes: 256 KiB
  std::vector<Arc> arcs;
  PhiloxStream random(7, Purpose::shuffle, 1);
  const Vertex n = 1 << 13;
  for (Vertex r = 0; r < n; ++r)
    for (int k = 0; k < 16; ++k)
      arcs.push_back({static_cast<Vertex>(random.below(static_cast<std::uint64_t>(n))), r});
  const Csr A = buildCsr(n, arcs, true);
  RowAccess access = rowsOf(64, A);
  access.indexBytes = access.sumBytes = 0;
  for (const CacheBytes& caches : {CacheBytes{16e3, 128e3, 256e3}, CacheBytes{32e3, 64e3, 1e6}}) {
    const auto counted = shares(reuse(A, blockBorders(A, 64), 2, access, caches, 1));
    const auto nonzeros = static_cast<double>(A.nonzeros());
    auto expected = expectedReuse(nonzeros, n, n, n, access, caches);
    for (std::size_t l = 0; l < kLevels; ++l)
      CHECK(expected[l] / nonzeros == Approx(counted[l]).margin(0.03));
  }
}

TEST_CASE("blocks cover every row once, with about equally much in each", "[simulator]") {
  const auto parts = GENERATE(1, 2, 7, 64);
  for (const Dataset& set : halo::test::hardGraphs()) {
    CAPTURE(set.name, parts);
    const std::vector<Index> borders = blockBorders(set.arcs, parts);
    REQUIRE(borders.size() == at(parts) + 1);
    CHECK(borders.front() == 0);
    CHECK(borders.back() == set.arcs.rows());
    CHECK(std::ranges::is_sorted(borders));
  }
  const Csr A = rmat(12, 8, 1);
  const std::vector<Index> borders = blockBorders(A, parts);
  const auto all = static_cast<double>(A.rows() + A.nonzeros());
  Index widest = 0;
  for (Index r = 0; r < A.rows(); ++r) widest = std::max(widest, A.degree(r) + 1);
  for (std::size_t b = 0; b + 1 < borders.size(); ++b) {
    const Index work =
        borders[b + 1] - borders[b] + A.offsets[at(borders[b + 1])] - A.offsets[at(borders[b])];
    CHECK(static_cast<double>(work) <= all / parts + static_cast<double>(widest) + parts);
  }
}
