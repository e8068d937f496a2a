// P3 (Gandhi and Iyer, OSDI 2021): mini-batches whose features never travel. Every rank has a slice of the
// columns of all features, and layer 1 of every batch is made of what all ranks make of their slices. By
// hash, not by a partitioner, vertices have owners. Synchronous.
//
//   rank b, iteration t:   blocks of its seeds as in minibatch.cpp;   block 1 to every q
//   rank q, for every b:   U_bq = (P̂_b X_q) W_q, to b      then at b: Σ_q U_bq, bias, the rest of the layers
//   backward:              dU^1_b to every q;   dW_q = Σ_b (P̂_b X_q)ᵀ dU^1_b, which q steps alone
//   bytes of all ranks and an iteration, κ weights of the features:
//     8 P(P−1)(L−1) + 8 Σ_{l=1}^{L−1} (R^l + e^l) + (P−1) Σ_b [16 + 8(2|V^1_b| + |E^1_b|) + 2|V^1_b| f^1 S]
//     + 2(P−1)(W − κ d_0 f^1) S
//   fewer than a pull of features iff P < |V^0| d_0 / (2 |V^1| f^1), block numbers aside
//
// Departures: known from summaries of the paper; one batch is in flight. Every rank also keeps its own rows
// of the features whole, and after an epoch all weights, for evaluations.
#include <array>

#include "engine/base/philox.h"
#include "engine/methods/minibatch/batch_entry.h"
#include "engine/methods/minibatch/batch_trainer.h"
#include "engine/methods/minibatch/neighbour_source.h"
#include "engine/methods/minibatch/sliced_input.h"

namespace halo {
namespace {

// Method::decided: 4l − 4 … 4l − 1 of block l as PullCounts has them; then by whose batch it was and who got
// it, targets and arcs of block 1, iterations with any target; last iterations.
constexpr std::size_t kPushed = 3;

class P3 final : public BatchTrainer {
 public:
  explicit P3(WorkerParts& parts)
      : BatchTrainer(parts,
                     [](const BatchParts& batches) -> std::unique_ptr<BatchSource> {
                       return std::make_unique<NeighbourSource>(batches, /*fetches=*/false);
                     }),
        input_(parts, topology(), settings().weights) {}

  double runEpoch(std::int32_t epoch) override {
    input_.clearCounts();
    const double loss = BatchTrainer::runEpoch(epoch);
    const std::int64_t begin = wallNs();
    input_.gather();
    sharePushed();
    parts_.tracer.add(Kind::synchronise, Name::barrier, Lane::main, begin, wallNs());
    return loss;
  }

  std::vector<RowTable> decided() const override {
    std::vector<RowTable> tables = BatchTrainer::decided();
    tables.erase(tables.begin(), tables.begin() + 2);  // features are not pulled
    const auto ranks = at(parts_.comm.size());
    for (std::size_t t = 0; t < kPushed; ++t) {
      RowTable table(ranks, std::vector<std::int64_t>(ranks, 0));
      for (std::size_t b = 0; b < ranks; ++b)
        for (std::size_t q = 0; q < ranks; ++q)
          if (q != b && !pushed_.empty()) table[b][q] = pushed_[kPushed * b + t];
      tables.insert(tables.end() - 1, std::move(table));
    }
    return tables;
  }

  Memory memory() const override {
    Memory bytes = BatchTrainer::memory();
    input_.addTo(bytes);
    bytes[at(MemoryOf::activations)] += static_cast<std::int64_t>(T_.heldBytes());
    bytes[at(MemoryOf::gradients)] += static_cast<std::int64_t>(dT_.heldBytes());
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

  void forwardLayer(int l) override {
    if (l > 0) return BatchTrainer::forwardLayer(l);
    parts_.tracer.setLayer(0, Pass::forward);
    enterBlock(0, /*turned=*/false);
    workDone(0, Pass::forward);
    input_.push(*source().blocks());
    workDone(0, Pass::none);
    input_.forward(block(0), steps().input(0, /*training=*/true), T_);
    steps().finishProduct(0, T_);
    workDone(0, Pass::forward);
  }
  void backwardLayer(int l) override {
    if (l > 0) return BatchTrainer::backwardLayer(l);
    parts_.tracer.setLayer(0, Pass::backward);
    steps().backwardProduct(dT_);
    input_.backward(dT_);
    workDone(0, Pass::backward);
  }

 private:
  void sharePushed() {
    pushed_.assign(kPushed * at(parts_.comm.size()), 0);
    const PushCounts& own = input_.counts();
    std::ranges::copy(std::array{own.targets, own.arcs, own.iterations},
                      pushed_.begin() + std::ptrdiff_t{kPushed} * parts_.comm.rank());
    parts_.comm.sum(pushed_);
  }

  SlicedInput input_;
  Matrix T_, dT_;                     // of the own batch, |V^1| × f^1
  std::vector<std::int64_t> pushed_;  // PushCounts of every rank's batches
};

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
                       16 * iterations + 8 * (2 * rows + arcs[at(b)][at(q)])});
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
    problems.push_back({"", 0, 0, "model.kind",
                        run.model.kind + " cannot be used; p3 trains kinds that begin with a product, which "
                                         "slices of the features add up to"});
  return problems;
}

MethodEntry entry() {
  MethodEntry entry =
      batchEntry({"p3", "push blocks to slices of the features, whose sums come back in their place",
                  "P3, OSDI 2021", kBatchParameters});
  entry.make = [](WorkerParts& parts, const Values&) -> std::unique_ptr<Method> {
    return std::make_unique<P3>(parts);
  };
  entry.predict = predict;
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
