#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace halo {

/// The names in the last comments above as many columns, two at least, where one stands on each: `# source`,
/// `# 2: target`. As one line, with commas; "": they hold something else.
std::string namesLineByLine(std::span<const std::string> comments, std::size_t columns);

}  // namespace halo
