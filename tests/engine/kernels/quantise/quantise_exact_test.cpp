// Rows as 8, 4 or 2 bits an element (resources/design/methods.md, Codes).
#include "engine/kernels/quantise/quantise.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/kernels/threads/work.h"
#include "tests/engine/kernels/kernel_support.h"

using namespace halo;
using namespace halo::kernel_test;

namespace {

struct Message {
  std::vector<Vertex> rows;
  std::vector<std::uint64_t> ids;
  std::vector<RowRange> ranges;
  std::vector<std::uint8_t> codes;

  Message(const Matrix& X, const Coding& coding) {
    for (Vertex r = static_cast<Vertex>(X.rows()) - 1; r >= 0; --r) rows.push_back(r);  // not in order
    ids.resize(rows.size());
    std::iota(ids.begin(), ids.end(), 1000);
    ranges.resize(rows.size());
    codes.resize(static_cast<std::size_t>(codeBytes(X.rows(), X.cols(), coding.bits)), 0xAA);
  }
};

Matrix decoded(const Matrix& X, const Coding& coding) {
  Message message(X, coding);
  encodeRows(X, message.rows, message.ids, coding, message.ranges, message.codes);
  Matrix Y(X.rows(), X.cols());
  decodeRows(message.codes, message.ranges, coding.bits, message.rows, Y);
  return Y;
}

double at(const Matrix& X, Index i, Index j) { return static_cast<double>(X(i, j)); }

double stepOf(const Matrix& X, Index row, const Coding& coding) {
  const auto [low, high] = std::ranges::minmax(X.row(row));
  return static_cast<double>(
      rangeOf(static_cast<double>(low), static_cast<double>(high), coding.bits, coding.shortRange).step);
}

}  // namespace

namespace {

void checkCodes(Index rows, Index cols, const Coding& coding) {
  const Matrix X = randomMatrix(rows, cols, 17);
  Message fast(X, coding), slow(X, coding);
  encodeRows(X, fast.rows, fast.ids, coding, fast.ranges, fast.codes);
  encodeRowsReference(X, slow.rows, slow.ids, coding, slow.ranges, slow.codes);
  // without fused multiply-add an element on the edge of two codes may fall to the other side
  Index different = 0;
  for (std::size_t i = 0; i < fast.codes.size(); ++i) different += fast.codes[i] != slow.codes[i];
  REQUIRE(different <= static_cast<Index>(fast.codes.size()) / 500);
  for (std::size_t i = 0; i < fast.rows.size(); ++i) {
    REQUIRE(fast.ranges[i].zero == slow.ranges[i].zero);
    REQUIRE(fast.ranges[i].step == slow.ranges[i].step);
  }
  Matrix Y(rows, cols), Z(rows, cols);
  decodeRows(slow.codes, slow.ranges, coding.bits, slow.rows, Y);
  decodeRowsReference(slow.codes, slow.ranges, coding.bits, slow.rows, Z);
  for (Index i = 0; i < Y.size(); ++i)
    REQUIRE(std::abs(static_cast<double>(Y.data()[i] - Z.data()[i])) <= 1e-6);
}

}  // namespace

TEST_CASE("codes are those of their definition, whatever the vectors", "[quantise]") {
  // of batches of eight rows: one, a part of one, some and a part
  constexpr std::pair<Index, Index> kShapes[] = {{1, 1},  {3, 7},    {5, 16},  {9, 33},
                                                 {8, 64}, {6, 1100}, {27, 64}, {21, 130}};
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget only(target);
    for (const int bits : {8, 4, 2})
      for (const bool nearest : {false, true})
        for (const bool shortRange : {false, true})
          for (const auto& [rows, cols] : kShapes) {
            CAPTURE(hwy::TargetName(target), bits, nearest, shortRange, rows, cols);
            checkCodes(rows, cols,
                       {.bits = bits,
                        .nearest = nearest,
                        .shortRange = shortRange,
                        .seed = 3,
                        .epoch = 9,
                        .stream = 5});
          }
  }
}

TEST_CASE("what is decoded past the caches is what the definition says, whatever the width", "[quantise]") {
  // rows of an odd width begin anywhere in a line; the narrow ones may end in the line they begin in
  for (const int bits : {8, 4, 2})
    for (const Index cols : {1, 7, 16, 17, 45, 1001}) {
      CAPTURE(bits, cols);
      const Coding coding{.bits = bits, .seed = 5};
      const Matrix X = randomMatrix(41, cols, 21);
      Message message(X, coding);
      encodeRows(X, message.rows, message.ids, coding, message.ranges, message.codes);
      Matrix Y(X.rows(), cols), Z(X.rows(), cols);
      constexpr std::int64_t kNoCache = 0;
      decodeRows(message.codes, message.ranges, bits, message.rows, Y, kNoCache);
      decodeRowsReference(message.codes, message.ranges, bits, message.rows, Z);
      CHECK(largestDifference(Y, Z) <= 1e-6);
      CHECK(sameBits(Y, decoded(X, coding)));
    }
}

TEST_CASE("a code is less than a step away, half a step when rounded to the nearest", "[quantise]") {
  for (const int bits : {8, 4, 2})
    for (const bool nearest : {false, true})
      for (const bool shortRange : {false, true}) {
        const Coding coding{.bits = bits, .nearest = nearest, .shortRange = shortRange, .seed = 4};
        const Matrix X = randomMatrix(40, 50, 18), Y = decoded(X, coding);
        for (Index i = 0; i < X.rows(); ++i) {
          const double step = stepOf(X, i, coding);
          for (Index j = 0; j < X.cols(); ++j)
            CHECK(std::abs(at(Y, i, j) - at(X, i, j)) <= (nearest ? 0.5 : 1.0) * step * (1 + 1e-4));
          if (shortRange) continue;
          // a 32-bit zero point is the smallest element itself
          const auto least = std::ranges::min_element(X.row(i)) - X.row(i).begin();
          CHECK(at(Y, i, least) == Approx(at(X, i, least)).epsilon(1e-6));
        }
      }
}

TEST_CASE("stochastic codes have the mean of what they stand for and the stated variance", "[quantise]") {
  constexpr int kDraws = 4000;
  for (const int bits : {8, 4, 2})
    for (const bool shortRange : {false, true}) {
      const Matrix X = randomMatrix(6, 19, 19);
      std::vector<double> sum(static_cast<std::size_t>(X.size()), 0), squares(sum);
      Coding coding{.bits = bits, .shortRange = shortRange, .seed = 6};
      for (int draw = 0; draw < kDraws; ++draw) {
        coding.epoch = static_cast<std::uint32_t>(draw);
        const Matrix Y = decoded(X, coding);
        for (std::size_t i = 0; i < sum.size(); ++i) {
          const double error = static_cast<double>(Y.data()[i]) - static_cast<double>(X.data()[i]);
          sum[i] += error;
          squares[i] += error * error;
        }
      }
      double variance = 0, promised = 0;
      for (Index i = 0; i < X.rows(); ++i) {
        const auto [low, high] = std::ranges::minmax(X.row(i));
        const RowRange range = rangeOf(static_cast<double>(low), static_cast<double>(high), bits, shortRange);
        const double step = static_cast<double>(range.step);
        for (Index j = 0; j < X.cols(); ++j) {
          const auto k = static_cast<std::size_t>(i * X.cols() + j);
          CAPTURE(bits, shortRange, i, j);
          // four standard errors of the largest variance, step² / 4
          CHECK(std::abs(sum[k] / kDraws) <= 4 * step / (2 * std::sqrt(double{kDraws})));
          const double scaled = (at(X, i, j) - static_cast<double>(range.zero)) / step;
          const double fraction = scaled - std::floor(scaled);
          promised += step * step * fraction * (1 - fraction);
          variance += squares[k] / kDraws;
        }
      }
      CHECK(variance == Approx(promised).epsilon(0.03));
    }
}

TEST_CASE(
    "a row of a tiny range is coded as its definition says, and leaves alone those that share its bytes",
    "[quantise]") {
  constexpr Index kRows = 9, kCols = 90;  // 9: a group that is not full, 90: a span and a rest
  for (const int bits : {8, 4, 2})
    for (const bool nearest : {false, true})
      for (const bool shortRange : {false, true})
        for (const double tiny : {1e-36, 1.3e-38, 8e-39, 2.9e-39, 1e-40, 1e-44})
          for (Index row = 0; row < kRows; ++row) {
            CAPTURE(bits, nearest, shortRange, tiny, row);
            Matrix X = randomMatrix(kRows, kCols, 22);
            for (Scalar& x : X.row(row)) x = static_cast<Scalar>((static_cast<double>(x) + 1) / 2 * tiny);
            const Coding coding{.bits = bits, .nearest = nearest, .shortRange = shortRange, .seed = 7};
            Message fast(X, coding), slow(X, coding);
            encodeRows(X, fast.rows, fast.ids, coding, fast.ranges, fast.codes);
            encodeRowsReference(X, slow.rows, slow.ids, coding, slow.ranges, slow.codes);
            REQUIRE(std::ranges::count(fast.codes, 0xAA) < 50);  // written
            Index different = 0;
            for (std::size_t i = 0; i < fast.codes.size(); ++i) different += fast.codes[i] != slow.codes[i];
            REQUIRE(different <= 1);
            for (const Message* message : {&fast, &slow}) {
              Matrix Y(kRows, kCols);
              decodeRows(message->codes, message->ranges, bits, message->rows, Y);
              double most = 0;
              for (Index i = 0; i < kRows; ++i)
                for (Index j = 0; j < kCols; ++j)
                  most = std::max(most, std::abs(at(Y, i, j) - at(X, i, j)) / stepOf(X, i, coding));
              REQUIRE(most <= (nearest ? 0.5 : 1.0) * (1 + 1e-4));
            }
            // as small as the range allows and what is stored, or the least there is
            REQUIRE(stepOf(X, row, coding) <=
                    std::max(1.01 * 2 * tiny / ((1 << bits) - 1), static_cast<double>(kLeastStep)));
          }
}

TEST_CASE("a row that is not finite leaves alone those that share its bytes", "[quantise]") {
  constexpr Index kRows = 8, kCols = 90;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const int bits : {4, 2})
    for (const double wrong : {kInfinite, -kInfinite, std::numeric_limits<double>::quiet_NaN()})
      for (Index row = 0; row < kRows; ++row) {
        CAPTURE(bits, wrong, row);
        Matrix X = randomMatrix(kRows, kCols, 23);
        const Coding coding{.bits = bits, .seed = 7};
        const Matrix expected = decoded(X, coding);
        for (Scalar& x : X.row(row)) x = static_cast<Scalar>(static_cast<double>(x) > 0 ? wrong : 0.5);
        const Matrix Y = decoded(X, coding);
        for (Index i = 0; i < kRows; ++i)
          if (i != row) REQUIRE(std::ranges::equal(Y.row(i), expected.row(i)));
      }
}

TEST_CASE("columns that share their bits go up as if they did not, and each as often as it should",
          "[quantise]") {
  // element fractions 0.3, 0.5, 0.7 and 1/256, where the fine half of the bits decides most; 0 and 3 set the
  // range
  constexpr int kDraws = 20000;
  for (const double fraction : {0.3, 0.5, 0.7, 1.0 / 256}) {
    Matrix X(1, 64);
    X.fill(static_cast<Scalar>(fraction));
    X(0, 31) = 0;
    X(0, 63) = 3;
    Coding coding{.bits = 2, .shortRange = false, .seed = 8};
    std::vector<double> ups(64, 0), together(31, 0);
    for (int draw = 0; draw < kDraws; ++draw) {
      coding.epoch = static_cast<std::uint32_t>(draw);
      const Matrix Y = decoded(X, coding);
      const auto up = [&](Index j) { return at(Y, 0, j) > 0.5 ? 1.0 : 0.0; };
      for (Index j = 0; j < 64; ++j) ups[static_cast<std::size_t>(j)] += up(j) / kDraws;
      for (Index j = 0; j < 31; ++j) together[static_cast<std::size_t>(j)] += up(j) * up(j + 32) / kDraws;
    }
    double covariance = 0;
    const double deviation = std::sqrt(fraction * (1 - fraction) / kDraws);
    for (std::size_t j = 0; j < 31; ++j) {
      CAPTURE(fraction, j);
      CHECK(std::abs(ups[j] - fraction) <= 4.5 * deviation);
      CHECK(std::abs(ups[j + 32] - fraction) <= 4.5 * deviation);
      covariance += (together[j] - ups[j] * ups[j + 32]) / 31;
    }
    CHECK(std::abs(covariance) <= 1.0 / 128);
  }
}

TEST_CASE("draws depend on seed, epoch, stream and id, not on place or threads", "[quantise]") {
  const Coding coding{.bits = 4, .seed = 1};
  const Matrix X = randomMatrix(640, 600, 20);  // more blocks than threads
  const Matrix first = decoded(X, coding);
  requireSameBitsForAnyThreads([&] { return decoded(X, coding); });
  // every row at another place of the message, and beside another in the bytes they share
  Message moved(X, coding);
  std::ranges::rotate(moved.rows, moved.rows.begin() + 1);
  encodeRows(X, moved.rows, moved.ids, coding, moved.ranges, moved.codes);
  Matrix Y(X.rows(), X.cols());
  decodeRows(moved.codes, moved.ranges, coding.bits, moved.rows, Y);
  CHECK(sameBits(Y, first));
  CHECK_FALSE(sameBits(decoded(X, {.bits = 4, .seed = 2}), first));
  CHECK_FALSE(sameBits(decoded(X, {.bits = 4, .seed = 1, .epoch = 1}), first));
  CHECK_FALSE(sameBits(decoded(X, {.bits = 4, .seed = 1, .stream = 1}), first));
}

TEST_CASE("equal elements are exact, and a row of zeros is zeros", "[quantise]") {
  for (const int bits : {8, 4, 2}) {
    Matrix X(5, 9);
    X.fill(Scalar{-0.75});
    CHECK(sameBits(decoded(X, {.bits = bits}), X));
    X.fill(0);
    CHECK(sameBits(decoded(X, {.bits = bits}), X));
  }
}

TEST_CASE("codes take the bytes of their closed form", "[quantise]") {
  CHECK(codeBytes(0, 10, 2) == 0);
  CHECK(codeBytes(1, 10, 8) == 10);
  CHECK(codeBytes(5, 10, 4) == 30);
  CHECK(codeBytes(5, 10, 2) == 20);
  CHECK(codeBytes(8, 768, 2) == 2 * 768);
}
