#pragma once

#include <cstdint>

namespace halo::sim {

/// The load of the fullest bin, in the mean, when so many balls fall into bins at random. Exact up to 64 of
/// each; beyond by Levin's representation of the multinomial, within a per cent. Cost: exact O(balls^3 ·
/// bins), beyond some 100 steps.   Source: Levin, Annals of Statistics 1981
double expectedLargestLoad(std::int64_t balls, std::int64_t bins);

/// Share of `banks` that random requests keep busy. There are `issue` requests a cycle, taken `depth` cycles'
/// worth at a time. These last as long as the bank takes that most of them ask for. The share is of
/// min(banks, issue).
double randomBankShare(std::int64_t banks, std::int64_t issue, std::int64_t depth);

}  // namespace halo::sim
