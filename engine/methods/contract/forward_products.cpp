#include "engine/methods/contract/forward_products.h"

#include "engine/model/layer.h"

namespace halo {

std::optional<LayerProducts> forwardProducts(const std::string& kind) {
  const LayerEntry* entry = find<LayerEntry>(kind);
  if (entry == nullptr || entry->propagation == Propagation::attention) return std::nullopt;
  return LayerProducts{.own = entry->ownProduct, .second = entry->secondProduct};
}

}  // namespace halo
