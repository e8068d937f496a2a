#include "engine/sampling/square_sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/sampling/block_matrix.h"

namespace halo {

void SquareSampler::sample(const DrawKey& key, Numbering& numbering, SquareBlock& block,
                           const AskStop& askStop) const {
  draw(key, numbering, block.vertices, askStop);
  induce(graph_, numbering, block, askStop);
}

void SquareSampler::sortMet(const Numbering& numbering, Buffer<Vertex>& vertices) {
  resizeUndefined(vertices, at(numbering.met()));
  std::ranges::copy(numbering.vertices(), vertices.begin());
  std::ranges::sort(vertices);
}

void weighSquare(const SquareSampler& sampler, const SquareBlock& block, const GlobalMatrix& P,
                 EdgeWeights weights, Buffer<double>& room, Csr& out) {
  if (weights == EdgeWeights::block) {
    weighWithin(block.arcs, P.rule, out);
    return;
  }
  sampler.factors(block, room);
  weighByFactors(block.arcs, block.vertices, P, room, {}, out);
}

Index neverDrawn(const SquareSampler& sampler, std::span<const Vertex> train) {
  return std::ranges::count_if(train, [&](Vertex v) { return sampler.inclusion(v) == 0; });
}

Index iterationsToMeet(Index vertices, double meanVertices) {
  HALO_CHECK(meanVertices > 0);
  // a mean is a sum of rounded numbers: what is whole but for that stays whole
  return static_cast<Index>(std::ceil(static_cast<double>(vertices) / meanVertices * (1 - 1e-12)));
}

}  // namespace halo
