#include "engine/methods/full_graph.h"

#include "engine/methods/label_input.h"
#include "engine/methods/uncounted.h"

namespace halo {

FullGraph::FullGraph(WorkerParts& parts, std::unique_ptr<Propagator> propagator, bool layer0Cached)
    : FullGraph(parts, std::move(propagator), layer0Cached, nullptr) {}

FullGraph::FullGraph(WorkerParts& parts, std::unique_ptr<Propagator> propagator, bool layer0Cached,
                     std::unique_ptr<LabelInput> labels)
    : Trainer(parts),
      propagator_(std::move(propagator)),
      layer0Cached_(layer0Cached),
      labels_(std::move(labels)),
      steps_(parts, parts.model, ownRows(), layer0Cached, /*featureGradient=*/labels_ != nullptr) {
  HALO_CHECK(labels_ == nullptr || (!layer0Cached && propagator_->features() == nullptr));
}

FullGraph::~FullGraph() = default;

RowSteps::Rows FullGraph::ownRows() {
  return {[this]() -> const Matrix& {
            if (labels_ != nullptr) return labels_->rows();
            const Matrix* wider = propagator_->features();
            return wider == nullptr ? parts_.share.features : *wider;
          },
          [this](int level) -> const std::vector<Vertex>& {
            const std::vector<Vertex>* wider = propagator_->rows(level);
            return wider == nullptr ? parts_.share.graph.owned : *wider;
          }};
}

double FullGraph::pass(std::int32_t epoch) {
  epoch_ = epoch;
  steps_.setEpoch(epoch);
  cacheLayer0();
  parts_.tracer.setLayer(-1, Pass::none);
  propagator_->beginEpoch(epoch);
  workDone(-1, Pass::none);
  forward(/*training=*/true);
  parts_.tracer.setLayer(-1, Pass::none);
  const Share& share = parts_.share;
  RowSteps::Targets targets{share.labels, share.multiLabels, share.train};
  if (labels_ != nullptr) {
    targets.train = labels_->learned();
    targets.weight = labels_->lossWeight();
  }
  const double localLoss = steps_.loss(targets);
  workDone(-1, Pass::none);
  for (int l = parts_.model.layers() - 1; l >= 0; --l) backwardLayer(l);
  return localLoss;
}

void FullGraph::cacheLayer0() {
  if (!layer0Cached_ || cacheReady_) return;
  cacheReady_ = true;
  parts_.tracer.setLayer(0, Pass::forward);
  const Matrix& features = steps_.raw(0);
  propagator_->enter(0, {&features, {}, 0, false});
  propagator_->forward(0, features, steps_.cached());
  propagator_->release();
  workDone(0, Pass::forward);
}

void FullGraph::forward(bool training) {
  parts_.tracer.setLayer(0, Pass::forward);
  if (labels_ != nullptr) labels_->show(epoch_, training);
  for (int l = 0; l < parts_.model.layers(); ++l) forwardLayer(l, training);
}

void FullGraph::forwardLayer(int l, bool training) {
  parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::forward);
  steps_.enter(l, training);
  bool dropped = false;
  if (!steps_.isCached(l)) {
    propagator_->enter(l, steps_.input(l, training));
    propagator_->forward(l, steps_.toAggregate(l), steps_.aggregated(l));
    dropped = propagator_->dropsAggregate();
  }
  steps_.finish(l, dropped);
  workDone(l, Pass::forward);
}

void FullGraph::backwardLayer(int l) {
  parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::backward);
  steps_.startBackward(l);
  if (steps_.returns(l)) {
    propagator_->backward(l, steps_.dZ(), steps_.dY());
    steps_.pullBack(l);
  } else if (parts_.model.layer(l).attention()) {
    propagator_->backwardWeights(l, steps_.dZ());
  }
  if (l > 0) {
    propagator_->addLate(l, steps_.inputGradient());
    steps_.endBackward(l);
  } else if (labels_ != nullptr) {
    labels_->backward(steps_.inputGradient());
  }
  workDone(l, Pass::backward);
}

std::vector<Staleness> FullGraph::probeStaleness() {
  if (propagator_->exact()) return neverStale();
  std::vector<const Matrix*> raw;
  for (int l = 0; l < parts_.model.layers(); ++l) raw.push_back(&steps_.raw(l));
  const Uncounted probing(parts_);
  return propagator_->probe(raw);
}

Memory FullGraph::memory() const {
  Memory bytes{};
  const auto add = [&](MemoryOf what, std::size_t size) {
    bytes[static_cast<std::size_t>(what)] += static_cast<std::int64_t>(size);
  };
  add(MemoryOf::features, parts_.share.features.heldBytes() + propagator_->featureBytes());
  if (const Matrix* wider = propagator_->features()) add(MemoryOf::features, wider->heldBytes());
  if (labels_ != nullptr) add(MemoryOf::features, labels_->rows().heldBytes());
  steps_.addTo(bytes);
  add(MemoryOf::exchange, propagator_->bufferBytes());
  add(MemoryOf::history, propagator_->historyBytes());
  return bytes;
}

}  // namespace halo
