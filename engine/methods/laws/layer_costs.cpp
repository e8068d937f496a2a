#include "engine/methods/laws/layer_costs.h"

#include <utility>

#include "engine/kernels/threads/work.h"

namespace halo {
namespace {

Matrix zeros(Index cols) {
  Matrix row;
  row.setZero(1, cols);
  return row;
}

LayerCost costOf(Layer& layer, bool needInput) {
  const bool returns = needInput || layer.backwardNeedsPropagation();
  const Index forwardWidth = layer.propagatedWidth(), backwardWidth = returns ? layer.returnedWidth() : 0;
  const Matrix H = zeros(layer.in()), Z = zeros(forwardWidth), dU = zeros(layer.out());
  Matrix U, dZ, dH;
  LayerCost cost{.arcFlop = 2 * (forwardWidth + backwardWidth), .elements = forwardWidth + backwardWidth};
  std::int64_t before = work().total();
  const auto spent = [&] {
    const std::int64_t now = work().total();
    return now - std::exchange(before, now);
  };
  layer.prepare(H);
  cost.sourceFlop = spent();
  layer.finish(H, Z, U);
  cost.targetFlop = spent();
  cost.forwardFlop = cost.sourceFlop + cost.targetFlop;
  layer.backwardFinish(H, Z, dU, needInput, dZ, dH);
  cost.targetFlop += spent();
  if (returns) layer.backwardPrepare(H, zeros(layer.returnedWidth()), needInput, dH);
  cost.sourceFlop += spent();
  cost.backwardFlop = cost.sourceFlop + cost.targetFlop - cost.forwardFlop;
  return cost;
}

}  // namespace

std::vector<LayerCost> layerCosts(Model& model) {
  const Work before = work();
  std::vector<LayerCost> costs;
  for (int l = 0; l < model.layers(); ++l) costs.push_back(costOf(model.layer(l), l > 0));
  work() = before;
  return costs;
}

}  // namespace halo
