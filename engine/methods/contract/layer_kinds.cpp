#include "engine/methods/contract/layer_kinds.h"

#include <algorithm>
#include <vector>

#include "engine/model/layer.h"

namespace halo {
namespace {

/// A kind that is called after another: graphsage-self.
bool isVariant(const std::string& name) {
  const std::size_t dash = name.find('-');
  return dash != std::string::npos && find<LayerEntry>(name.substr(0, dash)) != nullptr;
}

}  // namespace

std::string kindsWithoutAttention() {
  std::vector<const LayerEntry*> kinds;
  for (const auto& [name, entry] : registry<LayerEntry>())
    if (entry.propagation != Propagation::attention && !isVariant(name)) kinds.push_back(&entry);
  std::ranges::stable_sort(kinds, {}, &LayerEntry::propagation);
  std::string list;
  for (const LayerEntry* kind : kinds) {
    if (!list.empty()) list += kind == kinds.back() ? " or " : ", ";
    list += kind->declaration.name;
  }
  return list;
}

}  // namespace halo
