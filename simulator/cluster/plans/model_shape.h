#pragma once

#include <cstdint>
#include <vector>

#include "engine/methods/contract/method_entry.h"

namespace halo::cluster {

/// One layer in numbers: widths that travel, and what a row costs in products with
/// weights.
struct LayerShape {
  std::int64_t in = 0, out = 0;
  std::int64_t propagated = 0, returned = 0;  // width that travels forward, backward
  bool backward = true;                       // whether it propagates backward
  bool updatesBeforeForward = false, updatesBeforeBackward = true;
  // FLOP of a row before the forward aggregation, after it, before the backward one, after it
  std::int64_t prepareFlop = 0, finishFlop = 0, backwardFinishFlop = 0, backwardPrepareFlop = 0;
};

struct ModelShape {
  std::vector<LayerShape> layers;
  std::int64_t weights = 0;  // elements, all-reduced once an epoch
  std::int64_t heads = 1;
  bool attends = false;
  std::int64_t widest() const;
};

/// The model as the method trains it, of widths d_0 … d_L: what the worker's own model would say, without
/// making it. Throws InputError for an order that the method is not defined for.
ModelShape shapeFor(const MethodEntry& method, const RunSettings& run,
                    const std::vector<std::int64_t>& widths);

/// The predictor's request but for the rows.
VolumeRequest volumeRequest(const ModelShape& shape, const RunSettings& run, int parts, std::int64_t epoch);

}  // namespace halo::cluster
