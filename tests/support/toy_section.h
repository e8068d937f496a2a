#pragma once

#include "engine/experiment/keys.h"

namespace halo::test {

/// What the run that was read last says of the toy.
inline double& toyWeight() {
  static double weight = 0.5;
  return weight;
}

/// A key that only tests have: all that there is of it stands here.
inline constexpr Key kToyKeys[] = {
    {{"weight_gib", "how much of the memory the toy takes", Real{.low = 0.0, .high = 8.0}},
     [](RunSettings&) -> Member { return &toyWeight(); }},
};
inline constexpr SectionRows kToy{"toy", "what is played with", kToyKeys};

}  // namespace halo::test
