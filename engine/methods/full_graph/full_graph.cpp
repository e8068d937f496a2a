#include "engine/methods/full_graph/full_graph.h"

#include <utility>

#include "engine/base/index.h"
#include "engine/methods/contract/staleness.h"
#include "engine/methods/full_graph/label_input.h"
#include "engine/methods/worker/uncounted.h"

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
    const Matrix& Y = steps_.toAggregate(l);
    propagator_->forward(l, Y, steps_.aggregated(l));
    dropped = propagator_->dropsAggregate();
    if (training && probed_) keepForward(l, Y);
  }
  steps_.finish(l, dropped);
  if (training && probed_ && steps_.passesOn(l)) std::swap(steps_.aggregated(l), keptZ_[at(l)]);
  workDone(l, Pass::forward);
}

void FullGraph::backwardLayer(int l) {
  parts_.tracer.setLayer(static_cast<std::int16_t>(l), Pass::backward);
  steps_.startBackward(l);
  if (steps_.returns(l)) {
    propagator_->backward(l, steps_.dZ(), steps_.dY());
    steps_.pullBack(l);
    if (probed_) keepBackward(l);
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

void FullGraph::prepareProbe() {
  probed_ = true;
  const auto layers = at(parts_.model.layers());
  kept_.raw.assign(layers, nullptr);
  kept_.Y.assign(layers, nullptr);
  kept_.returned.assign(layers, false);
  for (auto* matrices : {&kept_.dZ, &keptDY_, &keptZ_}) matrices->resize(layers);
  for (int l = 0; l < parts_.model.layers(); ++l) {
    reserveLike(kept_.dZ[at(l)], steps_.dZ());
    reserveLike(keptDY_[at(l)], steps_.dY());
    if (steps_.passesOn(l)) reserveLike(keptZ_[at(l)], steps_.aggregated(l));
  }
  keptWeights_.clear();
  if (!attends(parts_.settings.model)) return;
  for (const auto& [name, weight] : parts_.model.weights()) keptWeights_.push_back(weight->value);
}

void FullGraph::keepForward(int l, const Matrix& Y) {
  kept_.raw[at(l)] = &steps_.raw(l);
  kept_.Y[at(l)] = &Y;
}

// Their turn is over: what comes next takes the room that was made for it.
void FullGraph::keepBackward(int l) {
  std::swap(kept_.dZ[at(l)], steps_.dZ());
  std::swap(keptDY_[at(l)], steps_.dY());
  kept_.returned[at(l)] = true;
}

std::vector<Staleness> FullGraph::probeStaleness() {
  HALO_CHECK(probed_);
  probed_ = false;
  const Uncounted probing(parts_);
  std::vector<Staleness> rows = propagator_->exact() ? propagateAgain() : propagator_->probe(kept_);
  for (auto* matrices : {&kept_.dZ, &keptDY_, &keptZ_, &keptWeights_}) *matrices = {};
  return rows;
}

std::vector<Staleness> FullGraph::propagateAgain() {
  std::vector<Staleness> rows, back;
  Matrix Z, dY;
  swapWeights();
  propagator_->repeat(true);
  for (int l = 0; l < parts_.model.layers(); ++l) {
    if (kept_.Y[at(l)] == nullptr) continue;  // layer 0 was aggregated once
    propagator_->enter(l, steps_.input(l, /*training=*/true));
    propagator_->forward(l, *kept_.Y[at(l)], Z);
    steps_.dropAgain(l, propagator_->dropsAggregate(), Z);
    const Matrix& used = steps_.passesOn(l) ? keptZ_[at(l)] : steps_.aggregated(l);
    rows.push_back(distance(l, Pass::forward, used.values(), Z.values()));
    if (!kept_.returned[at(l)]) continue;
    propagator_->backward(l, kept_.dZ[at(l)], dY);
    back.push_back(distance(l, Pass::backward, keptDY_[at(l)].values(), dY.values()));
  }
  propagator_->repeat(false);
  swapWeights();
  rows.insert(rows.end(), back.begin(), back.end());
  for (Staleness& row : rows) row.age = 0;  // an exact method used what its neighbours had
  return rows;
}

/// Puts the weights that the epoch propagated with in the place of those that came of it, or back.
void FullGraph::swapWeights() {
  const auto& weights = parts_.model.weights();
  for (std::size_t w = 0; w < keptWeights_.size(); ++w) std::swap(weights[w].second->value, keptWeights_[w]);
}

void FullGraph::finish() {
  const Uncounted waiting(parts_);
  parts_.tracer.setEnabled(true);  // what comes now travelled while epochs went on
  propagator_->finish();
}

Memory FullGraph::memory() const {
  Memory bytes{};
  const auto add = [&](MemoryOf category, std::size_t size) {
    bytes[at(category)] += static_cast<std::int64_t>(size);
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
