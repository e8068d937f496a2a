#include "engine/base/philox.h"
#include "engine/kernels/activation.h"
#include "engine/kernels/blocks.h"

namespace halo {

void dropout(const Matrix& X, std::span<const Vertex> ids, DropoutKey key, double rate, Matrix& Y,
             Index firstColumn) {
  HALO_CHECK(static_cast<Index>(ids.size()) == X.rows() && rate >= 0 && rate < 1 && firstColumn >= 0);
  if (&X != &Y) Y.resize(X.rows(), X.cols());
  const auto scale = static_cast<Scalar>(1.0 / (1.0 - rate));
  forBlocks(X.rows(), rowBlock(X.cols()), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto vertex = static_cast<std::uint64_t>(ids[static_cast<std::size_t>(i)]);
      std::array<std::uint32_t, 4> words{};
      for (Index j = 0; j < X.cols(); ++j) {
        const Index feature = firstColumn + j;
        if (j == 0 || feature % 4 == 0)
          words = philox(key.seed, Purpose::dropout, vertex, key.epoch,
                         key.layer << 16 | static_cast<std::uint32_t>(feature / 4));
        Y(i, j) = unit(words[static_cast<std::size_t>(feature % 4)]) >= rate ? X(i, j) * scale : Scalar{0};
      }
    }
  });
}

}  // namespace halo
