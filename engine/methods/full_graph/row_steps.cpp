#include "engine/methods/full_graph/row_steps.h"

#include <utility>

#include "engine/base/index.h"
#include "engine/kernels/dense/loss.h"

namespace halo {
namespace {

constexpr std::uint32_t kAggregateDropout = 1U << 14;  // plus a layer's number: that of dropout on its Z

}  // namespace

RowSteps::RowSteps(WorkerParts& parts, Model& model, Rows rows, bool layer0Cached, bool featureGradient)
    : parts_(parts),
      model_(model),
      rows_(std::move(rows)),
      layer0Cached_(layer0Cached),
      featureGradient_(featureGradient) {
  HALO_CHECK(!layer0Cached || model.layer(0).order() == Order::aggregateFirst);
  const auto layers = at(model.layers());
  A_.resize(layers);
  H_.resize(layers);
  Z_.resize(layers);
  U_.resize(layers);
  normSaved_.resize(layers);
  dropped_.assign(layers, false);
}

LayerInput layerInput(const WorkerParts& parts, std::int32_t epoch, int layer, bool training,
                      bool layer0Cached) {
  const double rate = training ? parts.settings.model.dropout : 0.0;
  const bool after = parts.settings.model.dropsAggregate() || (layer == 0 && layer0Cached);
  const DropoutKey key{parts.settings.training.seed, static_cast<std::uint32_t>(epoch),
                       static_cast<std::uint32_t>(layer)};
  DropoutKey aggregateKey = key;
  aggregateKey.layer += kAggregateDropout;
  return {nullptr, key, after ? 0 : rate, training, aggregateKey, after ? rate : 0};
}

void RowSteps::enter(int l, bool training) {
  const double rate = training ? parts_.settings.model.dropout : 0.0;
  dropped_[at(l)] = rate > 0;
  if (rate == 0 || (isCached(l) && !model_.layer(l).readsInput())) return;  // nobody would read it
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  const Matrix& A = raw(l);  // of layer 0, none where who aggregates keeps all that is needed of them
  dropout(A, std::span(rows_.ids(l)).first(at(static_cast<int>(A.rows()))), key(l), rate, H_[at(l)]);
}

LayerInput RowSteps::input(int l, bool training) const {
  LayerInput input = layerInput(parts_, epoch_, l, training, layer0Cached_);
  input.raw = &raw(l);
  return input;
}

const Matrix& RowSteps::toAggregate(int l) {
  Layer& layer = model_.layer(l);
  const Matrix& H = dropsAggregate(l) ? raw(l) : inputRows(l);
  if (!layer.updatesBeforeForward()) return layer.prepare(H);
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  return layer.prepare(H);
}

Matrix& RowSteps::aggregated(int l) {
  return model_.layer(l).order() == Order::updateLast ? passingZ_ : Z_[at(l)];
}

void RowSteps::finish(int l, bool dropped) {
  const double rate = rateOf(l);
  if (dropsAggregate(l) && rate > 0 && (!dropped || isCached(l))) {
    const Timed timed(parts_.tracer, Kind::compute, Name::activation);
    dropout(isCached(l) ? cachedZ0_ : Z_[at(l)], rows_.ids(l + 1), aggregateKey(l), rate, Z_[at(l)]);
  }
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::update);
    model_.layer(l).finish(inputRows(l), isCached(l) && rate == 0 ? cachedZ0_ : aggregated(l), U_[at(l)]);
  }
  if (l + 1 < model_.layers()) activate(l);
}

void RowSteps::finishProduct(const Matrix& T) {
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::update);
    model_.layer(0).inputProduct()->finishProduct(T, U_.front());
  }
  if (model_.layers() > 1) activate(0);
}

void RowSteps::backwardProduct(Matrix& dT) {
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  model_.layer(0).inputProduct()->backwardProduct(dU_, dT);
}

void RowSteps::dropAgain(int l, bool dropped, Matrix& Z) const {
  const double rate = rateOf(l);
  if (dropsAggregate(l) && rate > 0 && !dropped) dropout(Z, rows_.ids(l + 1), aggregateKey(l), rate, Z);
}

void RowSteps::activate(int l) {
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  Matrix& out = A_[at(l) + 1];
  if (!model_.normalised(l)) {
    relu(U_[at(l)], out);
    return;
  }
  std::vector<Weight>& norm = model_.norm(l);
  layerNorm(U_[at(l)], norm[0].value.values(), norm[1].value.values(), out, normSaved_[at(l)]);
  relu(out, out);
}

double RowSteps::loss(const Targets& targets) {
  const Timed timed(parts_.tracer, Kind::compute, Name::loss);
  const Share& share = parts_.share;
  const double vertexWeight = share.trainVertices > 0 ? 1.0 / static_cast<double>(share.trainVertices) : 0.0;
  const RowWeights weights(targets.weight.value_or(vertexWeight), targets.factors);
  const bool sigmoid = parts_.settings.training.loss == "sigmoid" ||
                       (parts_.settings.training.loss == "auto" && share.multiLabel);
  const double sum = sigmoid ? sigmoidLoss(U_.back(), targets.multiLabels, targets.train, weights, dU_)
                             : softmaxLoss(U_.back(), targets.labels, targets.train, weights, dU_);
  return sum * weights.vertexWeight;
}

void RowSteps::startBackward(int l) {
  const bool cachedInput = isCached(l) && !dropped_[0];
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::update);
    model_.layer(l).backwardFinish(inputRows(l), cachedInput ? cachedZ0_ : aggregated(l), dU_, needsInput(l),
                                   dZ_, dH_);
  }
  if (!returns(l)) return;
  if (const double rate = rateOf(l); dropsAggregate(l) && rate > 0) dropGradients(l, rate);
  if (needsInput(l)) dH_.extend(inputRows(l).rows());
}

// What passed a mask in the forward pass passes it again, with its scale: dropout with the same key.
void RowSteps::dropGradients(int l, double rate) {
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  dropout(dZ_, rows_.ids(l + 1), aggregateKey(l), rate, dZ_);
  dropout(dH_, rows_.ids(l + 1), key(l), rate, dH_);
}

void RowSteps::pullBack(int l) {
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::update);
    model_.layer(l).backwardPrepare(inputRows(l), dY_, needsInput(l), dH_);
  }
  if (const double rate = rateOf(l); needsInput(l) && !dropsAggregate(l) && rate > 0) {
    const Timed timed(parts_.tracer, Kind::compute, Name::activation);
    dropout(dH_, rows_.ids(l), key(l), rate, dH_);
  }
}

void RowSteps::endBackward(int l) {
  if (l == 0) return;
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  reluBackward(A_[at(l)], dH_);
  if (model_.normalised(l - 1)) {
    std::vector<Weight>& norm = model_.norm(l - 1);
    for (Weight& w : norm) w.gradient.resize(w.value.rows(), w.value.cols());
    layerNormBackward(U_[at(l) - 1], normSaved_[at(l) - 1], norm[0].value.values(), dH_, dH_,
                      norm[0].gradient.values(), norm[1].gradient.values());
  }
  std::swap(dU_, dH_);
}

void RowSteps::addTo(Memory& memory) const {
  const auto add = [&](MemoryOf category, std::size_t size) {
    memory[at(category)] += static_cast<std::int64_t>(size);
  };
  for (const auto* matrices : {&A_, &H_, &U_, &normSaved_})
    for (const Matrix& m : *matrices) add(MemoryOf::activations, m.heldBytes());
  for (int l = 0; l < model_.layers(); ++l) add(MemoryOf::activations, model_.layer(l).heldBytes());
  for (const Matrix& Z : Z_) add(MemoryOf::aggregated, Z.heldBytes());
  add(MemoryOf::aggregated, cachedZ0_.heldBytes() + passingZ_.heldBytes());
  add(MemoryOf::gradients, dU_.heldBytes() + dZ_.heldBytes() + dY_.heldBytes() + dH_.heldBytes());
}

}  // namespace halo
