#include "engine/methods/contract/staleness.h"

#include <cmath>

namespace halo {

Staleness distance(int layer, Pass pass, std::span<const Scalar> used, std::span<const Scalar> fresh) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const double u = used.empty() ? 0.0 : static_cast<double>(used[i]), f = static_cast<double>(fresh[i]);
    error += (u - f) * (u - f);
    norm += f * f;
  }
  return {layer, pass, std::sqrt(error), norm > 0 ? std::sqrt(error / norm) : 0.0};
}

void reserveLike(Matrix& rows, const Matrix& other) {
  rows.resize(1, static_cast<Index>(other.heldBytes() / sizeof(Scalar)));
}

}  // namespace halo
