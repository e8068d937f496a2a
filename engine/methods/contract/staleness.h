#pragma once

#include <span>

#include "engine/methods/contract/method.h"

namespace halo {

/// ‖used − fresh‖ and its ratio to ‖fresh‖, Frobenius; an empty `used` stands for zeros.
Staleness distance(int layer, Pass pass, std::span<const Scalar> used, std::span<const Scalar> fresh);

/// As much room as the other has, with which it shall change places.
void reserveLike(Matrix& rows, const Matrix& other);

}  // namespace halo
