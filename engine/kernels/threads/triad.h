#pragma once

#include <span>

#include "engine/base/matrix.h"

namespace halo {

/// a[i] = b[i] + s · c[i], all of one length; STREAM's triad, which moves 3 · size · sizeof(Scalar) bytes as
/// it counts them. What the machine's memory gives to all threads together where nothing is kept in caches.
void triad(std::span<const Scalar> b, std::span<const Scalar> c, Scalar s, std::span<Scalar> a);

}  // namespace halo
