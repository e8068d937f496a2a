#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/published.h"

namespace halo {

/// What of a figure's band breaks the rules: the key of its table, and what would be right.
struct BandFault {
  std::string key, message;
};

/// The rules that keep a verdict honest. A band has a reason and two sides. It holds the printed value with
/// that value's own rounding. It reaches at most 25 % of the value to either side, and 50 % where machine or
/// graph differ. A range that is printed without values is its own band, as wide about its middle. An order
/// has one side, a tie, and is for what is printed without a number.
std::vector<BandFault> bandFaults(const Published& figure);

/// Half a unit of the last digit of a number as TOML writes it: 0.05 of "1.9", 0.5 of "342".
double roundingOf(std::string_view number);

}  // namespace halo
