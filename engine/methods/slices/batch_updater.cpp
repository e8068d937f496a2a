// The side of MoA's pipeline that holds rows: weights, activation, loss, and their gradients. What a layer
// keeps from its forward to its backward pass is kept for each batch, so each has a replica of the model.
#include <algorithm>

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/contract/staleness.h"
#include "engine/methods/full_graph/row_steps.h"
#include "engine/methods/slices/batch_pipeline.h"
#include "engine/methods/worker/uncounted.h"

namespace halo {
namespace {

template <class T>
std::vector<T> chosen(const std::vector<T>& from, const std::vector<Vertex>& rows) {
  std::vector<T> values;
  if (!from.empty())
    for (const Vertex row : rows) values.push_back(from[at(row)]);
  return values;
}

Matrix chosenRows(const Matrix& from, const std::vector<Vertex>& rows) {
  Matrix values(from.empty() ? 0 : static_cast<Index>(rows.size()), from.cols());
  if (!from.empty()) gatherRows(from, rows, values.values());
  return values;
}

/// This rank's rows of one batch.
struct Batch {
  std::vector<Vertex> rows, ids;  // among the own rows; of the graph
  Matrix features;
  std::vector<std::int32_t> labels;
  Matrix multiLabels;
  std::vector<std::uint8_t> train;
  std::unique_ptr<Model> model;
  std::unique_ptr<RowSteps> steps;
};

class Updater final : public PipelineSide {
 public:
  Updater(const PipelineParts& parts, RowDirectory& directory, int holder)
      : parts_(parts),
        worker_(parts.worker),
        batches_(at(parts.plan.batches)),
        side_(parts.worker.comm, parts.plan, holder) {
    directory.propagationRows({});  // collective: aggregators ask for all of them
    for (int b = 0; b < parts_.plan.batches; ++b) {
      fill(batches_[at(b)], directory, parts_.plan.block(b, holder));
      side_.send(kFeaturesTurn, kFeaturesTag, b, batches_[at(b)].features);
    }
    side_.finish();
    side_.release();
    // The batches have them, where a layer reads them here; the columns of all are with who aggregates.
    const Index width = worker_.share.features.cols();
    worker_.share.features = Matrix(0, width);
    if (!worker_.model.layer(0).readsInput())
      for (Batch& batch : batches_) batch.features = Matrix(0, width);
  }

  std::string_view role() const override { return "updater"; }

  void run(const Chain& chain) override {
    chain_ = &chain;
    loss_ = 0;
    copyWeights();
    for (Batch& batch : batches_) batch.steps->setEpoch(chain.epoch);
    if (!chain.steps.empty()) expect(0);
    if (chain.steps.empty() || chain.steps.front().layer > 0)  // Z(0) is at hand
      for (int b = 0; b < parts_.plan.batches; ++b) finishForward(b, 0, 0);
    for (std::size_t i = 0; i < chain.steps.size(); ++i) {
      if (i + 1 < chain.steps.size()) expect(i + 1);
      for (int b = 0; b < parts_.plan.batches; ++b) update(i, b);
    }
    side_.finish();
    if (chain.fillsCache) side_.release();
    gatherOutputs();
  }

  // Of Z what stays until the backward pass is taken when it is probed. Otherwise, and of gradients, what
  // came changes places with what is kept here.
  void prepareProbe(std::span<const Aggregated> steps) override {
    probed_ = true;
    kept_.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      kept_[i].resize(batches_.size());
      for (std::size_t b = 0; b < batches_.size(); ++b)
        if (sharesPlace(steps[i], b)) reserveLike(kept_[i][b], broughtBy(steps[i], b));
    }
  }

  std::vector<Staleness> probe(const Chain& chain) override {
    HALO_CHECK(probed_);
    probed_ = false;
    for (std::size_t i = 0; i < chain.steps.size(); ++i)
      for (std::size_t b = 0; b < batches_.size(); ++b)
        if (!sharesPlace(chain.steps[i], b)) kept_[i][b] = broughtBy(chain.steps[i], b);
    again_.assign(chain.steps.size(), {});
    run(chain);
    std::vector<Staleness> rows;
    for (std::size_t i = 0; i < chain.steps.size(); ++i) {
      std::vector<Scalar> used;
      for (const Matrix& batch : kept_[i]) append(batch, used);
      rows.push_back(distance(chain.steps[i].layer, chain.steps[i].pass, used, again_[i]));
    }
    kept_.clear();
    again_.clear();
    return rows;
  }

  double loss() const override { return loss_; }

  // Batch after batch, so that the sums do not depend on when what arrived.
  void takeGradients() override {
    const auto& sums = worker_.model.weights();
    for (std::size_t b = 0; b < batches_.size(); ++b) {
      const auto& parts = batches_[b].model->weights();
      for (std::size_t w = 0; w < sums.size(); ++w) {
        const Matrix& part = parts[w].second->gradient;
        if (b == 0)
          sums[w].second->gradient = part;
        else
          add(part, sums[w].second->gradient);
      }
    }
  }

  const Matrix& outputs() const override { return outputs_; }

  void addTo(Memory& memory) const override {
    std::size_t features = 0;
    for (const Batch& batch : batches_) {
      batch.steps->addTo(memory);
      features += batch.features.heldBytes();
    }
    memory[at(MemoryOf::features)] += static_cast<std::int64_t>(features);
    memory[at(MemoryOf::activations)] += static_cast<std::int64_t>(outputs_.heldBytes());
    memory[at(MemoryOf::exchange)] += static_cast<std::int64_t>(side_.bufferBytes());
  }
  std::int64_t waitedNs() const override { return side_.waitedNs(); }

 private:
  /// Where what an aggregation brings goes, and whether other aggregations' goes there too.
  Matrix& broughtBy(const Aggregated& step, std::size_t b) {
    RowSteps& steps = *batches_[b].steps;
    return step.pass == Pass::backward ? steps.dY() : steps.aggregated(step.layer);
  }
  bool sharesPlace(const Aggregated& step, std::size_t b) {
    return step.pass == Pass::backward || batches_[b].steps->passesOn(step.layer);
  }
  /// What aggregation i brought was used.
  void keep(std::size_t i, std::size_t b) {
    if (probed_ && chain_->training && sharesPlace(chain_->steps[i], b))
      std::swap(broughtBy(chain_->steps[i], b), kept_[i][b]);
  }
  /// What it brings the second time.
  void compare(std::size_t i, const Matrix& brought) {
    if (!again_.empty()) append(brought, again_[i]);
  }
  static void append(const Matrix& rows, std::vector<Scalar>& to) {
    to.insert(to.end(), rows.values().begin(), rows.values().end());
  }

  static Turn turnOf(std::size_t step) { return static_cast<Turn>(step % kTurns); }

  void fill(Batch& batch, const RowDirectory& directory, Slice block) {
    const Share& share = worker_.share;
    for (Index p = block.begin; p < block.begin + block.count; ++p) {
      batch.ids.push_back(share.order[at(p)]);
      batch.rows.push_back(directory.rowAtOwner(batch.ids.back()));
    }
    batch.features = chosenRows(share.features, batch.rows);
    batch.labels = chosen(share.labels, batch.rows);
    batch.multiLabels = chosenRows(share.multiLabels, batch.rows);
    batch.train = chosen(share.train, batch.rows);
    const RunSettings& run = worker_.settings;
    batch.model =
        std::make_unique<Model>(run.model, worker_.model.widths(), run.training.seed, parts_.layer0Cached);
    const RowSteps::Rows rows = {[&batch]() -> const Matrix& { return batch.features; },
                                 [&batch](int) -> const std::vector<Vertex>& { return batch.ids; }};
    batch.steps = std::make_unique<RowSteps>(worker_, *batch.model, rows, parts_.layer0Cached);
  }

  void copyWeights() {
    const auto& from = worker_.model.weights();
    for (Batch& batch : batches_) {
      const auto& to = batch.model->weights();
      for (std::size_t w = 0; w < from.size(); ++w)
        std::ranges::copy(from[w].second->value.values(), to[w].second->value.data());
    }
  }

  void enter(int layer, Pass pass) const {
    worker_.comm.tracer().setLayer(static_cast<std::int16_t>(layer), pass);
  }

  void expect(std::size_t i) {
    const Aggregated& step = chain_->steps[i];
    enter(step.layer, step.pass);
    side_.expect(turnOf(i), static_cast<int>(i), worker_.model.widths()[at(step.layer)]);
  }

  /// What follows aggregation i, of one batch.
  void update(std::size_t i, int b) {
    const Aggregated& step = chain_->steps[i];
    RowSteps& steps = *batches_[at(b)].steps;
    enter(step.layer, step.pass);
    if (step.pass == Pass::backward) {
      side_.await(turnOf(i), b, steps.dY());
      compare(i, steps.dY());
      steps.pullBack(step.layer);
      keep(i, at(b));
      steps.endBackward(step.layer);
      parts_.workDone(step.layer, step.pass);
      startBackward(b, step.layer - 1, i + 1);
      return;
    }
    const bool caches = steps.isCached(step.layer);
    side_.await(turnOf(i), b, caches ? steps.cached() : steps.aggregated(step.layer));
    if (caches) return;
    compare(i, steps.aggregated(step.layer));
    finishForward(b, step.layer, i + 1);
  }

  /// `next`: the aggregation that comes next.
  void finishForward(int b, int layer, std::size_t next) {
    RowSteps& steps = *batches_[at(b)].steps;
    enter(layer, Pass::forward);
    if (layer == 0) steps.enter(0, chain_->training);
    steps.finish(layer, /*dropped=*/true);
    if (next > 0) keep(next - 1, at(b));
    parts_.workDone(layer, Pass::forward);
    if (layer + 1 < worker_.model.layers()) {
      enter(layer + 1, Pass::forward);
      steps.enter(layer + 1, chain_->training);
      send(next, b, steps.toAggregate(layer + 1));
    } else if (chain_->training) {
      const Batch& batch = batches_[at(b)];
      enter(-1, Pass::none);
      loss_ += steps.loss({batch.labels, batch.multiLabels, batch.train});
      parts_.workDone(-1, Pass::none);
      startBackward(b, layer, next);
    }
  }

  void startBackward(int b, int layer, std::size_t next) {
    RowSteps& steps = *batches_[at(b)].steps;
    enter(layer, Pass::backward);
    steps.startBackward(layer);
    if (steps.returns(layer)) send(next, b, steps.dZ());
    parts_.workDone(layer, Pass::backward);
  }

  void send(std::size_t i, int b, const Matrix& rows) { side_.send(turnOf(i), static_cast<int>(i), b, rows); }

  void gatherOutputs() {
    outputs_.resize(static_cast<Index>(worker_.share.graph.owned.size()), worker_.model.widths().back());
    for (const Batch& batch : batches_)
      if (const Matrix& outputs = batch.steps->outputs(); !outputs.empty())
        scatterRows(outputs.values(), batch.rows, outputs_);
  }

  const PipelineParts parts_;
  WorkerParts& worker_;
  std::vector<Batch> batches_;
  RowHolder side_;
  Matrix outputs_;  // of all own vertices
  double loss_ = 0;
  const Chain* chain_ = nullptr;
  bool probed_ = false;                     // the epoch under way will be
  std::vector<std::vector<Matrix>> kept_;   // by aggregation and batch: what it brought
  std::vector<std::vector<Scalar>> again_;  // by aggregation: what it brings when it is probed
};

}  // namespace

std::unique_ptr<PipelineSide> makeUpdater(const PipelineParts& parts, RowDirectory& directory, int holder) {
  const Uncounted setUp(parts.worker);
  return std::make_unique<Updater>(parts, directory, holder);
}

}  // namespace halo
