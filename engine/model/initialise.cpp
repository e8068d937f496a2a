#include <cmath>

#include "engine/base/philox.h"
#include "engine/model/layer.h"

namespace halo {

void initialise(Matrix& W, Index fanIn, Index fanOut, std::uint64_t seed, int layer, int salt) {
  const double bound = std::sqrt(6.0 / static_cast<double>(fanIn + fanOut));
  std::uint64_t element = 0;
  for (Scalar& w : W.values()) {
    const auto words = philox(seed, Purpose::initialise, element++, static_cast<std::uint32_t>(layer),
                              static_cast<std::uint32_t>(salt));
    w = static_cast<Scalar>((2 * unit(words[0]) - 1) * bound);
  }
}

Weight glorot(const std::string& name, Index in, Index out, const LayerRequest& request, int salt) {
  Weight weight{name, Matrix(in, out), Matrix(in, out)};
  initialise(weight.value, in, out, request.seed, request.number, salt);
  weight.gradient.fill(0);
  return weight;
}

Weight filled(const std::string& name, Index size, Scalar value) {
  Weight weight{name, Matrix(1, size), Matrix(1, size), true};
  weight.value.fill(value);
  weight.gradient.fill(0);
  return weight;
}

}  // namespace halo
