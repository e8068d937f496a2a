#pragma once

#include <cmath>
#include <limits>

#include "engine/base/matrix.h"

namespace halo {

/// A finite number that would become infinite as a Scalar.
inline bool exceedsScalar(double value) {
  return std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<Scalar>::max());
}

/// What is said behind such a number.
constexpr const char* kBeyondScalar =
    " is beyond the range of the numbers that are trained with, -3.4e38 to 3.4e38";

}  // namespace halo
