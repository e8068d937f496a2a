#pragma once

#include <memory>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/model/layer.h"

namespace halo {

/// Adam (β = 0.9, 0.999, ε = 1e-8; weight decay added to the gradient) or plain SGD. State in the order of `weights`.
class Optimizer {
 public:
  explicit Optimizer(const TrainingSettings& settings);
  void step(const std::vector<Weight*>& weights);
  std::size_t bytes() const;

 private:
  bool adam_;
  double rate_, decay_;
  std::int64_t steps_ = 0;
  std::vector<Matrix> first_, second_;
};

}  // namespace halo
