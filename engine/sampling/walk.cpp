#include "engine/sampling/walk.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {}  // namespace

WalkSampler::WalkSampler(const SampledGraph& graph, std::span<const Vertex> train, const Settings& settings,
                         const AskStop& askStop)
    : SquareSampler(graph), train_(train.begin(), train.end()), settings_(settings) {
  HALO_CHECK(!train.empty() && settings.roots >= 1 && settings.depth >= 1 && settings.coverage > 0);
  HALO_CHECK(settings.roots < std::int64_t{1} << 32);
  findReachable();
  met_.assign(at(graph.vertices()), 0);
  metBoth_.assign(at(graph.rows().nonzeros()), 0);
  Numbering numbering(graph.vertices());
  SquareBlock block;
  const double target = settings.coverage * static_cast<double>(graph.vertices());
  double all = 0;
  for (; all < target; ++sets_) {
    const DrawKey key{settings.seed, static_cast<std::uint64_t>(sets_), Purpose::preSample};
    sample(key, numbering, block, askStop);
    for (const Vertex v : block.vertices) ++met_[at(v)];
    for (const Index place : block.places) ++metBoth_[at(place)];
    all += static_cast<double>(block.vertices.size());
  }
  meanVertices_ = all / static_cast<double>(sets_);
}

void WalkSampler::findReachable() {
  reachable_.assign(at(graph().vertices()), 0);
  std::vector<Vertex> now = train_, next;
  for (const Vertex v : train_) reachable_[at(v)] = 1;
  for (int step = 0; step < settings_.depth && !now.empty(); ++step) {
    next.clear();
    for (const Vertex v : now)
      for (const Vertex u : graph().rows().row(v))
        if (std::exchange(reachable_[at(u)], std::uint8_t{1}) == 0) next.push_back(u);
    now.swap(next);
  }
}

void WalkSampler::follow(const DrawKey& key, std::uint64_t walk, Numbering& numbering) const {
  const std::uint64_t stream = key.step << 32 | walk;
  Vertex v = train_[scaledWord(drawnWord(key, stream, 0), train_.size())];
  numbering.number(v);
  for (int step = 1; step <= settings_.depth; ++step) {
    const auto degree = static_cast<std::uint64_t>(graph().degree(v));
    if (degree == 0) return;
    const std::uint64_t word = drawnWord(key, stream, static_cast<std::uint64_t>(step));
    auto position = static_cast<Index>(scaledWord(word, degree));
    if (graph().hasLoops())
      if (const SampledGraph::Loops loops = graph().loopsOf(v); position >= loops.begin)
        position += loops.count;
    v = graph().rows().row(v)[at(position)];
    numbering.number(v);
  }
}

void WalkSampler::draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
                       const AskStop& askStop) const {
  HALO_CHECK(key.step < std::uint64_t{1} << 32);
  numbering.begin();
  numbering.reserve(settings_.roots * (settings_.depth + 1));
  StopAsks asks(askStop, 1 << 16);
  for (std::int64_t walk = 0; walk < settings_.roots; ++walk) {
    asks.step(settings_.depth);
    follow(key, static_cast<std::uint64_t>(walk), numbering);
  }
  sortMet(numbering, vertices);
}

double WalkSampler::inclusion(Vertex v) const {
  if (reachable_[at(v)] == 0) return 0;
  return static_cast<double>(std::max(met(v), 1)) / static_cast<double>(sets_);
}

void WalkSampler::factors(const SquareBlock& block, Buffer<double>& out) const {
  resizeUndefined(out, at(block.arcs.nonzeros()));
  for (Index i = 0; i < block.arcs.rows(); ++i) {
    const double once = std::max(met(block.vertices[at(i)]), 1);
    for (Index k = block.arcs.offsets[at(i)]; k < block.arcs.offsets[at(i) + 1]; ++k)
      out[at(k)] = once / std::max(metBoth(block.places[at(k)]), 1);
  }
}

std::size_t WalkSampler::heldBytes() const {
  return halo::heldBytes(met_) + halo::heldBytes(metBoth_) + halo::heldBytes(reachable_) +
         halo::heldBytes(train_);
}

}  // namespace halo
