#include "simulator/cluster/plans/model_shape.h"

#include <algorithm>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

enum class Turn { aggregateFirst, updateFirst, updateLast };

Turn turnOf(const ModelSettings& model, const LayerShape& layer, bool first, bool layer0Cached,
            bool attending) {
  if (first && layer0Cached) return Turn::aggregateFirst;
  if (model.order == "aggregate-first") return Turn::aggregateFirst;
  if (model.order == "update-first") return Turn::updateFirst;
  if (model.order == "update-last") return Turn::updateLast;
  return attending || layer.out < layer.in ? Turn::updateFirst : Turn::aggregateFirst;
}

/// Products with weights of one row: 2 · in · out each, W met before or after the neighbours.
void addFlop(const LayerWork& kind, std::int64_t transform, bool needInput, LayerShape& layer) {
  const std::int64_t product = 2 * layer.in * transform;
  (layer.updatesBeforeForward ? layer.prepareFlop : layer.finishFlop) += product;
  // the weights' gradient, and the input's where somebody needs it
  (layer.updatesBeforeBackward ? layer.backwardFinishFlop : layer.backwardPrepareFlop) +=
      product * (needInput ? 2 : 1);
  if (kind.ownProduct) {
    layer.finishFlop += product;
    layer.backwardFinishFlop += product * (needInput ? 2 : 1);
  }
  if (kind.secondProduct) {
    layer.finishFlop += 2 * layer.out * layer.out;
    layer.backwardFinishFlop += 4 * layer.out * layer.out;
  }
}

std::int64_t weightsOf(const ModelSettings& model, const LayerShape& layer, std::int64_t transform,
                       bool last) {
  const std::int64_t product = layer.in * transform;
  std::int64_t count = product + layer.out;
  const LayerWork kind = layerWork(model.kind);
  if (kind.ownProduct) count += product;
  if (kind.secondProduct) count += layer.out * layer.out + layer.out + (model.learnEpsilon ? 1 : 0);
  if (kind.attends) count += 2 * transform;
  if (model.norm == "layer" && !last) count += 2 * layer.out;
  return count;
}

}  // namespace

std::int64_t ModelShape::widest() const {
  std::int64_t widest = 0;
  for (const LayerShape& layer : layers) widest = std::max({widest, layer.propagated, layer.returned});
  return widest;
}

ModelShape shapeFor(const MethodEntry& method, const RunSettings& run,
                    const std::vector<std::int64_t>& widths) {
  HALO_CHECK(widths.size() >= 2);
  const ModelSettings model = modelFor(method, run.model);
  const bool cached = cachesLayer0(method, run.parameters);
  const bool embedding = embedsLabels(run.parameters);  // needs the gradient of layer 0's input
  ModelShape shape;
  shape.attends = attends(model);
  if (shape.attends) shape.heads = model.heads;
  const std::size_t count = widths.size() - 1;
  for (std::size_t l = 0; l < count; ++l) {
    LayerShape layer;
    layer.in = widths[l];
    layer.out = widths[l + 1];
    const bool last = l + 1 == count;
    // heads stand side by side, but for the last layer, which averages them
    const std::int64_t transform = shape.attends && last ? shape.heads * layer.out : layer.out;
    const Turn turn = turnOf(model, layer, l == 0, cached, shape.attends);
    layer.updatesBeforeForward = turn == Turn::updateFirst;
    layer.updatesBeforeBackward = turn == Turn::aggregateFirst;
    layer.propagated = layer.updatesBeforeForward ? transform : layer.in;
    layer.returned = layer.updatesBeforeBackward ? layer.in : transform;
    const bool needInput = l > 0 || embedding;
    layer.backward = needInput || !layer.updatesBeforeBackward;
    addFlop(layerWork(model.kind), transform, needInput, layer);
    shape.weights += weightsOf(model, layer, transform, last);
    shape.layers.push_back(layer);
  }
  if (embedding) shape.weights += widths.back() * widths.front();
  return shape;
}

VolumeRequest volumeRequest(const ModelShape& shape, const RunSettings& run, int parts, std::int64_t epoch) {
  VolumeRequest request;
  request.parts = parts;
  request.widths.push_back(shape.layers.front().in);
  for (const LayerShape& layer : shape.layers) {
    request.widths.push_back(layer.out);
    request.propagated.push_back(layer.propagated);
    request.returned.push_back(layer.returned);
    request.backward.push_back(layer.backward);
  }
  request.weights = shape.weights;
  request.elementBytes = sizeof(Scalar);
  request.attends = shape.attends;
  request.heads = shape.heads;
  request.firstEpoch = epoch == 0;
  request.epoch = epoch;
  request.parameters = run.parameters;
  return request;
}

}  // namespace halo::cluster
