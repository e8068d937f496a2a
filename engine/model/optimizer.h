#pragma once

#include <memory>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/model/layer.h"

namespace halo {

/// Adam (β = 0.9, 0.999, ε = 1e-8) or plain SGD; weight decay is added to the gradient. State in the order of
/// `weights`, which every step gets alike. One thread, element by element, so equal gradients give equal
/// weights on all ranks. Source: Kingma and Ba 2015, algorithm 1.
class Optimizer {
 public:
  explicit Optimizer(const TrainingSettings& settings);
  void step(const std::vector<Weight*>& weights);
  std::size_t bytes() const;

  // What a run goes on with: how many steps were taken, and the moments in the order of the weights.

  std::int64_t steps() const { return steps_; }
  const std::vector<Matrix>& first() const { return first_; }
  const std::vector<Matrix>& second() const { return second_; }
  void resume(std::int64_t steps, std::vector<Matrix> first, std::vector<Matrix> second) {
    steps_ = steps;
    first_ = std::move(first);
    second_ = std::move(second);
  }

 private:
  void stepAdam(Weight& weight, Matrix& first, Matrix& second) const;
  void stepSgd(Weight& weight) const;

  bool adam_;
  double rate_, decay_;
  std::int64_t steps_ = 0;
  std::vector<Matrix> first_, second_;
};

}  // namespace halo
