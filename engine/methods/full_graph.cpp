#include "engine/methods/full_graph.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/kernels/work.h"

namespace halo {
namespace {

constexpr std::uint32_t kAggregateDropout = 1U << 14;  // plus a layer's number: that of dropout on its Z

std::size_t at(int l) { return static_cast<std::size_t>(l); }

}  // namespace

void aggregate(Tracer& tracer, const Csr& A, const Matrix& X, Matrix& Y, Write write) {
  const Timed timed(tracer, Kind::compute, Name::aggregate);
  spmm(A, X, Y, write);
}

FullGraph::FullGraph(WorkerParts& parts, std::unique_ptr<Propagator> propagator, bool layer0Cached)
    : parts_(parts), propagator_(std::move(propagator)), layer0Cached_(layer0Cached) {
  const auto layers = static_cast<std::size_t>(parts.model.layers());
  A_.resize(layers);
  H_.resize(layers);
  Z_.resize(layers);
  U_.resize(layers);
  normSaved_.resize(layers);
  dropped_.assign(layers, false);
}

DropoutKey FullGraph::key(int l) const {
  return {parts_.settings.training.seed, static_cast<std::uint32_t>(epoch_), static_cast<std::uint32_t>(l)};
}

Matrix& FullGraph::aggregated(int l) {
  return parts_.model.layer(l).order() == Order::updateLast ? passingZ_ : Z_[at(l)];
}

DropoutKey FullGraph::aggregateKey(int l) const {
  DropoutKey after = key(l);
  after.layer += kAggregateDropout;
  return after;
}

void FullGraph::workDone(int layer, Pass pass) {
  const std::int64_t now = work().total(), cpu = parts_.tracer.computeCpuNs();
  work_.push_back({layer, pass, now - workAt_, cpu - cpuAt_});
  workAt_ = now;
  cpuAt_ = cpu;
}

double FullGraph::runEpoch(std::int32_t epoch) {
  epoch_ = epoch;
  parts_.tracer.setEpoch(epoch);
  workAt_ = work().total();
  cpuAt_ = parts_.tracer.computeCpuNs();
  cacheLayer0();
  parts_.tracer.setLayer(-1, Pass::none);
  propagator_->beginEpoch(epoch);
  workDone(-1, Pass::none);
  forward(/*training=*/true);
  parts_.tracer.setLayer(-1, Pass::none);
  const double localLoss = lossAndGradient(dU_);
  workDone(-1, Pass::none);
  backward();
  parts_.tracer.setLayer(-1, Pass::none);
  reduceGradients();
  cpuAt_ = parts_.tracer.computeCpuNs();  // copying gradients is no kernel
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::optimizer);
    std::vector<Weight*> weights;
    for (auto& [name, weight] : parts_.model.weights()) weights.push_back(weight);
    parts_.optimizer.step(weights);
  }
  workDone(-1, Pass::none);
  const std::int64_t begin = wallNs();
  const double loss = parts_.comm.sum(localLoss);
  parts_.tracer.add(Kind::synchronise, Name::barrier, Lane::main, begin, wallNs());
  return loss;
}

void FullGraph::cacheLayer0() {
  if (!layer0Cached_ || cacheReady_) return;
  cacheReady_ = true;
  HALO_CHECK(parts_.model.layer(0).order() == Order::aggregateFirst);
  parts_.tracer.setLayer(0, Pass::forward);
  propagator_->enter(0, {&features(), {}, 0, false});
  propagator_->forward(0, features(), cachedZ0_);
  workDone(0, Pass::forward);
}

void FullGraph::forward(bool training) {
  for (int l = 0; l < parts_.model.layers(); ++l) forwardLayer(l, training);
}

void FullGraph::forwardLayer(int l, bool training) {
  Tracer& tracer = parts_.tracer;
  tracer.setLayer(static_cast<std::int16_t>(l), Pass::forward);
  const double rate = training ? parts_.settings.model.dropout : 0.0;
  const bool cached = l == 0 && layer0Cached_;
  dropped_[at(l)] = rate > 0;
  if (rate > 0) {
    const Timed timed(tracer, Kind::compute, Name::activation);
    dropout(input(l), rows(l), key(l), rate, H_[at(l)]);
  }
  const Matrix& H = layerInput(l);
  Layer& layer = parts_.model.layer(l);
  const bool after = dropsAggregate(l);
  bool dropped = !after || rate == 0;
  if (!cached) {
    const double before = after ? 0 : rate;
    propagator_->enter(l, {&input(l), key(l), before, training, aggregateKey(l), rate - before});
    propagator_->forward(l, prepare(layer, after ? input(l) : H), aggregated(l));
    dropped = dropped || propagator_->dropsAggregate();
  }
  if (!dropped) {
    const Timed timed(tracer, Kind::compute, Name::activation);
    dropout(cached ? cachedZ0_ : Z_[at(l)], rows(l + 1), aggregateKey(l), rate, Z_[at(l)]);
  }
  {
    const Timed timed(tracer, Kind::compute, Name::update);
    layer.finish(H, cached && rate == 0 ? cachedZ0_ : aggregated(l), U_[at(l)]);
  }
  if (l + 1 < parts_.model.layers()) activate(l);
  workDone(l, Pass::forward);
}

const Matrix& FullGraph::prepare(Layer& layer, const Matrix& H) {
  if (!layer.updatesBeforeForward()) return layer.prepare(H);
  const Timed timed(parts_.tracer, Kind::compute, Name::update);
  return layer.prepare(H);
}

void FullGraph::activate(int l) {
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  Matrix& out = A_[at(l) + 1];
  if (!parts_.model.normalised(l)) {
    relu(U_[at(l)], out);
    return;
  }
  std::vector<Weight>& norm = parts_.model.norm(l);
  layerNorm(U_[at(l)], norm[0].value.values(), norm[1].value.values(), out, normSaved_[at(l)]);
  relu(out, out);
}

double FullGraph::lossAndGradient(Matrix& dU) {
  const Timed timed(parts_.tracer, Kind::compute, Name::loss);
  const Share& share = parts_.share;
  const double weight = share.trainVertices > 0 ? 1.0 / static_cast<double>(share.trainVertices) : 0.0;
  const bool sigmoid = parts_.settings.training.loss == "sigmoid" ||
                       (parts_.settings.training.loss == "auto" && share.multiLabel);
  const double sum = sigmoid ? sigmoidLoss(U_.back(), share.multiLabels, share.train, weight, dU)
                             : softmaxLoss(U_.back(), share.labels, share.train, weight, dU);
  return sum * weight;
}

void FullGraph::backward() {
  for (int l = parts_.model.layers() - 1; l >= 0; --l) backwardLayer(l, dU_);
}

// On entry dU is the gradient of U(l); on exit that of U(l-1).
void FullGraph::backwardLayer(int l, Matrix& dU) {
  Tracer& tracer = parts_.tracer;
  tracer.setLayer(static_cast<std::int16_t>(l), Pass::backward);
  Layer& layer = parts_.model.layer(l);
  const bool needInput = l > 0;
  const Matrix& H = layerInput(l);
  const bool cachedInput = l == 0 && layer0Cached_ && !dropped_[0];
  {
    const Timed timed(tracer, Kind::compute, Name::update);
    layer.backwardFinish(H, cachedInput ? cachedZ0_ : aggregated(l), dU, needInput, dZ_, dH_);
  }
  const double rate = dropped_[at(l)] ? parts_.settings.model.dropout : 0;
  const bool after = dropsAggregate(l) && rate > 0;
  if (needInput || layer.backwardNeedsPropagation()) {
    if (after) dropGradients(l, rate);
    if (needInput) dH_.extend(H.rows());
    propagator_->backward(l, dZ_, dY_);
    const Timed timed(tracer, Kind::compute, Name::update);
    layer.backwardPrepare(H, dY_, needInput, dH_);
  } else if (layer.attention()) {
    propagator_->backwardWeights(l, dZ_);
  }
  if (needInput) {
    const Timed timed(tracer, Kind::compute, Name::activation);
    if (!after && rate > 0) dropout(dH_, rows(l), key(l), rate, dH_);
    propagator_->addLate(l, dH_);
    reluBackward(A_[at(l)], dH_);
    if (parts_.model.normalised(l - 1)) {
      std::vector<Weight>& norm = parts_.model.norm(l - 1);
      for (Weight& w : norm) w.gradient.resize(w.value.rows(), w.value.cols());
      layerNormBackward(U_[at(l) - 1], normSaved_[at(l) - 1], norm[0].value.values(), dH_, dH_,
                        norm[0].gradient.values(), norm[1].gradient.values());
    }
    std::swap(dU, dH_);
  }
  workDone(l, Pass::backward);
}

// What passed a mask in the forward pass passes it again, with its scale: dropout with the same key.
void FullGraph::dropGradients(int l, double rate) {
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  dropout(dZ_, rows(l + 1), aggregateKey(l), rate, dZ_);
  dropout(dH_, rows(l + 1), key(l), rate, dH_);
}

void FullGraph::reduceGradients() {
  if (parts_.comm.size() == 1) return;
  auto weights = parts_.model.weights();
  std::size_t total = 0;
  for (const auto& [name, weight] : weights) total += weight->gradient.values().size();
  gradients_.resize(total);
  std::size_t from = 0;
  for (const auto& [name, weight] : weights) {
    std::ranges::copy(weight->gradient.values(), gradients_.begin() + static_cast<std::ptrdiff_t>(from));
    from += weight->gradient.values().size();
  }
  parts_.comm.sumGradients(gradients_);
  from = 0;
  for (auto& [name, weight] : weights) {
    std::copy_n(gradients_.begin() + static_cast<std::ptrdiff_t>(from), weight->gradient.values().size(),
                weight->gradient.data());
    from += weight->gradient.values().size();
  }
}

EpochRow FullGraph::evaluate() {
  const std::int64_t begin = wallNs();
  const bool wasEnabled = parts_.tracer.enabled();
  if (parts_.settings.model.dropout > 0 || !propagator_->exact() || !propagator_->complete()) {
    const std::size_t rows = work_.size();
    parts_.tracer.setEnabled(false);
    parts_.comm.setCounting(false);
    forward(/*training=*/false);
    parts_.comm.setCounting(true);
    parts_.tracer.setEnabled(wasEnabled);
    work_.resize(rows);  // an evaluation is no training work
  }
  const Share& share = parts_.share;
  std::vector<std::int64_t> totals;
  for (const auto* chosen : {&share.train, &share.valid, &share.test}) {
    const Counts c = share.multiLabel ? f1Counts(U_.back(), share.multiLabels, *chosen)
                                      : accuracyCounts(U_.back(), share.labels, *chosen);
    totals.insert(totals.end(), {c.correct, c.total, c.truePositive, c.falsePositive, c.falseNegative});
  }
  parts_.comm.sum(totals);
  const auto score = [&](std::size_t i) -> std::optional<double> {
    const std::int64_t* t = totals.data() + 5 * i;
    if (t[1] == 0) return std::nullopt;  // nobody is in this split
    if (!share.multiLabel) return static_cast<double>(t[0]) / static_cast<double>(t[1]);
    const std::int64_t denominator = 2 * t[2] + t[3] + t[4];
    return denominator == 0 ? 0.0 : 2.0 * static_cast<double>(t[2]) / static_cast<double>(denominator);
  };
  parts_.tracer.setLayer(-1, Pass::none);
  parts_.tracer.add(Kind::other, Name::evaluate, Lane::main, begin, wallNs());
  EpochRow row;
  row.epoch = epoch_;
  row.train = score(0);
  row.valid = score(1);
  row.test = score(2);
  return row;
}

std::vector<Staleness> FullGraph::probeStaleness() {
  const int first = layer0Cached_ ? 1 : 0, layers = parts_.model.layers();
  std::vector<Staleness> rows;
  if (propagator_->exact()) {
    for (int l = first; l < layers; ++l) rows.push_back({l, Pass::forward});
    for (int l = 1; l < layers; ++l) rows.push_back({l, Pass::backward});
    return rows;
  }
  std::vector<const Matrix*> raw;
  for (int l = 0; l < layers; ++l) raw.push_back(&input(l));
  const bool wasEnabled = parts_.tracer.enabled();
  parts_.tracer.setEnabled(false);
  parts_.comm.setCounting(false);
  rows = propagator_->probe(raw);
  parts_.comm.setCounting(true);
  parts_.tracer.setEnabled(wasEnabled);
  return rows;
}

Memory FullGraph::memory() const {
  Memory bytes{};
  const auto add = [&](MemoryOf what, std::size_t size) {
    bytes[static_cast<std::size_t>(what)] += static_cast<std::int64_t>(size);
  };
  add(MemoryOf::features, parts_.share.features.bytes());
  if (const Matrix* wider = propagator_->features()) add(MemoryOf::features, wider->bytes());
  for (const auto* matrices : {&A_, &H_, &U_, &normSaved_})
    for (const Matrix& m : *matrices) add(MemoryOf::activations, m.bytes());
  for (const Matrix& Z : Z_) add(MemoryOf::aggregated, Z.bytes());
  add(MemoryOf::aggregated, cachedZ0_.bytes() + passingZ_.bytes());
  add(MemoryOf::gradients, dU_.bytes() + dZ_.bytes() + dY_.bytes() + dH_.bytes());
  add(MemoryOf::exchange, propagator_->bufferBytes());
  add(MemoryOf::history, propagator_->historyBytes());
  return bytes;
}

}  // namespace halo
