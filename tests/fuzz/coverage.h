#pragma once

#include <array>
#include <cstddef>

namespace halo::fuzz {

constexpr std::size_t kPlaces = std::size_t{1} << 16;

/// How often each piece of the program ran since the last call of forgetCoverage, by a hash of where it lies.
/// g++ calls for every piece (-fsanitize-coverage=trace-pc).
using Coverage = std::array<unsigned char, kPlaces>;
const Coverage& coverage();
void forgetCoverage();

/// Adds to `total` and returns whether anything ran that had not, or more often than ever, in steps of powers
/// of two.
bool isNews(Coverage& total);

}  // namespace halo::fuzz
