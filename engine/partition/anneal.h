#pragma once

#include <cstdint>

#include "engine/partition/net_parts.h"

namespace halo {

/// Passes over the boundary at a falling temperature: every boundary node draws its part anew among those its
/// nets touch and that have room, with probabilities ∝ exp(gain / temperature) (heat bath; Geman and Geman
/// 1984). The temperature falls evenly from `hottest` to `coldest`. May end above where it began.
struct Cooling {
  int passes = 20;
  double hottest = 1, coldest = 0.1;
};
void anneal(NetParts& state, std::int64_t limit, const Cooling& cooling, std::uint64_t seed);

}  // namespace halo
