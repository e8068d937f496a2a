#include "engine/methods/full_graph/trainer.h"

#include <algorithm>
#include <limits>

#include "engine/kernels/dense/loss.h"
#include "engine/methods/worker/uncounted.h"

namespace halo {

void Trainer::workDone(int layer, Pass pass) {
  const Work now = work();
  const std::int64_t cpu = parts_.tracer.computeCpuNs();
  auto row = std::ranges::find_if(
      work_, [&](const WorkRow& entry) { return entry.layer == layer && entry.pass == pass; });
  if (row == work_.end()) row = work_.insert(work_.end(), {.layer = layer, .pass = pass});
  row->flop += now.total() - workAt_.total();
  row->cpuNs += cpu - cpuAt_;
  row->aggregationFlop += now.sparse - workAt_.sparse;
  row->aggregationLeastBytes += now.sparseLeastBytes - workAt_.sparseLeastBytes;
  row->aggregationMostBytes += now.sparseMostBytes - workAt_.sparseMostBytes;
  workAt_ = now;
  cpuAt_ = cpu;
}

double Trainer::runEpoch(std::int32_t epoch) {
  epoch_ = epoch;
  if (weights_.empty()) {
    weights_ = all();
    summed_ = summed();
    stepped_ = stepped();
  }
  parts_.tracer.setEpoch(epoch);
  workAt_ = work();
  cpuAt_ = parts_.tracer.computeCpuNs();
  loss_ = 0;
  const Index passes = startEpoch(epoch);
  for (Index p = 0; p < passes; ++p) {
    loss_ += pass(epoch);
    if (updatesNow()) update();
    passEnded();
  }
  const std::int64_t begin = wallNs();
  const double loss = parts_.comm.sum(loss_);
  parts_.tracer.add(Kind::synchronise, Name::barrier, Lane::main, begin, wallNs());
  return loss;
}

std::vector<Weight*> Trainer::all() {
  std::vector<Weight*> weights;
  for (const auto& [name, weight] : parts_.model.weights()) weights.push_back(weight);
  return weights;
}

void Trainer::update() {
  parts_.tracer.setLayer(-1, Pass::none);
  reduceGradients();
  if (scoresPassWeights() && !evaluatesLastPass()) keepPassWeights();
  cpuAt_ = parts_.tracer.computeCpuNs();  // copying gradients is no kernel
  {
    const Timed timed(parts_.tracer, Kind::compute, Name::optimizer);
    parts_.optimizer.step(stepped_);
  }
  workDone(-1, Pass::none);
}

void Trainer::keepPassWeights() {
  passWeights_.resize(weights_.size());
  for (std::size_t w = 0; w < weights_.size(); ++w) passWeights_[w] = weights_[w]->value;
}

void Trainer::swapPassWeights() {
  for (std::size_t w = 0; w < passWeights_.size(); ++w) std::swap(weights_[w]->value, passWeights_[w]);
}

void Trainer::reduceGradients() {
  if (parts_.comm.size() == 1) return;
  std::size_t total = 0;
  for (const Weight* weight : summed_) total += weight->gradient.values().size();
  gradients_.resize(total);
  std::size_t from = 0;
  for (const Weight* weight : summed_) {
    std::ranges::copy(weight->gradient.values(), gradients_.begin() + static_cast<std::ptrdiff_t>(from));
    from += weight->gradient.values().size();
  }
  parts_.comm.sumGradients(gradients_);
  from = 0;
  for (Weight* weight : summed_) {
    std::copy_n(gradients_.begin() + static_cast<std::ptrdiff_t>(from), weight->gradient.values().size(),
                weight->gradient.data());
    from += weight->gradient.values().size();
  }
}

EpochRow Trainer::evaluate() {
  const std::int64_t begin = wallNs();
  if (!evaluatesLastPass()) {
    const std::vector<WorkRow> trained = work_;
    {
      const Uncounted evaluating(parts_);
      swapPassWeights();
      evaluationPass();
      swapPassWeights();
    }
    work_ = trained;  // an evaluation is no training work
  }
  const Share& share = parts_.share;
  const Matrix& outputs = *logits();
  std::vector<std::int64_t> totals;
  for (const auto* chosen : {&share.train, &share.valid, &share.test}) {
    const Counts c = share.multiLabel ? f1Counts(outputs, share.multiLabels, *chosen)
                                      : accuracyCounts(outputs, share.labels, *chosen);
    totals.insert(totals.end(),
                  {c.correct, c.total, c.truePositive, c.falsePositive, c.falseNegative, c.undefined});
  }
  parts_.comm.sum(totals);
  const auto score = [&](std::size_t i) -> std::optional<double> {
    const std::int64_t* t = totals.data() + 6 * i;
    if (t[1] == 0) return std::nullopt;  // nobody is in this split
    // the model has diverged: what it says there is no prediction
    if (t[5] > 0) return std::numeric_limits<double>::quiet_NaN();
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

void Trainer::keepForEvaluation() {
  HALO_CHECK(!evaluatesLastPass());  // that pass is gone by then
  Kept& snapshot = kept_.emplace_back();
  snapshot.epoch = epoch_;
  if (scoresPassWeights())
    snapshot.weights = passWeights_;
  else
    for (const Weight* weight : weights_) snapshot.weights.push_back(weight->value);
}

std::vector<EpochRow> Trainer::evaluateKept() {
  std::vector<EpochRow> rows;
  const std::int32_t last = epoch_;
  for (Kept& snapshot : kept_) {
    epoch_ = snapshot.epoch;
    passWeights_ = std::move(snapshot.weights);
    rows.push_back(evaluate());
  }
  epoch_ = last;
  passWeights_.clear();
  kept_.clear();
  return rows;
}

}  // namespace halo
