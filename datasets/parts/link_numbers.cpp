#include "datasets/parts/link_numbers.h"

namespace halo {

bool isPlace(const nlohmann::json& value, Index nodes) {
  return value.is_number_integer() && value >= 0 && value < nodes;
}

void LinkNumbers::read(const nlohmann::json& links, Index nodes, const IsId& isId) {
  for (const auto& link : links)
    for (const char* end : {"source", "target"}) {
      if (!link.is_object() || !link.contains(end) || !link[end].is_number_integer()) continue;
      hasNumbers_ = true;
      beyond_ = beyond_ || !isPlace(link[end], nodes);
      strange_ = strange_ || !isId(link[end].dump());
    }
  for (Index place = 0; either() && allIds_ && place < nodes; ++place) allIds_ = isId(std::to_string(place));
}

void LinkNumbers::remark(const std::string& key, std::vector<std::string>& remarks) const {
  if (!hasNumbers_) return;
  if (arePlaces())
    remarks.push_back("numbers in " + key +
                      " are places in the list of nodes: the ids are texts, though some of them numbers");
  else
    remarks.push_back("numbers in " + key + " are ids, though these are texts: all of them are ids, " +
                      (beyond_ ? "and not all of them places in the list of nodes"
                               : "and not every place in the list of nodes is one"));
}

}  // namespace halo
