#include "engine/methods/minibatch/full_scores.h"

#include "engine/base/index.h"

namespace halo {

FullScores::FullScores(WorkerParts& parts, const Topology& topology, const BatchSettings& settings)
    : parts_(parts),
      scored_(parts, parts.model,
              {[&parts]() -> const Matrix& { return parts.share.features; },
               [&parts](int) -> const std::vector<Vertex>& { return parts.share.graph.owned; }},
              /*layer0Cached=*/false),
      halo_(parts, parts.share.graph.peers, /*localFirst=*/false) {
  if (!attends(parts.settings.model)) scoring_.emplace(parts);
  if (settings.evaluation) drawn_.emplace(parts, topology, *settings.evaluation, settings.weights);
}

void FullScores::make(std::int32_t epoch) {
  const LocalGraph& graph = parts_.share.graph;
  const Csr &own = drawn_ ? drawn_->own() : graph.own, &halo = drawn_ ? drawn_->halo() : graph.halo;
  for (int l = 0; l < parts_.model.layers(); ++l) {
    if (drawn_) drawn_->draw(epoch, l + 1);
    parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::forward);
    if (scoring_) {
      scoring_->layer(l, own, halo);
      continue;
    }
    scored_.enter(l, /*training=*/false);
    const Matrix& Y = scored_.toAggregate(l);
    // only a backward pass reads the other way round
    halo_.forward(l, {own, own}, {halo, halo}, Y, scored_.aggregated(l));
    scored_.finish(l, /*dropped=*/false);
  }
}

void FullScores::addTo(Memory& memory) const {
  const auto add = [&](MemoryOf category, std::size_t size) {
    memory[at(category)] += static_cast<std::int64_t>(size);
  };
  if (scoring_) scoring_->addTo(memory);
  scored_.addTo(memory);
  // who trains counts what layers keep of their own
  for (int l = 0; l < parts_.model.layers(); ++l)
    memory[at(MemoryOf::activations)] -= static_cast<std::int64_t>(parts_.model.layer(l).heldBytes());
  add(MemoryOf::exchange, halo_.bufferBytes());
  if (drawn_) add(MemoryOf::exchange, drawn_->heldBytes());
}

}  // namespace halo
