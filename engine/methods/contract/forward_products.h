#pragma once

#include <optional>
#include <string>

#include "engine/record/rows/layer_products.h"

namespace halo {

/// What the forward pass of a layer kind multiplies. None where its FLOP do not follow from nonzeros and rows
/// alone, as its coefficients are made of the rows, and of a kind that this version does not have.
std::optional<LayerProducts> forwardProducts(const std::string& kind);

}  // namespace halo
