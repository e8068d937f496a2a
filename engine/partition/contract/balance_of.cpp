#include "engine/partition/contract/balance_of.h"

#include "engine/partition/contract/balance.h"

namespace halo {

std::string balanceOf(const std::string& method, const Values& parameters) {
  const auto* entry = find<PartitionerEntry>(method);
  if (entry == nullptr || entry->given) return "";
  if (entry->placeArcs != nullptr) return "arcs";
  Values complete = parameters;
  complete.merge(fallbacks(entry->declaration.parameters));
  return complete.contains("balance") ? complete.text("balance") : std::string(kDefaultBalance);
}

}  // namespace halo
