#include "engine/kernels/dense/activation.h"

#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

std::vector<Scalar> randomVector(Index size, std::uint64_t seed) {
  const Matrix X = randomMatrix(1, size, seed);
  return {X.values().begin(), X.values().end()};
}

std::vector<Vertex> globalIds(Index rows) {
  std::vector<Vertex> ids;
  for (Index r = 0; r < rows; ++r) ids.push_back(static_cast<Vertex>(1000 + 7 * r));
  return ids;
}

// The definition: one draw a feature, from the block of four it belongs to.
Matrix dropoutReference(const Matrix& X, std::span<const Vertex> ids, DropoutKey key, double rate,
                        Index firstColumn) {
  Matrix Y = X;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j) {
      const auto feature = static_cast<std::uint32_t>(firstColumn + j);
      const auto words =
          philox(key.seed, Purpose::dropout, static_cast<std::uint64_t>(ids[static_cast<std::size_t>(i)]),
                 key.epoch, key.layer << 16 | feature / 4);
      Y(i, j) = unit(words[feature % 4]) >= rate ? X(i, j) * static_cast<Scalar>(1 / (1 - rate)) : Scalar{0};
    }
  return Y;
}

// sum of dY ⊙ layerNorm(X): its derivative with respect to anything is what layerNormBackward returns
double normedSum(const Matrix& X, std::span<const Scalar> scale, std::span<const Scalar> shift,
                 const Matrix& dY) {
  Matrix Y, saved;
  layerNorm(X, scale, shift, Y, saved);
  double sum = 0;
  for (Index k = 0; k < Y.size(); ++k) sum += static_cast<double>(Y.data()[k]) * dY.data()[k];
  return sum;
}

}  // namespace

TEST_CASE("element-wise kernels agree with their definition", "[activation]") {
  const Index rows = GENERATE(0, 1, 9, 3001);
  const Index features = GENERATE(1, 3, 16, 41);
  const int threads = GENERATE(1, 2, 4);
  CAPTURE(rows, features, threads);
  const Threads guard(threads);
  const Matrix X = randomMatrix(rows, features, 1), G = randomMatrix(rows, features, 2);
  const auto bias = randomVector(features, 3);
  Matrix biased = X, rectified, back = G, sum = G, scaled = G;
  addBias(biased, bias);
  relu(X, rectified);
  reluBackward(rectified, back);
  add(X, sum);
  scaleAdd(Scalar{0.5}, X, scaled);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < features; ++j) {
      const Scalar x = X(i, j), g = G(i, j);
      REQUIRE(biased(i, j) == x + bias[static_cast<std::size_t>(j)]);
      REQUIRE(rectified(i, j) == (x > 0 ? x : 0));
      REQUIRE(back(i, j) == (x > 0 ? g : 0));
      REQUIRE(sum(i, j) == g + x);
      REQUIRE(scaled(i, j) == g + Scalar{0.5} * x);
    }
}

TEST_CASE("relu lets a NaN through and works in place", "[activation]") {
  Matrix X = randomMatrix(5, 7, 1);
  X(2, 3) = std::numeric_limits<Scalar>::quiet_NaN();
  relu(X, X);
  CHECK(std::isnan(X(2, 3)));
  CHECK(*std::ranges::min_element(X.row(0)) >= 0);
}

TEST_CASE("bits of what is positive mask as relu's gradient does", "[activation]") {
  const auto rows = GENERATE(0, 1, 7, 300);
  const auto cols = GENERATE(0, 1, 7, 8, 9, 17, 64);
  CAPTURE(rows, cols);
  const Matrix X = randomMatrix(rows, cols, /*seed=*/5);
  Buffer<std::uint8_t> bits;
  positiveBits(X, bits);
  const Index stride = (cols + 7) / 8;
  REQUIRE(static_cast<Index>(bits.size()) == rows * stride);
  bool right = true;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < 8 * stride; ++j) {
      const bool set = (bits[static_cast<std::size_t>(i * stride + j / 8)] >> (j % 8) & 1) != 0;
      right &= set == (j < cols && X(i, j) > 0);
    }
  CHECK(right);
}

TEST_CASE("column sums are exact to rounding and do not depend on threads", "[activation][threads]") {
  const Index rows = GENERATE(0, 1, 1025, 9000);
  const Matrix X = randomMatrix(rows, 37, 1);
  std::vector<Scalar> sums(37);
  columnSums(X, sums);
  for (Index j = 0; j < 37; ++j) {
    double expected = 0;
    for (Index i = 0; i < rows; ++i) expected += X(i, j);
    // summed in double, rounded once; the double sums differ by their order
    REQUIRE(std::abs(expected - sums[static_cast<std::size_t>(j)]) <=
            kEpsilon * std::abs(expected) + 1e-15 * static_cast<double>(rows));
  }
  requireSameBitsForAnyThreads([&] {
    Matrix out(1, 37);
    columnSums(X, out.row(0));
    return out;
  });
}

TEST_CASE("layer norm gives rows of mean shift and spread scale", "[activation]") {
  const Index features = GENERATE(2, 7, 16, 256);
  const Matrix X = randomMatrix(40, features, 1);
  const std::vector<Scalar> scale(static_cast<std::size_t>(features), 2),
      shift(static_cast<std::size_t>(features), 3);
  Matrix Y, saved;
  layerNorm(X, scale, shift, Y, saved);
  for (Index i = 0; i < 40; ++i) {
    double mean = 0, square = 0, variance = 0;
    for (const Scalar x : X.row(i)) mean += x / static_cast<double>(features);
    for (const Scalar x : X.row(i)) variance += (x - mean) * (x - mean) / static_cast<double>(features);
    for (Index j = 0; j < features; ++j) {
      const double expected = 2 * (X(i, j) - mean) / std::sqrt(variance + 1e-5) + 3;
      // values up to sqrt(features) times scale, a few roundings each
      REQUIRE(std::abs(Y(i, j) - expected) <= 32 * kEpsilon * (3 + 2 / std::sqrt(variance + 1e-5)));
      square += Y(i, j);
    }
    REQUIRE(square / static_cast<double>(features) ==
            Approx(3).margin(64 * kEpsilon * (3 + 2 / std::sqrt(variance))));
    REQUIRE(saved(i, 0) == Approx(mean).margin(4 * kEpsilon));
  }
}

TEST_CASE("layer norm's gradients agree with finite differences", "[activation][gradient]") {
  // central differences: error step² · third derivative + rounding / step; float rounding leaves about three
  // digits
  const double step = sizeof(Scalar) == 8 ? 1e-5 : 1e-2, allowed = sizeof(Scalar) == 8 ? 1e-6 : 2e-2;
  const Index rows = 5, features = 6;
  const Matrix X = randomMatrix(rows, features, 1), dY = randomMatrix(rows, features, 2);
  auto scale = randomVector(features, 3), shift = randomVector(features, 4);
  Matrix Y, saved, dX;
  std::vector<Scalar> dScale(scale.size()), dShift(shift.size());
  layerNorm(X, scale, shift, Y, saved);
  layerNormBackward(X, saved, scale, dY, dX, dScale, dShift);
  const auto slope = [&](Scalar& at, auto&& value) {
    const Scalar original = at;
    at = static_cast<Scalar>(original + step);
    const double above = value();
    at = static_cast<Scalar>(original - step);
    const double below = value();
    at = original;
    return (above - below) / (2 * step);
  };
  Matrix moved = X;
  const auto value = [&] { return normedSum(moved, scale, shift, dY); };
  for (Index k = 0; k < moved.size(); ++k)
    CHECK(std::abs(slope(moved.data()[k], value) - dX.data()[k]) <= allowed);
  for (std::size_t j = 0; j < scale.size(); ++j) {
    CHECK(std::abs(slope(scale[j], value) - dScale[j]) <= allowed);
    CHECK(std::abs(slope(shift[j], value) - dShift[j]) <= allowed);
  }
}

TEST_CASE("layer norm and its gradients do not depend on threads, nor on working in place",
          "[activation][threads]") {
  const Index rows = 2100, features = 33;
  const Matrix X = randomMatrix(rows, features, 1), dY = randomMatrix(rows, features, 2);
  const auto scale = randomVector(features, 3), shift = randomVector(features, 4);
  const auto all = [&](bool inPlace) {
    Matrix Y, saved, dX, out(2, features);
    layerNorm(X, scale, shift, Y, saved);
    if (inPlace) {
      dX = dY;
      layerNormBackward(X, saved, scale, dX, dX, out.row(0), out.row(1));
    } else {
      layerNormBackward(X, saved, scale, dY, dX, out.row(0), out.row(1));
    }
    Matrix joined(2 * rows + 2, features);
    auto at = joined.values().begin();
    for (const Matrix* part : {&Y, &dX, &out}) at = std::ranges::copy(part->values(), at).out;
    return joined;
  };
  requireSameBitsForAnyThreads([&] { return all(false); });
  REQUIRE(sameBits(all(false), all(true)));
}

TEST_CASE("dropout draws what its key says, for any slice of the features", "[activation][dropout]") {
  const Index rows = GENERATE(0, 1, 50);
  const Index features = GENERATE(1, 3, 4, 5, 16, 31, 64, 130);
  const Index firstColumn = GENERATE(0, 1, 2, 3, 40);
  const double rate = GENERATE(0.0, 0.3, 0.5);
  CAPTURE(rows, features, firstColumn, rate);
  const Matrix X = randomMatrix(rows, features, 1);
  const auto ids = globalIds(rows);
  const DropoutKey key{.seed = 0x123456789abcdefULL, .epoch = 3, .layer = 2};
  Matrix Y;
  dropout(X, ids, key, rate, Y, firstColumn);
  REQUIRE(sameBits(Y, dropoutReference(X, ids, key, rate, firstColumn)));
  Matrix inPlace = X;
  dropout(inPlace, ids, key, rate, inPlace, firstColumn);
  REQUIRE(sameBits(Y, inPlace));
}

TEST_CASE("dropout and bits of some rows leave the others as they are", "[activation][dropout]") {
  const Matrix X = randomMatrix(300, 11, 9);
  const std::vector<Vertex> ids = globalIds(300);
  const DropoutKey key{5, 2, 1};
  const double rate = GENERATE(0.0, 0.5);
  Matrix expected, parts(300, 11);
  dropout(X, ids, key, rate, expected, 3);
  Buffer<std::uint8_t> expectedBits, bits;
  positiveBits(X, expectedBits);
  parts.fill(7);
  for (const SomeRows rows : {SomeRows{0, 1}, SomeRows{150, 150}, SomeRows{20, 0}}) {
    dropout(X, rows, ids, key, rate, parts, 3);
    positiveBits(X, rows, bits);
  }
  REQUIRE(bits.size() == expectedBits.size());
  for (Index r = 0; r < 300; ++r) {
    CAPTURE(r);
    const bool done = r == 0 || r >= 150;
    if (done) CHECK(std::ranges::equal(parts.row(r), expected.row(r)));
    if (!done) CHECK(std::ranges::all_of(parts.row(r), [](Scalar x) { return x == 7; }));
    if (done) CHECK(std::equal(bits.begin() + 2 * r, bits.begin() + 2 * r + 2, expectedBits.begin() + 2 * r));
  }
}

TEST_CASE("dropout keeps the promised share and the mean", "[activation][dropout]") {
  Matrix X(2000, 50), Y;
  X.fill(1);
  dropout(X, globalIds(2000), {.seed = 1, .epoch = 1, .layer = 0}, 0.3, Y);
  double sum = 0;
  Index kept = 0;
  for (const Scalar y : Y.values()) {
    sum += y;
    kept += y != 0;
  }
  // 100 000 draws: standard deviation of the share 0.00145, five of them allowed
  CHECK(static_cast<double>(kept) / 1e5 == Approx(0.7).margin(0.00725));
  CHECK(sum / 1e5 == Approx(1.0).margin(0.0104));
}

TEST_CASE("dropout does not depend on threads", "[activation][dropout][threads]") {
  const Matrix X = randomMatrix(3000, 45, 1);
  const auto ids = globalIds(3000);
  requireSameBitsForAnyThreads([&] {
    Matrix Y;
    dropout(X, ids, {.seed = 9, .epoch = 1, .layer = 1}, 0.5, Y);
    return Y;
  });
}

}  // namespace halo
