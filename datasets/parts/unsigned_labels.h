#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halo {

/// Remarks a class in the array or file `name` that may be −1, "no label". A `type` of numpy without a sign
/// stores −1 as the type's largest number, which here lies far from all others.
void remarkUnsigned(const std::string& name, const std::string& type, const std::vector<std::int32_t>& labels,
                    std::vector<std::string>& remarks);

}  // namespace halo
