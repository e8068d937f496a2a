#include "engine/sampling/uniform.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

UniformSampler::UniformSampler(const SampledGraph& graph, Index vertices)
    : SquareSampler(graph), drawn_(vertices) {
  HALO_CHECK(vertices >= 1 && vertices <= graph.vertices());
}

void UniformSampler::draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
                          const AskStop& askStop) const {
  numbering.begin();
  numbering.reserve(drawn_);
  StopAsks asks(askStop, 1 << 20);
  for (Index j = 0; j < drawn_; ++j) {
    asks.step();
    const Index last = graph().vertices() - drawn_ + j;
    const auto word = drawnWord(key, key.step, static_cast<std::uint64_t>(j));
    const auto any = static_cast<Vertex>(scaledWord(word, static_cast<std::uint64_t>(last) + 1));
    numbering.number(numbering.find(any) < 0 ? any : static_cast<Vertex>(last));
  }
  sortMet(numbering, vertices);
}

double UniformSampler::inclusion(Vertex) const {
  return static_cast<double>(drawn_) / static_cast<double>(graph().vertices());
}

void UniformSampler::factors(const SquareBlock& block, Buffer<double>& out) const {
  resizeUndefined(out, at(block.arcs.nonzeros()));
  const double factor =
      static_cast<double>(graph().vertices() - 1) / static_cast<double>(std::max<Index>(1, drawn_ - 1));
  std::ranges::fill(out, factor);
}

}  // namespace halo
