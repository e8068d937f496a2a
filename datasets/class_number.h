#pragma once

#include "engine/base/matrix.h"

namespace halo {

/// More classes cannot be meant: the last layer of a model has a column for each.
inline constexpr Index kLargestClass = 1'000'000;
/// What is right, for messages: the same limit that isClass keeps.
inline constexpr const char* kClassRange = "a class is a whole number from 0 to 1000000";

template <class Number>
bool isClass(Number value) {
  return value >= 0 && value <= static_cast<Number>(kLargestClass) &&
         static_cast<Number>(static_cast<Index>(value)) == value;
}

}  // namespace halo
