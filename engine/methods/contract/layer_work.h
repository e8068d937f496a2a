#pragma once

#include <string>

#include "engine/experiment/experiment.h"

namespace halo {

/// Whether the model's coefficients are made of the rows (Propagation::attention).
bool attends(const ModelSettings& model);

/// What who counts the work of a layer kind has to know of it; one product in × out they all have.
struct LayerWork {
  bool attends = false;         // coefficients are made of the rows
  bool includesItself = false;  // P has the vertex itself
  bool weighted = false;        // P has values that are not all 1
  bool ownProduct = false;      // of the row itself, in × out, by weights of its own
  bool secondProduct = false;   // of what comes out, out × out
};
/// Throws InputError where there is no such kind, naming those there are.
LayerWork layerWork(const std::string& kind);

}  // namespace halo
