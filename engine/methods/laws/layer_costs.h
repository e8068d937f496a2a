#pragma once

#include <vector>

#include "engine/model/model.h"

namespace halo {

/// What one row of one layer takes in a training epoch, forward and backward: FLOP and elements that travel.
/// FLOP are as the kernels count them (resources/design/methods.md, Costs that all share).
struct LayerCost {
  std::int64_t sourceFlop = 0;  // of a row that enters the layer
  std::int64_t targetFlop = 0;  // of a row that leaves it, but for its arcs
  std::int64_t arcFlop = 0;     // of each arc into such a row
  std::int64_t elements = 0;    // of a row that enters it and is fetched: the row, and its gradient
  // of a row that enters and leaves it, by pass: together sourceFlop + targetFlop
  std::int64_t forwardFlop = 0, backwardFlop = 0;
};

/// By layer, whatever its kind and order: by working one row of zeros through each. That work is not counted.
std::vector<LayerCost> layerCosts(Model& model);

}  // namespace halo
