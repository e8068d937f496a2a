#include "datasets/parts/unsigned_labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace halo {

void remarkUnsigned(const std::string& name, const std::string& type, const std::vector<std::int32_t>& labels,
                    std::vector<std::string>& remarks) {
  if (type != "u1" && type != "u2") return;
  const std::int32_t largest = type == "u1" ? 255 : 65'535;
  if (std::ranges::find(labels, largest) == labels.end()) return;
  std::int32_t next = -1;
  for (const std::int32_t label : labels)
    if (label < largest) next = std::max(next, label);
  if (next < largest / 2)
    remarks.push_back(
        fmt::format("{} holds {}, the largest of {}, beside 0 to {}; taken for a class. Where "
                    "it means no label, save the array with a sign",
                    name, largest, type, next));
}

}  // namespace halo
