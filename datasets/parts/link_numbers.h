#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// Whether a whole number may be a place in a list of so many nodes.
bool isPlace(const nlohmann::json& value, Index nodes);

/// What whole numbers in the links of a graph in JSON are where the ids of its nodes are texts. All of them
/// are ids, or all of them are places in the list of nodes.
class LinkNumbers {
 public:
  using IsId = std::function<bool(const std::string& number)>;

  /// Looks at the ends of all links.
  void read(const nlohmann::json& links, Index nodes, const IsId& isId);
  /// Where each may be both they are ids, unless every place is one, too.
  bool arePlaces() const { return strange_ ? !beyond_ : either() && allIds_; }
  /// Remarks which was taken; `key`: of the links.
  void remark(const std::string& key, std::vector<std::string>& remarks) const;

 private:
  bool either() const { return hasNumbers_ && !beyond_ && !strange_; }

  bool hasNumbers_ = false, beyond_ = false,
       strange_ = false;  // numbers; one that is no place; one that is no id
  bool allIds_ = true;    // of the places
};

}  // namespace halo
