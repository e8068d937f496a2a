#pragma once

#include <string>
#include <vector>

#include "engine/base/philox.h"

namespace halo::fuzz {

constexpr std::size_t kLargestInput = std::size_t{1} << 20;

/// `bytes` with one to a few changes: bits, bytes, digits, words that readers are sensitive to, pieces left
/// out, said again (also very often) or taken from one of `others`.
std::string mutated(std::string bytes, const std::vector<std::string>& others, PhiloxStream& random);

}  // namespace halo::fuzz
