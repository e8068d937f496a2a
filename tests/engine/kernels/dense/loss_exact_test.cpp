#include "engine/kernels/dense/loss.h"

#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

std::vector<std::int32_t> randomLabels(Index rows, Index classes) {
  PhiloxStream random(3, Purpose::generate, 5);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(rows));
  for (auto& label : labels)
    label = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes)));
  return labels;
}

std::vector<std::uint8_t> twoOfThree(Index rows) {
  std::vector<std::uint8_t> chosen(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i % 3 != 1;
  return chosen;
}

Matrix randomTargets(Index rows, Index classes) {
  Matrix T = randomMatrix(rows, classes, 6);
  for (Scalar& t : T.values()) t = t > 0 ? Scalar{1} : Scalar{0};
  return T;
}

// Derivative of loss() × weight by every logit against dU.
template <class Loss>
void requireGradient(Matrix U, const Matrix& dU, double weight, const Loss& loss) {
  const double step = sizeof(Scalar) == 8 ? 1e-5 : 1e-2, allowed = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;
  for (Index k = 0; k < U.size(); ++k) {
    Scalar& u = U.data()[k];
    const Scalar original = u;
    u = static_cast<Scalar>(original + step);
    const double above = loss(U);
    u = static_cast<Scalar>(original - step);
    const double below = loss(U);
    u = original;
    REQUIRE(std::abs((above - below) / (2 * step) * weight - dU.data()[k]) <= allowed);
  }
}

}  // namespace

TEST_CASE("softmax loss agrees with its definition and its gradient with differences", "[loss][gradient]") {
  const Index rows = GENERATE(0, 1, 20);
  const Index classes = GENERATE(1, 2, 7, 41);
  CAPTURE(rows, classes);
  const Matrix U = randomMatrix(rows, classes, 1);
  const auto labels = randomLabels(rows, classes);
  const auto chosen = twoOfThree(rows);
  Matrix dU, ignored;
  const double sum = softmaxLoss(U, labels, chosen, 0.25, dU);
  double expected = 0;
  for (Index i = 0; i < rows; ++i) {
    if (!chosen[static_cast<std::size_t>(i)]) {
      for (const Scalar d : dU.row(i)) REQUIRE(d == 0);
      continue;
    }
    double total = 0;
    for (const Scalar u : U.row(i)) total += std::exp(static_cast<double>(u));
    expected -= std::log(std::exp(static_cast<double>(U(i, labels[static_cast<std::size_t>(i)]))) / total);
  }
  // each row's logarithm may lose a few bits of Scalar
  REQUIRE(sum == Approx(expected).margin(16 * kEpsilon * static_cast<double>(rows + 1)));
  requireGradient(U, dU, 0.25,
                  [&](const Matrix& V) { return softmaxLoss(V, labels, chosen, 0.25, ignored); });
}

TEST_CASE("softmax loss survives logits that overflow an exponential", "[loss]") {
  Matrix U(1, 3), dU;
  U(0, 0) = 5000;
  U(0, 1) = -5000;
  U(0, 2) = 4990;
  const double sum = softmaxLoss(U, std::vector<std::int32_t>{0}, std::vector<std::uint8_t>{1}, 1.0, dU);
  CHECK(sum == Approx(std::log1p(std::exp(-10.0))).epsilon(1e-3));
  CHECK(dU(0, 1) == 0);
  CHECK(softmaxLoss(U, std::vector<std::int32_t>{1}, std::vector<std::uint8_t>{1}, 1.0, dU) ==
        Approx(10000.0));
}

TEST_CASE("sigmoid loss is the mean over classes, and its gradient agrees with differences",
          "[loss][gradient]") {
  const Index rows = GENERATE(0, 1, 20);
  const Index classes = GENERATE(1, 5, 40);
  CAPTURE(rows, classes);
  const Matrix U = randomMatrix(rows, classes, 1), targets = randomTargets(rows, classes);
  const auto chosen = twoOfThree(rows);
  Matrix dU, ignored;
  const double sum = sigmoidLoss(U, targets, chosen, 0.25, dU);
  double expected = 0;
  for (Index i = 0; i < rows; ++i) {
    if (!chosen[static_cast<std::size_t>(i)]) continue;
    for (Index c = 0; c < classes; ++c) {
      const double sigmoid = 1 / (1 + std::exp(-static_cast<double>(U(i, c))));
      expected -= std::log(targets(i, c) > 0 ? sigmoid : 1 - sigmoid) / static_cast<double>(classes);
    }
  }
  REQUIRE(sum == Approx(expected).margin(16 * kEpsilon * static_cast<double>(rows + 1)));
  requireGradient(U, dU, 0.25,
                  [&](const Matrix& V) { return sigmoidLoss(V, targets, chosen, 0.25, ignored); });
}

TEST_CASE("losses and their gradients do not depend on threads", "[loss][threads]") {
  const Index rows = 3000, classes = 11;
  const Matrix U = randomMatrix(rows, classes, 1), targets = randomTargets(rows, classes);
  const auto labels = randomLabels(rows, classes);
  const auto chosen = twoOfThree(rows);
  const auto both = [&] {
    Matrix soft, sigmoid, sums(1, 2 * classes);
    sums.fill(0);
    const double a = softmaxLoss(U, labels, chosen, 1e-3, soft),
                 b = sigmoidLoss(U, targets, chosen, 1e-3, sigmoid);
    std::memcpy(sums.data(), &a, sizeof a);
    std::memcpy(sums.data() + 2, &b, sizeof b);
    Matrix joined(2 * rows + 2, classes);
    auto at = joined.values().begin();
    for (const Matrix* part : {&soft, &sigmoid, &sums}) at = std::ranges::copy(part->values(), at).out;
    return joined;
  };
  requireSameBitsForAnyThreads(both);
}

TEST_CASE("accuracy counts chosen rows and gives ties to the lowest class", "[loss]") {
  Matrix U(4, 3);
  U.fill(0);
  U(1, 2) = 1;
  U(2, 1) = 1;
  const std::vector<std::int32_t> labels{0, 2, 0, 0};
  const Counts counts = accuracyCounts(U, labels, std::vector<std::uint8_t>{1, 1, 1, 0});
  CHECK(counts.total == 3);
  CHECK(counts.correct == 2);
}

TEST_CASE("a row that is not a number is never correct", "[loss]") {
  Matrix U(1, 3);
  U.fill(std::numeric_limits<Scalar>::quiet_NaN());
  const Counts counts = accuracyCounts(U, std::vector<std::int32_t>{0}, std::vector<std::uint8_t>{1});
  CHECK(counts.total == 1);
  CHECK(counts.correct == 0);
  CHECK(counts.undefined == 1);
}

TEST_CASE("a row with one NaN or infinity predicts nothing, of one label or of many", "[loss]") {
  Matrix U(3, 2), targets(3, 2);
  U.fill(1);
  targets.fill(1);
  U(1, 1) = std::numeric_limits<Scalar>::quiet_NaN();
  U(2, 0) = std::numeric_limits<Scalar>::infinity();  // comes of an overflow: its loss is NaN
  const std::vector<std::uint8_t> chosen{1, 1, 1};
  CHECK(accuracyCounts(U, std::vector<std::int32_t>{0, 0, 0}, chosen).undefined == 2);
  CHECK(accuracyCounts(U, std::vector<std::int32_t>{0, 0, 0}, chosen).correct == 1);
  CHECK(f1Counts(U, targets, chosen).undefined == 2);
}

TEST_CASE("F1 counts what was said and what holds", "[loss]") {
  Matrix U(2, 2), targets(2, 2);
  U.fill(-1);
  targets.fill(0);
  U(0, 0) = 1;  // said, holds
  targets(0, 0) = 1;
  U(0, 1) = 1;        // said, does not hold
  targets(1, 1) = 1;  // holds, not said
  const Counts counts = f1Counts(U, targets, std::vector<std::uint8_t>{1, 1});
  CHECK(counts.truePositive == 1);
  CHECK(counts.falsePositive == 1);
  CHECK(counts.falseNegative == 1);
}

}  // namespace halo
