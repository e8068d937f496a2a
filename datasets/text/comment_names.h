#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace halo {

/// The names of as many columns, two at least, where comments in a row hold one each: `# source`,
/// `# 2: target`, `# weight - of the edge`. Each as one line, with commas; those nearest to the end first.
std::vector<std::string> namesLineByLine(std::span<const std::string> comments, std::size_t columns);

}  // namespace halo
