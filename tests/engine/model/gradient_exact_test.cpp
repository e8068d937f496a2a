#include <catch2/catch.hpp>

#include <cmath>
#include <type_traits>

#include "engine/kernels/dense/loss.h"
#include "tests/engine/model/local_training.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

constexpr bool kDouble = std::is_same_v<Scalar, double>;

/// A tiny problem on a directed graph with isolated vertices, all weights away from their special starting
/// values.
struct Problem17 {
  explicit Problem17(const ModelSettings& settings)
      : model(settings, {4, 6, 3, 5}, /*seed=*/5, /*layer0Cached=*/false), training(model, arcs) {
    PhiloxStream random(9, Purpose::initialise, 1000);
    for (const auto& [name, weight] : model.weights())
      for (Scalar& w : weight->value.values()) w += static_cast<Scalar>(0.4 * random.uniform() - 0.2);
    for (Index v = 0; v < 17; ++v) labels.push_back(static_cast<std::int32_t>(v % 5));
  }

  double loss() {
    Matrix unused;
    return softmaxLoss(training.forward(X), labels, chosen, kWeight, unused) * kWeight;
  }
  /// Logits; gradients are in the weights afterwards.
  Matrix run() {
    Matrix dU;
    const Matrix logits = training.forward(X);
    softmaxLoss(logits, labels, chosen, kWeight, dU);
    training.backward(dU);
    return logits;
  }

  static constexpr double kWeight = 1.0 / 11;
  Csr arcs = randomDirected(17, 40, /*seed=*/3);
  Matrix X = randomMatrix(17, 4, /*seed=*/4);
  std::vector<std::int32_t> labels;
  std::vector<std::uint8_t> chosen{1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0};
  Model model;
  LocalTraining training;
};

ModelSettings settingsOf(const std::string& kind, const std::string& order, const std::string& norm) {
  ModelSettings settings;
  settings.kind = kind;
  settings.layers = 3;
  settings.order = order;
  settings.norm = norm;
  settings.learnEpsilon = true;
  settings.heads = 3;
  return settings;
}

/// Largest difference relative to the largest element of B, or to `least` where that is larger.
double relativeDifference(const Matrix& A, const Matrix& B, double least = 1e-300) {
  REQUIRE(A.rows() == B.rows());
  REQUIRE(A.cols() == B.cols());
  double difference = 0, largest = least;
  for (Index i = 0; i < A.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(A.data()[i]) - B.data()[i]));
    largest = std::max(largest, std::abs(static_cast<double>(B.data()[i])));
  }
  return difference / largest;
}

}  // namespace

#ifdef HALO_DOUBLE  // in float a difference quotient keeps too few digits
TEST_CASE("gradients of every layer kind agree with finite differences", "[model][gradient]") {
  const std::string kind = GENERATE("gcn", "graphsage", "graphsage-gcn", "graphsage-self", "gin", "gat");
  const std::string order = GENERATE("aggregate-first", "update-first", "update-last");
  const std::string norm = GENERATE("none", "layer");
  if (kind == "gat" && order == "update-last") return;  // refused
  Problem17 problem(settingsOf(kind, order, norm));
  problem.run();

  // central differences: truncation h², cancellation ε / h, which is all that is left of a gradient below
  // 1e-3
  const double h = 1e-5, tolerance = 1e-7;
  for (const auto& [name, weight] : problem.model.weights()) {
    const Matrix gradient = weight->gradient;
    Matrix differences(gradient.rows(), gradient.cols());
    for (Index i = 0; i < weight->value.size(); ++i) {
      Scalar& w = weight->value.data()[i];
      const Scalar before = w;
      w = static_cast<Scalar>(before + h);
      const double above = problem.loss();
      w = static_cast<Scalar>(before - h);
      const double below = problem.loss();
      w = before;
      differences.data()[i] = static_cast<Scalar>((above - below) / (2 * h));
    }
    CAPTURE(kind, order, norm, name);
    CHECK(relativeDifference(gradient, differences, 1e-3) <= tolerance);
  }
}
#endif

TEST_CASE("all orders of a layer give the same logits and gradients", "[model][order]") {
  const auto [name, order] = GENERATE(
      table<std::string, Order>({{"update-first", Order::updateFirst}, {"update-last", Order::updateLast}}));
  const std::string kind = GENERATE("gcn", "graphsage", "graphsage-gcn", "graphsage-self", "gin", "gat");
  const std::string norm = GENERATE("none", "layer");
  if (kind == "gat" && order == Order::updateLast) return;  // refused
  Problem17 aggregateFirst(settingsOf(kind, "aggregate-first", norm)), other(settingsOf(kind, name, norm));
  REQUIRE(aggregateFirst.model.layer(0).order() == Order::aggregateFirst);
  REQUIRE(other.model.layer(0).order() == order);

  const double tolerance = kDouble ? 1e-12 : 1e-5;  // resources/design/methods.md, The layer
  CAPTURE(name, kind, norm);
  CHECK(relativeDifference(aggregateFirst.run(), other.run()) <= tolerance);
  const auto expected = aggregateFirst.model.weights(), actual = other.model.weights();
  REQUIRE(expected.size() == actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(expected[i].first);
    CHECK(relativeDifference(expected[i].second->gradient, actual[i].second->gradient) <= tolerance);
  }
}

}  // namespace halo
