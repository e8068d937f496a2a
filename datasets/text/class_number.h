#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/text/no_label.h"
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

/// A label that is read as a number: −1 where it says that there is none; nothing where it is no class.
inline std::optional<std::int32_t> classIn(double label) {
  if (saysNoLabel(label)) return -1;
  return isClass(label) ? std::optional(static_cast<std::int32_t>(label)) : std::nullopt;
}
/// What is said of such a number, behind it.
inline std::string noClass() {
  return std::string(" is no class; ") + kClassRange + ", or -1 or nan for none";
}

}  // namespace halo
