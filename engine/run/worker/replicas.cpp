#include "engine/run/worker/replicas.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace halo {

std::uint64_t weightHash(Model& model) {
  std::uint64_t hash = 1469598103934665603ULL;  // FNV-1a over the bits
  for (const auto& [name, weight] : model.weights()) {
    for (const Scalar value : weight->value.values()) {
      std::uint64_t bits = 0;  // of a NaN too: its sign depends on the order of the operands
      if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof value);
      hash = (hash ^ bits) * 1099511628211ULL;
    }
  }
  return hash;
}

std::vector<std::string> lostWeights(Model& model) {
  std::vector<std::string> names;
  for (const auto& [name, weight] : model.weights())
    if (!std::ranges::all_of(weight->value.values(), [](Scalar value) { return std::isfinite(value); }))
      names.push_back(name);
  return names;
}

}  // namespace halo
