#include "engine/methods/contract/staleness.h"

#include <algorithm>
#include <cmath>

namespace halo {

Staleness distance(int layer, Pass pass, std::span<const Scalar> used, std::span<const Scalar> fresh) {
  double error = 0, norm = 0, usedNorm = 0, product = 0;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const double u = used.empty() ? 0.0 : static_cast<double>(used[i]), f = static_cast<double>(fresh[i]);
    error += (u - f) * (u - f);
    norm += f * f;
    usedNorm += u * u;
    product += u * f;
  }
  Staleness row{layer, pass, std::sqrt(error), norm > 0 ? std::sqrt(error / norm) : 0.0};
  // one root: of equal values it is their squares' sum, and the cosine exactly 1
  if (const double norms = norm * usedNorm; norms > 0)
    row.cosine = std::clamp(product / std::sqrt(norms), -1.0, 1.0);
  return row;
}

void reserveLike(Matrix& rows, const Matrix& other) {
  rows.resize(1, static_cast<Index>(other.heldBytes() / sizeof(Scalar)));
}

}  // namespace halo
