#include "datasets/generate/rmat.h"

#include "datasets/graph/order.h"
#include "engine/base/check.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"

namespace halo {
namespace {

// of the upper left quadrant, and with the upper right, and with the lower left; of 2^32
constexpr double kFirst = 0.57, kSecond = 0.57 + 0.19, kThird = 0.57 + 0.19 + 0.19;

Arc draw(int scale, std::uint64_t seed, std::uint64_t arc) {
  std::uint32_t row = 0, column = 0;
  std::array<std::uint32_t, 4> words{};
  for (int bit = 0; bit < scale; ++bit) {
    const auto word = static_cast<unsigned>(bit) % 4;
    if (word == 0) words = philox(seed, Purpose::generate, arc, static_cast<std::uint32_t>(bit), 1);
    const double at = unit(words[word]);
    row = 2 * row + (at < kSecond ? 0 : 1);
    column = 2 * column + (at < kFirst || (at >= kSecond && at < kThird) ? 0 : 1);
  }
  return {static_cast<Vertex>(column), static_cast<Vertex>(row)};
}

}  // namespace

Csr rmat(int scale, Index arcsPerVertex, std::uint64_t seed) {
  HALO_CHECK(scale >= 1 && scale <= 30 && arcsPerVertex >= 0);
  const Index vertices = Index{1} << scale, count = vertices * arcsPerVertex;
  const std::vector<Vertex> number = randomOrder(vertices, seed);
  std::vector<Arc> arcs(static_cast<std::size_t>(2 * count));
  parallelBlocks(count, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Arc drawn = draw(scale, seed, static_cast<std::uint64_t>(i));
      const Vertex u = number[static_cast<std::size_t>(drawn.source)],
                   v = number[static_cast<std::size_t>(drawn.target)];
      arcs[static_cast<std::size_t>(2 * i)] = {u, v};
      arcs[static_cast<std::size_t>(2 * i + 1)] = {v, u};
    }
  });
  return buildCsr(vertices, arcs, false);
}

}  // namespace halo
