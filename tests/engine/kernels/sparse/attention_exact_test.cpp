#include "engine/kernels/sparse/attention.h"

#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

constexpr Scalar kSlope = static_cast<Scalar>(0.2);

struct Case {
  Case(Index rows, Index cols, Index degree, Index heads, Index width)
      : A(randomGraph(rows, cols, degree, false, 1)),
        Y(randomMatrix(cols, heads * width, 2)),
        source(randomMatrix(cols, heads, 3)),
        target(randomMatrix(rows, heads, 4)),
        dZ(randomMatrix(rows, heads * width, 5)) {
    for (Matrix* scores : {&source, &target})
      for (Scalar& s : scores->values()) s *= 4;
  }
  EdgeScores scores() const { return {source, target, kSlope}; }

  Csr A;
  Matrix Y, source, target, dZ;
};

/// The columns [begin, end) of A.
Csr slice(const Csr& A, Index begin, Index end) {
  Csr part;
  part.cols = end - begin;
  for (Index v = 0; v < A.rows(); ++v) {
    for (const Vertex u : A.row(v))
      if (u >= begin && u < end) part.columns.push_back(static_cast<Vertex>(u - begin));
    part.offsets.push_back(static_cast<Index>(part.columns.size()));
  }
  return part;
}

Matrix rowsOf(const Matrix& X, Index begin, Index end) {
  Matrix part(end - begin, X.cols());
  std::copy_n(X.data() + begin * X.cols(), part.size(), part.data());
  return part;
}

struct Result {
  Matrix Z, dY, dSource, dTarget;
};

/// Forward and backward over the columns cut at `borders`.
Result inBlocks(const Case& c, const std::vector<Index>& borders) {
  const Index heads = c.target.cols();
  Result r;
  RunningSoftmax softmax;
  Matrix logSum, products;
  beginAttention(c.A.rows(), c.Y.cols(), heads, softmax, r.Z);
  for (std::size_t b = 0; b + 1 < borders.size(); ++b) {
    const Matrix source = rowsOf(c.source, borders[b], borders[b + 1]);
    attend(slice(c.A, borders[b], borders[b + 1]), rowsOf(c.Y, borders[b], borders[b + 1]),
           {source, c.target, kSlope}, softmax, r.Z);
  }
  finishAttention(softmax, r.Z, logSum);
  headProducts(c.dZ, r.Z, heads, products);
  r.dY.resize(c.Y.rows(), c.Y.cols());
  r.dSource.resize(c.Y.rows(), heads);
  r.dTarget.setZero(c.A.rows(), heads);
  for (std::size_t b = 0; b + 1 < borders.size(); ++b) {
    const Csr block = slice(c.A, borders[b], borders[b + 1]);
    const Matrix source = rowsOf(c.source, borders[b], borders[b + 1]);
    Matrix dY, dSource, dEdges;
    attendBackward(transpose(block), transposedPlaces(block), rowsOf(c.Y, borders[b], borders[b + 1]),
                   {source, c.target, kSlope}, {logSum, products, c.dZ}, dY, dSource, dEdges);
    sumEdges(block, dEdges, r.dTarget);
    std::ranges::copy(dY.values(), r.dY.data() + borders[b] * c.Y.cols());
    std::ranges::copy(dSource.values(), r.dSource.data() + borders[b] * heads);
  }
  return r;
}

void checkAttention(Index rows, Index cols, Index degree, Index heads, Index width) {
  CAPTURE(rows, cols, degree, heads, width);
  const Case c(rows, cols, degree, heads, width);
  Matrix Z, dY, dSource, dTarget;
  attendReference(c.A, c.Y, c.scores(), Z);
  attendBackwardReference(c.A, c.Y, c.scores(), c.dZ, dY, dSource, dTarget);
  // an edge's gradient is a difference of inner products of `width` terms; a hub sums one for every row
  const double once = 64 * kEpsilon, many = 16 * kEpsilon * static_cast<double>((rows + cols + 4) * width);
  for (const auto& borders : {std::vector<Index>{0, cols}, {0, cols / 3, cols / 3, cols - 1, cols}}) {
    const Result r = inBlocks(c, borders);
    REQUIRE(largestDifference(r.Z, Z) <= once);
    REQUIRE(largestDifference(r.dY, dY) <= many);
    REQUIRE(largestDifference(r.dSource, dSource) <= many);
    REQUIRE(largestDifference(r.dTarget, dTarget) <= many);
  }
}

}  // namespace

TEST_CASE("attention agrees with its definition, in one block and in several", "[attention]") {
  const Index rows = GENERATE(1, 7, 300);
  const Index cols = GENERATE(1, 40, 517);
  const Index degree = GENERATE(1, 5, 40);
  const Index heads = GENERATE(1, 3, 8);
  const Index width = GENERATE(1, 5, 8, 17, 64);
  checkAttention(rows, cols, degree, heads, width);
}

TEST_CASE("attention of every width agrees with its definition on every instruction set here",
          "[attention][targets]") {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget only(target);
    CAPTURE(hwy::TargetName(target));
    for (Index width = 1; width <= 35; ++width) checkAttention(9, 20, 4, 3, width);
  }
}

TEST_CASE("attention gives the same bits for any number of threads", "[attention][threads]") {
  const Index heads = GENERATE(1, 8), width = GENERATE(8, 33);
  CAPTURE(heads, width);
  const Case c(3000, 2500, 30, heads, width);
  for (Matrix Result::*part : {&Result::Z, &Result::dY, &Result::dSource, &Result::dTarget})
    requireSameBitsForAnyThreads([&] { return inBlocks(c, {0, 700, 2500}).*part; });
}

TEST_CASE("a transpose alone gives the gradients of its block to the bit", "[attention][threads]") {
  const Index heads = GENERATE(1, 3, 8);
  CAPTURE(heads);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {7, 300}, {300, 7}, {900, 700}}) {
    CAPTURE(rows, cols);
    const Case c(rows, cols, 12, heads, 5);
    const Csr turned = transpose(c.A);
    const Matrix logSum = randomMatrix(rows, heads, 6), products = randomMatrix(rows, heads, 7),
                 before = randomMatrix(rows, heads, 8);
    Matrix dY, dSource, dEdges, expected = before;
    attendBackward(turned, transposedPlaces(c.A), c.Y, c.scores(), {logSum, products, c.dZ}, dY, dSource,
                   dEdges);
    sumEdges(c.A, dEdges, expected);
    attendBackward(turned, {}, c.Y, c.scores(), {logSum, products, c.dZ}, dY, dSource, dEdges);
    const auto sums = [&] {
      Matrix total = before;
      sumTurnedEdges(turned, dEdges, total);
      return total;
    };
    REQUIRE(std::ranges::equal(sums().values(), expected.values()));
    requireSameBitsForAnyThreads(sums);
  }
}

TEST_CASE("gradients in the rows' own place are those beside them, to the bit", "[attention][threads]") {
  const Index heads = GENERATE(1, 3, 8), width = GENERATE(1, 5, 32);
  CAPTURE(heads, width);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {7, 300}, {900, 1500}}) {
    CAPTURE(rows, cols);
    const Case c(rows, cols, 12, heads, width);
    const Csr turned = transpose(c.A);
    const Buffer<Index> places = transposedPlaces(c.A);
    const Matrix logSum = randomMatrix(rows, heads, 6), products = randomMatrix(rows, heads, 7),
                 a = randomMatrix(heads, width, 8), before = randomMatrix(heads, width, 9);
    const AttentionGradient gradient{logSum, products, c.dZ};
    Matrix dY, dSource, dEdges, da = before, place = c.Y, dSourceToo, dEdgesToo, daToo = before;
    attendBackward(turned, places, c.Y, c.scores(), gradient, dY, dSource, dEdges);
    headScoresBackward(c.Y, a, dSource, dY, da);
    attendBackwardScores(turned, places, place, c.scores(), gradient, dSourceToo, dEdgesToo);
    headVectorGradient(place, dSourceToo, daToo);
    attendBackwardValues(turned, c.scores(), gradient, place);
    addHeadRows(dSourceToo, a, place);
    CHECK(std::ranges::equal(place.values(), dY.values()));
    CHECK(std::ranges::equal(dSourceToo.values(), dSource.values()));
    CHECK(std::ranges::equal(dEdgesToo.values(), dEdges.values()));
    CHECK(std::ranges::equal(daToo.values(), da.values()));
  }
}

TEST_CASE("attention stays finite where scores are huge", "[attention]") {
  Case c(50, 60, 9, 2, 4);
  for (Scalar& s : c.source.values()) s *= 1000;
  Matrix Z;
  attendReference(c.A, c.Y, c.scores(), Z);
  REQUIRE(largestDifference(inBlocks(c, {0, 11, 60}).Z, Z) <= 20000 * kEpsilon);
}

TEST_CASE("attention keeps a NaN and gives rows without edges zeros", "[attention]") {
  Case c(50, 60, 9, 2, 4);
  const Vertex poisoned = c.A.row(1).empty() ? c.A.row(2)[0] : c.A.row(1)[0];
  for (const bool nan : {false, true}) {
    if (nan) c.source(poisoned, 1) = std::numeric_limits<Scalar>::quiet_NaN();
    const Matrix Z = inBlocks(c, {0, 30, 60}).Z;
    for (Index v = 0; v < 50; ++v) {
      const bool hit = nan && std::ranges::find(c.A.row(v), poisoned) != c.A.row(v).end();
      CHECK(std::isnan(Z(v, 5)) == hit);
      CHECK_FALSE(std::isnan(Z(v, 2)));  // the other head
      if (c.A.degree(v) == 0) CHECK(Z(v, 5) == 0);
    }
  }
}

TEST_CASE("head scores and their adjoint agree with plain sums", "[attention]") {
  const Index heads = GENERATE(1, 4), width = GENERATE(1, 8, 19);
  CAPTURE(heads, width);
  const Index rows = 2100;  // more than one block of partial sums
  const Matrix Y = randomMatrix(rows, heads * width, 1), a = randomMatrix(heads, width, 2),
               dS = randomMatrix(rows, heads, 3);
  Matrix S, products, dY = randomMatrix(rows, heads * width, 4), da = randomMatrix(heads, width, 5);
  Matrix dYBefore = dY;
  std::vector<double> daExpected(da.values().begin(), da.values().end());
  headScores(Y, a, S);
  headProducts(Y, dY, heads, products);
  headScoresBackward(Y, a, dS, dY, da);
  for (Index v = 0; v < rows; ++v) {
    for (Index h = 0; h < heads; ++h) {
      double score = 0, product = 0;
      for (Index j = 0; j < width; ++j) {
        const Index at = h * width + j;
        score += static_cast<double>(Y(v, at)) * a(h, j);
        product += static_cast<double>(Y(v, at)) * dYBefore(v, at);
        daExpected[static_cast<std::size_t>(at)] += static_cast<double>(dS(v, h)) * Y(v, at);
        CHECK(dY(v, at) == Approx(dYBefore(v, at) + dS(v, h) * a(h, j)).margin(8 * kEpsilon));
      }
      CHECK(S(v, h) == Approx(score).margin(64 * kEpsilon));
      CHECK(products(v, h) == Approx(product).margin(64 * kEpsilon));
    }
  }
  for (std::size_t j = 0; j < daExpected.size(); ++j)
    CHECK(da.data()[j] == Approx(daExpected[j]).epsilon(1e-5).margin(4096 * kEpsilon));
}

TEST_CASE("attention counts its operations", "[attention]") {
  const Case c(100, 100, 7, 2, 6);
  const auto before = work().sparse;
  inBlocks(c, {0, 100});
  // forward 2 and backward 4 for every edge and element, 2 for the products of dZ and Z
  REQUIRE(work().sparse - before == 6 * c.A.nonzeros() * 12 + 2 * 100 * 12);
}

}  // namespace halo
