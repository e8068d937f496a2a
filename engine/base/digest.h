#pragma once

#include <string>
#include <string_view>

namespace halo {

/// 128-bit FNV-1a in hex. Not for secrets.
std::string digest(std::string_view text);

}  // namespace halo
