#include "engine/sampling/layer_wise.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/sampling/keyed_word.h"

namespace halo {
namespace {}  // namespace

LayerWiseSampler::LayerWiseSampler(const SampledGraph& graph, const GlobalMatrix& P,
                                   std::vector<std::int64_t> draws)
    : graph_(graph),
      P_(P),
      draws_(std::move(draws)),
      numbering_(graph.vertices()),
      candidateNumbers_(graph.vertices()) {
  HALO_CHECK(graph.rows().rows() == graph.vertices() && !draws_.empty());
  HALO_CHECK(std::ranges::all_of(draws_, [](std::int64_t s) { return s >= 1; }));
}

void LayerWiseSampler::sample(std::span<const Vertex> seeds, const DrawKey& key, LayerWiseBlocks& out,
                              const AskStop& askStop) {
  out.blocks.arcs.resize(draws_.size());
  out.factors.resize(draws_.size());
  out.own.resize(draws_.size());
  numbering_.begin(seeds);
  for (int layer = static_cast<int>(draws_.size()); layer >= 1; --layer) {
    if (askStop) askStop();
    findCandidates(numbering_.targets());
    drawCandidates(key, layer);
    takeArcs(numbering_.targets(), layer, out);
    numbering_.add(out.blocks.arcs[at(layer) - 1]);
  }
  numbering_.finish(out.blocks.vertices);
}

void LayerWiseSampler::findCandidates(std::span<const Vertex> targets) {
  const CsrRows& rows = graph_.rows();
  candidateNumbers_.begin();
  byFound_.clear();
  const auto add = [&](Vertex v, Vertex u) {
    const auto number = at(candidateNumbers_.number(u));
    if (number == byFound_.size()) byFound_.push_back(0.0);
    const double entry = P_.entry(v, u);
    byFound_[number] += entry * entry;
  };
  for (const Vertex v : targets) {
    candidateNumbers_.reserve(rows.degree(v) + 1);
    if (includesItself(P_.rule)) add(v, v);
    for (const Vertex u : rows.row(v))
      if (u != v) add(v, u);
  }
  resizeUndefined(candidates_, at(candidateNumbers_.met()));
  std::ranges::copy(candidateNumbers_.vertices(), candidates_.begin());
  std::ranges::sort(candidates_);
  resizeUndefined(q_, candidates_.size());
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    q_[i] = byFound_[at(candidateNumbers_.find(candidates_[i]))];
  weights_.assign(q_);
}

// After this byFound_ holds 1 / (s q_u).
void LayerWiseSampler::drawCandidates(const DrawKey& key, int layer) {
  const auto layers = static_cast<std::uint64_t>(draws_.size());
  const std::uint64_t stream = key.step * layers + layers - static_cast<std::uint64_t>(layer);
  const std::int64_t draws = draws_[at(layer) - 1];
  times_.assign(at(candidateNumbers_.met()), 0);
  if (!weights_.possible()) return;
  for (std::int64_t i = 0; i < draws; ++i) {
    const auto candidate = weights_.draw(drawnWord(key, stream, static_cast<std::uint64_t>(i)));
    ++times_[at(candidateNumbers_.find(candidates_[at(candidate)]))];
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const double q = weights_.probability(static_cast<std::int64_t>(i));
    byFound_[at(candidateNumbers_.find(candidates_[i]))] = q > 0 ? 1 / (static_cast<double>(draws) * q) : 0;
  }
}

void LayerWiseSampler::takeArcs(std::span<const Vertex> targets, int layer, LayerWiseBlocks& out) {
  Csr& arcs = out.blocks.arcs[at(layer) - 1];
  Buffer<double>&factors = out.factors[at(layer) - 1], &own = out.own[at(layer) - 1];
  arcs.cols = graph_.vertices();
  arcs.offsets.assign(1, 0);
  arcs.columns.clear();
  factors.clear();
  own.clear();
  const auto factorOf = [&](Vertex u) {
    const Vertex number = candidateNumbers_.find(u);
    return number < 0 ? 0 : times_[at(number)] * byFound_[at(number)];
  };
  for (const Vertex v : targets) {
    own.push_back(includesItself(P_.rule) ? factorOf(v) : 0);
    for (const Vertex u : graph_.rows().row(v)) {
      const double factor = u == v ? 0 : factorOf(u);
      if (factor == 0) continue;
      arcs.columns.push_back(u);
      factors.push_back(factor);
    }
    arcs.offsets.push_back(static_cast<Index>(arcs.columns.size()));
  }
}

std::size_t LayerWiseSampler::heldBytes() const {
  return numbering_.heldBytes() + candidateNumbers_.heldBytes() + halo::heldBytes(candidates_) +
         halo::heldBytes(byFound_) + halo::heldBytes(q_) + weights_.heldBytes() + halo::heldBytes(times_);
}

}  // namespace halo
