#include "engine/model/optimizer.h"

#include <cmath>

namespace halo {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

}  // namespace

Optimizer::Optimizer(const TrainingSettings& settings)
    : adam_(settings.optimizer == "adam"), rate_(settings.learningRate), decay_(settings.weightDecay) {
  HALO_CHECK(adam_ || settings.optimizer == "sgd");
}

void Optimizer::step(const std::vector<Weight*>& weights) {
  ++steps_;
  if (adam_ && first_.empty())
    for (const Weight* weight : weights)
      for (auto* state : {&first_, &second_})
        state->emplace_back().setZero(weight->value.rows(), weight->value.cols());
  HALO_CHECK(!adam_ || first_.size() == weights.size());
  for (std::size_t w = 0; w < weights.size(); ++w)
    adam_ ? stepAdam(*weights[w], first_[w], second_[w]) : stepSgd(*weights[w]);
}

void Optimizer::stepAdam(Weight& weight, Matrix& first, Matrix& second) const {
  const double correct1 = 1 - std::pow(kBeta1, static_cast<double>(steps_));
  const double correct2 = 1 - std::pow(kBeta2, static_cast<double>(steps_));
  const auto value = weight.value.values(), gradient = weight.gradient.values(), m = first.values(),
             v = second.values();
  HALO_CHECK(value.size() == gradient.size() && value.size() == m.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double g = gradient[i] + decay_ * value[i];
    const double mean = kBeta1 * m[i] + (1 - kBeta1) * g;
    const double square = kBeta2 * v[i] + (1 - kBeta2) * g * g;
    m[i] = static_cast<Scalar>(mean);
    v[i] = static_cast<Scalar>(square);
    value[i] =
        static_cast<Scalar>(value[i] - rate_ * (mean / correct1) / (std::sqrt(square / correct2) + kEpsilon));
  }
}

void Optimizer::stepSgd(Weight& weight) const {
  const auto value = weight.value.values(), gradient = weight.gradient.values();
  HALO_CHECK(value.size() == gradient.size());
  for (std::size_t i = 0; i < value.size(); ++i)
    value[i] = static_cast<Scalar>(value[i] - rate_ * (gradient[i] + decay_ * value[i]));
}

std::size_t Optimizer::bytes() const {
  std::size_t bytes = 0;
  for (const auto* state : {&first_, &second_})
    for (const Matrix& matrix : *state) bytes += matrix.bytes();
  return bytes;
}

}  // namespace halo
