#include "engine/sampling/saint.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/sampling/inclusion.h"

namespace halo {
namespace {

constexpr Index kAskEvery = 1 << 18;  // arcs

/// p_v but for its scale.
std::vector<double> consumerSquares(const SampledGraph& graph, const GlobalMatrix& P,
                                    const AskStop& askStop) {
  std::vector<double> squares(at(graph.vertices()), 0);
  StopAsks asks(askStop, kAskEvery);
  for (Index v = 0; v < graph.vertices(); ++v) {
    asks.step(graph.rows().degree(v) + 1);
    for (const Vertex u : graph.rows().row(v)) {
      if (u == v) continue;
      const double entry = P.entry(static_cast<Vertex>(v), u);
      squares[at(u)] += entry * entry;
    }
  }
  return squares;
}

constexpr std::uint32_t kNoPair = ~std::uint32_t{0};

}  // namespace

SaintNodeSampler::SaintNodeSampler(const SampledGraph& graph, const GlobalMatrix& P, std::int64_t draws,
                                   const AskStop& askStop)
    : SaintNodeSampler(graph, consumerSquares(graph, P, askStop), draws) {}

SaintNodeSampler::SaintNodeSampler(const SampledGraph& graph, std::span<const double> squares,
                                   std::int64_t draws)
    : SquareSampler(graph), draws_(static_cast<double>(draws)) {
  HALO_CHECK(draws >= 1 && std::ssize(squares) == graph.vertices());
  weights_.assign(squares);
  for (Index v = 0; v < graph.vertices(); ++v) meanVertices_ += inclusion(static_cast<Vertex>(v));
}

void SaintNodeSampler::draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
                            const AskStop& askStop) const {
  numbering.begin();
  numbering.reserve(static_cast<Index>(draws_));
  StopAsks asks(askStop, 1 << 18);
  const auto count = weights_.possible() ? static_cast<std::uint64_t>(draws_) : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    asks.step();
    numbering.number(static_cast<Vertex>(weights_.draw(drawnWord(key, key.step, i))));
  }
  sortMet(numbering, vertices);
}

double SaintNodeSampler::inclusion(Vertex v) const { return metOnce(weights_.probability(v), draws_); }

void SaintNodeSampler::factors(const SquareBlock& block, Buffer<double>& out) const {
  resizeUndefined(out, at(block.arcs.nonzeros()));
  for (Index i = 0; i < block.arcs.rows(); ++i) {
    const double p = weights_.probability(block.vertices[at(i)]), met = metOnce(p, draws_);
    for (Index k = block.arcs.offsets[at(i)]; k < block.arcs.offsets[at(i) + 1]; ++k) {
      const Vertex u = block.vertices[at(block.arcs.columns[at(k)])];
      out[at(k)] = met / metBoth(p, weights_.probability(u), 0, draws_);
    }
  }
}

SaintEdgeSampler::SaintEdgeSampler(const SampledGraph& graph, const GlobalMatrix& P, std::int64_t draws,
                                   const AskStop& askStop)
    : SquareSampler(graph), draws_(static_cast<double>(draws)) {
  HALO_CHECK(draws >= 1 && graph.rows().rows() == graph.vertices());
  findPairs(askStop);
  weighPairs(P, askStop);
  met_.assign(at(graph.vertices()), 0.0);
  for (std::size_t e = 0; e < pairs_.size(); ++e)
    for (const Vertex end : {pairs_[e].source, pairs_[e].target})
      met_[at(end)] += weights_.probability(static_cast<std::int64_t>(e));
  for (Index v = 0; v < graph.vertices(); ++v) meanVertices_ += inclusion(static_cast<Vertex>(v));
}

// Arcs that stand for a pair number it; then arcs that do not look up the arc back.
void SaintEdgeSampler::findPairs(const AskStop& askStop) {
  const CsrRows& rows = graph().rows();
  const auto placeOfBack = [&](Vertex u, Vertex v) -> Index {  // of v in u's row; −1: it is not there
    const std::span<const Vertex> row = rows.row(u);
    const auto place = std::ranges::lower_bound(row, v);
    return place == row.end() || *place != v ? -1 : rows.offsets[at(u)] + (place - row.begin());
  };
  pairOf_.assign(at(rows.nonzeros()), kNoPair);
  pairs_.reserve(at(rows.nonzeros() / 2));
  StopAsks asks(askStop, kAskEvery);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto v = static_cast<Vertex>(i);
    asks.step(rows.degree(i) + 1);
    for (Index k = rows.offsets[at(i)]; k < rows.offsets[at(i) + 1]; ++k) {
      const Vertex u = rows.columns[at(k)];
      if (u == v || (u > v && placeOfBack(u, v) >= 0)) continue;
      if (pairs_.empty() || pairs_.back() != Arc{u, v}) pairs_.push_back({u, v});  // else repeated
      pairOf_[at(k)] = static_cast<std::uint32_t>(pairs_.size() - 1);
    }
  }
  HALO_CHECK(pairs_.size() < kNoPair);
  for (Index i = 0; i < rows.rows(); ++i) {
    asks.step(rows.degree(i) + 1);
    for (Index k = rows.offsets[at(i)]; k < rows.offsets[at(i) + 1]; ++k)
      if (const Vertex u = rows.columns[at(k)]; u > i && pairOf_[at(k)] == kNoPair)
        pairOf_[at(k)] = pairOf_[at(placeOfBack(u, static_cast<Vertex>(i)))];
  }
}

void SaintEdgeSampler::weighPairs(const GlobalMatrix& P, const AskStop& askStop) {
  std::vector<double> weights(pairs_.size(), 0.0);
  StopAsks asks(askStop, kAskEvery);
  const CsrRows& rows = graph().rows();
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto v = static_cast<Vertex>(i);
    asks.step(rows.degree(i) + 1);
    Vertex before = v;
    for (Index k = rows.offsets[at(i)]; k < rows.offsets[at(i) + 1]; ++k) {
      const Vertex u = rows.columns[at(k)];
      if (u != v && u != before) weights[pairOf_[at(k)]] += P.entry(v, u);
      before = u;
    }
  }
  weights_.assign(weights);
}

void SaintEdgeSampler::draw(const DrawKey& key, Numbering& numbering, Buffer<Vertex>& vertices,
                            const AskStop& askStop) const {
  numbering.begin();
  numbering.reserve(2 * static_cast<Index>(draws_));
  StopAsks asks(askStop, 1 << 18);
  const auto count = weights_.possible() ? static_cast<std::uint64_t>(draws_) : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    asks.step();
    const Arc& pair = pairs_[at(weights_.draw(drawnWord(key, key.step, i)))];
    numbering.number(pair.source);
    numbering.number(pair.target);
  }
  sortMet(numbering, vertices);
}

double SaintEdgeSampler::inclusion(Vertex v) const { return metOnce(met(v), draws_); }

void SaintEdgeSampler::factors(const SquareBlock& block, Buffer<double>& out) const {
  resizeUndefined(out, at(block.arcs.nonzeros()));
  for (Index i = 0; i < block.arcs.rows(); ++i) {
    const Vertex v = block.vertices[at(i)];
    const double once = inclusion(v);
    for (Index k = block.arcs.offsets[at(i)]; k < block.arcs.offsets[at(i) + 1]; ++k) {
      const Vertex u = block.vertices[at(block.arcs.columns[at(k)])];
      const double both = weights_.probability(pairOf_[at(block.places[at(k)])]);
      out[at(k)] = once / metBoth(met(v), met(u), both, draws_);
    }
  }
}

}  // namespace halo
