#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace halo {

/// The same on every rank that holds the same weights, bit for bit.
std::uint64_t weightHash(Model& model);
/// Names of the weights in which there is a NaN or an infinity.
std::vector<std::string> lostWeights(Model& model);

}  // namespace halo
