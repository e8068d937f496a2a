// P3 (Gandhi and Iyer, OSDI 2021): mini-batches whose features never travel. Every rank has a slice of the
// columns of all features. Layer 1 of every batch is made of what all ranks make of their slices. By hash,
// not by a partitioner, vertices have owners. Synchronous.
//
//   rank b, iteration t:   blocks of its seeds as in minibatch.cpp;   block 1 to every q
//   rank q, for every b:   U_bq = (P̂_b X_q) W_q, to b      then at b: Σ_q U_bq, bias, the rest of the layers
//   backward:              dU^1_b to every q;   dW_q = Σ_b (P̂_b X_q)ᵀ dU^1_b, which q steps alone
//   bytes of all ranks and an iteration, κ weights of the features:
//     8 P(P−1)(L−1) + 8 Σ_{l=1}^{L−1} (R^l + e^l) + (P−1) Σ_b [16 + 8(2|V^1_b| + |E^1_b|) + 2|V^1_b| f^1 S]
//     + 2(P−1)(W − κ d_0 f^1) S
//   fewer than a pull of features iff P < |V^0| d_0 / (2 |V^1| f^1), block numbers aside
//
// With pipeline = 3, step s works on three batches. T = U without its bias is made for batch s. Batch s − 1
// goes on from its T, forward and back to dT. For batch s − 2 the step makes dW_q, and its update. Weights
// are those present then; an epoch drains.
//
//   step s:   send dT(s − 2);   receive T(s − 1), pass, make dT(s − 1);   dW(s − 2);   draw s, send T(s);
//   update
//
// Departures: known from summaries of the paper. Every rank also keeps its own rows of the features whole,
// and after an epoch all weights, for evaluations.
#include <array>

#include "engine/base/philox.h"
#include "engine/methods/minibatch/batch_entry.h"
#include "engine/methods/minibatch/batch_trainer.h"
#include "engine/methods/minibatch/drawn_epoch.h"
#include "engine/methods/minibatch/neighbour_source.h"
#include "engine/methods/minibatch/sliced_input.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 2> kPipelines = {"1", "3"};
constexpr std::array<Parameter, 1> kPipelineParameters = {{
    {"pipeline", "batches in flight: 1, or 3 with weights up to two updates older", Choice{"1", kPipelines}},
}};
constexpr auto kParameters = joined(kBatchParameters, kPipelineParameters);

// Method::decided: 4l − 4 … 4l − 1 of block l as PullCounts has them. Then, by whose batch it was and who got
// it, targets and arcs of block 1, and iterations with any target. Last iterations.
constexpr std::size_t kPushed = 3;

/// tables  of who pulls features too
/// pushed  three numbers of each rank's batches; empty: nothing was pushed
std::vector<RowTable> withPushes(std::vector<RowTable> tables, std::span<const std::int64_t> pushed,
                                 std::size_t ranks) {
  tables.erase(tables.begin(), tables.begin() + 2);  // features are not pulled
  for (std::size_t t = 0; t < kPushed; ++t) {
    RowTable table(ranks, std::vector<std::int64_t>(ranks, 0));
    for (std::size_t b = 0; b < ranks; ++b)
      for (std::size_t q = 0; q < ranks; ++q)
        if (q != b && !pushed.empty()) table[b][q] = pushed[kPushed * b + t];
    tables.insert(tables.end() - 1, std::move(table));
  }
  return tables;
}

std::vector<RowTable> decidePushes(const DrawnBatches& iteration) {
  std::vector<std::int64_t> pushed;
  for (const Blocks& batch : iteration.batches) {
    const std::int64_t targets = batch.block(1).rows();
    pushed.insert(pushed.end(), {targets, batch.block(1).nonzeros(), targets > 0 ? 1 : 0});
  }
  return withPushes(decidePulls(iteration), pushed, iteration.batches.size());
}

class P3 final : public BatchTrainer {
 public:
  explicit P3(WorkerParts& parts)
      : BatchTrainer(parts,
                     [](const BatchParts& batches) -> std::unique_ptr<BatchSource> {
                       return std::make_unique<NeighbourSource>(batches, /*fetches=*/false);
                     }),
        pipelined_(parts.settings.parameters.text("pipeline") == "3"),
        input_(parts, topology(), settings().weights, pipelined_ ? 2 : 1) {}

  double runEpoch(std::int32_t epoch) override {
    input_.countFrom({});
    const double loss = BatchTrainer::runEpoch(epoch);
    const std::int64_t begin = wallNs();
    input_.gather();
    gathered_ = true;
    sharePushed();
    parts_.tracer.add(Kind::synchronise, Name::barrier, Lane::main, begin, wallNs());
    return loss;
  }

  /// Within an epoch the model has the slices of its begin.
  void finish() override {
    if (!gathered_) input_.gather();
  }

  // Between iterations of a pipeline messages are under way.
  bool resumesWithin() const override { return !pipelined_; }
  void settle() override {
    input_.gather();
    gathered_ = true;
  }
  void resume(ByteReader& in, const ResumePoint& next) override {
    BatchTrainer::resume(in, next);
    input_.takeSlices();
  }

  std::vector<RowTable> decided() const override {
    return withPushes(BatchTrainer::decided(), pushed_, at(parts_.comm.size()));
  }

  Memory memory() const override {
    Memory bytes = BatchTrainer::memory();
    input_.addTo(bytes);
    bytes[at(MemoryOf::activations)] += static_cast<std::int64_t>(T_.heldBytes());
    bytes[at(MemoryOf::gradients)] += static_cast<std::int64_t>(dT_.heldBytes());
    for (const Matrix& gradient : held_)
      bytes[at(MemoryOf::gradients)] += static_cast<std::int64_t>(gradient.heldBytes());
    return bytes;
  }

 protected:
  std::vector<Weight*> summed() override {
    std::vector<Weight*> weights = BatchTrainer::summed();
    for (const Weight* sliced : input_.wholes()) std::erase(weights, sliced);
    return weights;
  }
  std::vector<Weight*> stepped() override {
    std::vector<Weight*> weights = summed();
    for (Weight* slice : input_.weights()) weights.push_back(slice);
    return weights;
  }

  bool updatesNow() const override { return updates_; }

  void keepEpoch(ByteWriter& out) const override {
    BatchTrainer::keepEpoch(out);
    out.value(input_.counts());
  }
  void resumeEpoch(ByteReader& in) override {
    BatchTrainer::resumeEpoch(in);
    input_.countFrom(in.value<PushCounts>());
  }

  Index startEpoch(std::int32_t epoch) override {
    iteration_ = 0;
    return BatchTrainer::startEpoch(epoch);
  }

  double iterate(std::int32_t epoch) override {
    const Index t = iteration_++, last = source().iterations() - 1;
    gathered_ = false;
    if (!pipelined_) {
      beginBatch(epoch);
      const double loss = trainAbove();
      input_.startBackward(dT_);
      finishBackward();
      return loss;
    }
    if (t == 0) beginBatch(epoch);
    const double loss = step(t + 1, epoch);
    if (t == last) {
      if (t > 0) update();
      step(t + 2, epoch);
    }
    updates_ = t > 0 || t == last;
    return loss;
  }

 private:
  /// Step s = 1 … I + 1 of an epoch of I batches, but for its update; the loss of batch s − 1.
  double step(Index s, std::int32_t epoch) {
    const Index batches = source().iterations();
    if (s >= 2) {
      input_.startBackward(dT_);
      workDone(0, Pass::backward);
    }
    const double loss = s <= batches ? trainAbove() : 0;
    swapHeld();
    if (s >= 2) finishBackward();
    if (s < batches) beginBatch(epoch);
    return loss;
  }

  /// Draws a batch, and begins with it up to the product of layer 0.
  void beginBatch(std::int32_t epoch) {
    drawNext(epoch);
    parts_.tracer.setLayer(0, Pass::forward);
    enterBlock(0, /*turned=*/false);
    workDone(0, Pass::forward);
    input_.push(*source().blocks());
    workDone(0, Pass::none);
    input_.startForward(block(0), steps().input(0, /*training=*/true));
    workDone(0, Pass::forward);
  }

  /// From that product to the loss, and back to its gradient.
  double trainAbove() {
    input_.finishForward(T_);
    steps().finishProduct(T_);
    workDone(0, Pass::forward);
    const double loss = trainFrom(1);
    parts_.tracer.setLayer(0, Pass::backward);
    steps().backwardProduct(dT_);
    workDone(0, Pass::backward);
    return loss;
  }

  void finishBackward() {
    input_.finishBackward();
    workDone(0, Pass::backward);
  }

  /// Those of the batch before in the place of the gradients that trainAbove has just made.
  void swapHeld() {
    if (held_.empty()) {
      upper_ = summed();
      for (const Weight* weight : upper_)
        held_.emplace_back().setZero(weight->value.rows(), weight->value.cols());
    }
    for (std::size_t w = 0; w < upper_.size(); ++w) std::swap(upper_[w]->gradient, held_[w]);
  }

  void sharePushed() {
    pushed_.assign(kPushed * at(parts_.comm.size()), 0);
    const PushCounts& own = input_.counts();
    std::ranges::copy(std::array{own.targets, own.arcs, own.iterations},
                      pushed_.begin() + std::ptrdiff_t{kPushed} * parts_.comm.rank());
    parts_.comm.sum(pushed_);
  }

  bool gathered_ = true;  // the model has what the slices are
  bool pipelined_,
      updates_ = true;  // more batches in flight than one; the pass that ended ends with an update
  Index iteration_ = 0;
  SlicedInput input_;
  Matrix T_, dT_;                     // of the own batch, |V^1| × f^1
  std::vector<Weight*> upper_;        // all but the slices' wholes
  std::vector<Matrix> held_;          // gradients that wait for those of layer 0's product
  std::vector<std::int64_t> pushed_;  // PushCounts of every rank's batches
};

constexpr int kPushRound = 3;  // PredictedVolume::round: once block 1 is drawn

std::int64_t iterationsOf(const VolumeRequest& request) { return request.decided.back().front().front(); }

void predictPushes(const VolumeRequest& request, std::vector<PredictedVolume>& flows) {
  const std::size_t first = request.decided.size() - 1 - kPushed;
  const RowTable &targets = request.decided[first], &arcs = request.decided[first + 1],
                 &busy = request.decided[first + 2];
  const std::int64_t rowBytes = request.widths[1] * request.elementBytes, iterations = iterationsOf(request);
  for (int b = 0; b < request.parts; ++b)
    for (int q = 0; q < request.parts; ++q) {
      if (q == b) continue;
      const std::int64_t rows = targets[at(b)][at(q)], messages = busy[at(b)][at(q)];
      flows.push_back({0, Pass::none, b, q, iterations + messages,
                       16 * iterations + 8 * (2 * rows + arcs[at(b)][at(q)]), kPushRound});
      if (messages == 0) continue;
      flows.push_back({0, Pass::forward, q, b, messages, rows * rowBytes});
      flows.push_back({0, Pass::backward, b, q, messages, rows * rowBytes});
    }
}

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  if (request.parts == 1 || request.decided.empty()) return {};
  VolumeRequest sampling = request;
  sampling.decided.insert(sampling.decided.begin(), 2, RowTable());
  std::vector<PredictedVolume> flows = predictSampling(sampling);
  predictPushes(request, flows);
  return flows;
}

Owners placeByHash(const PlacementRequest& request) {
  constexpr std::uint64_t kSeed = 1;  // one for all runs, so that all are of the same shares
  Owners owners(at(request.arcs.rows()));
  for (std::size_t v = 0; v < owners.size(); ++v)
    owners[v] = static_cast<std::int32_t>(philox(kSeed, Purpose::partition, v)[0] %
                                          static_cast<std::uint32_t>(request.parts));
  return owners;
}

std::vector<Problem> refuse(const RunSettings& run) {
  std::vector<Problem> problems = refuseKeys(run);
  if (!attends(run.model) && !canSliceInput(run.model))  // who attends is refused already
    problems.push_back({.key = "model.kind",
                        .message = run.model.kind +
                                   " cannot be used; p3 trains kinds that begin with a product, which "
                                   "slices of the features add up to"});
  return problems;
}

MethodEntry entry() {
  MethodEntry entry =
      batchEntry({"p3", "push blocks to slices of the features, whose sums come back in their place",
                  "P3, OSDI 2021", kParameters});
  entry.make = [](WorkerParts& parts, const Values&) -> std::unique_ptr<Method> {
    return std::make_unique<P3>(parts);
  };
  entry.predict = predict;
  entry.draw = [](const DrawRequest& request) { return drawEpoch(request, decidePushes); };
  entry.slicesInput = true;
  entry.aggregatesFirst = true;
  entry.attends = false;
  entry.refuse = refuse;
  entry.place = placeByHash;
  return entry;
}

const Registered<MethodEntry> self{entry()};

}  // namespace
}  // namespace halo
