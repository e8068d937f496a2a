// The side of MoA's pipeline that multiplies with the propagation matrix.
#include <numeric>

#include "engine/base/index.h"
#include "engine/methods/full_graph/row_steps.h"
#include "engine/methods/slices/batch_pipeline.h"
#include "engine/methods/worker/uncounted.h"

namespace halo {
namespace {

/// Neighbouring rows of a matrix, and the last batch of columns that they refer to; −1: none.
struct BatchRows {
  Csr rows;
  int lastNeeded = -1;
};

BatchRows cutRows(const Csr& A, Slice range, const BatchPlan& plan) {
  BatchRows cut;
  cut.rows.cols = A.cols;
  const Index from = A.offsets[at(range.begin)], to = A.offsets[at(range.begin + range.count)];
  cut.rows.columns.assign(A.columns.begin() + from, A.columns.begin() + to);
  if (A.weighted()) cut.rows.values.assign(A.values.begin() + from, A.values.begin() + to);
  Vertex last = -1;
  for (Index r = range.begin; r < range.begin + range.count; ++r) {
    cut.rows.offsets.push_back(A.offsets[at(r) + 1] - from);
    if (A.degree(r) > 0) last = std::max(last, A.row(r).back());
  }
  if (last >= 0) cut.lastNeeded = plan.batchOf(last);
  return cut;
}

std::vector<BatchRows> cutIntoBatches(const Csr& A, const BatchPlan& plan) {
  std::vector<BatchRows> batches;
  for (int b = 0; b < plan.batches; ++b) batches.push_back(cutRows(A, plan.batch(b), plan));
  return batches;
}

class Aggregator final : public PipelineSide {
 public:
  Aggregator(const PipelineParts& parts, RowDirectory& directory, int slice)
      : parts_(parts),
        worker_(parts.worker),
        plan_(parts.plan),
        order_(parts.worker.share.order),
        side_(parts.worker.comm, parts.plan, slice),
        bits_(at(parts.worker.model.layers())),
        outputs_(0, parts.worker.model.widths().back()) {
    cutGraph(directory);
    for (auto& products : products_) products.resize(at(plan_.batches));
    side_.expect(kFeaturesTurn, kFeaturesTag, worker_.share.features.cols(), features_);
    side_.finish();
  }

  std::string_view role() const override { return "aggregator"; }

  void run(const Chain& chain) override {
    chain_ = &chain;
    for (std::size_t i = 0; i < chain.steps.size(); ++i) {
      if (i == 0) expect(0);
      if (i + 1 < chain.steps.size()) expect(i + 1);
      aggregateAll(i);
    }
    side_.finish();
    if (chain.fillsCache) release();
  }

  void takeGradients() override {
    for (auto& [name, weight] : worker_.model.weights())
      weight->gradient.setZero(weight->value.rows(), weight->value.cols());
  }
  const Matrix& outputs() const override { return outputs_; }

  void addTo(Memory& memory) const override {
    std::size_t moving = heldBytes(order_);
    for (const Matrix& columns : columns_) moving += columns.heldBytes();
    for (const auto& products : products_)
      for (const Matrix& product : products) moving += product.heldBytes();
    for (const auto& bits : bits_) moving += heldBytes(bits);
    memory[at(MemoryOf::features)] += static_cast<std::int64_t>(features_.heldBytes());
    memory[at(MemoryOf::exchange)] += static_cast<std::int64_t>(moving);
  }
  std::size_t graphBytes() const override {
    std::size_t bytes = 0;
    for (const auto* batches : {&rows_, &transposed_})
      for (const BatchRows& batch : *batches) bytes += batch.rows.bytes();
    return bytes;
  }
  Holdings holdings() const override {
    Holdings holdings;
    for (const BatchRows& batch : rows_) holdings.nonzeros += batch.rows.nonzeros();
    return holdings;
  }
  std::int64_t waitedNs() const override { return side_.waitedNs(); }

 private:
  static Turn turnOf(std::size_t step) { return static_cast<Turn>(step % kTurns); }

  // Nobody will ask for the features again, or for anything as wide.
  void release() {
    features_ = Matrix();
    columns_ = {};
    for (auto& products : products_)
      for (Matrix& product : products) product = Matrix();
  }

  void cutGraph(RowDirectory& directory) {
    std::vector<Vertex> all(order_.size());
    std::iota(all.begin(), all.end(), Vertex{0});
    Csr A = directory.propagationRows(all);
    if (!parts_.weighted) A.values = {};
    A = permuted(A, order_);
    rows_ = cutIntoBatches(A, plan_);
    A = transpose(A);
    transposed_ = cutIntoBatches(A, plan_);
  }

  Index widthOf(const Aggregated& step) const { return worker_.model.widths()[at(step.layer)]; }

  void enter(const Aggregated& step) const {
    worker_.comm.tracer().setLayer(static_cast<std::int16_t>(step.layer), step.pass);
  }

  void expect(std::size_t i) {
    const Aggregated& step = chain_->steps[i];
    enter(step);
    if (step.takesRows())
      side_.expect(turnOf(i), static_cast<int>(i), widthOf(step), columns_[at(turnOf(i))]);
  }

  void aggregateAll(std::size_t i) {
    const Aggregated& step = chain_->steps[i];
    enter(step);
    input_ = layerInput(worker_, chain_->epoch, step.layer, chain_->training, parts_.layer0Cached);
    if (!step.takesRows() && input_.rate > 0)
      columns_[at(turnOf(i))].resize(features_.rows(), features_.cols());
    int have = -1;
    const auto provide = [&](int last) {
      while (have < last) take(step, turnOf(i), ++have);
    };
    const std::vector<BatchRows>& batches = step.pass == Pass::forward ? rows_ : transposed_;
    for (int b = 0; b < plan_.batches; ++b) {
      provide(batches[at(b)].lastNeeded);
      Matrix& product = products_[at(turnOf(i))][at(b)];
      side_.sent(turnOf(i), b);
      multiply(step, batches[at(b)].rows, b, columnsOf(step, turnOf(i)), product);
      side_.send(turnOf(i), static_cast<int>(i), b, product);
    }
    provide(plan_.batches - 1);  // what no row refers to
    parts_.workDone(step.layer, step.pass);
  }

  const Matrix& columnsOf(const Aggregated& step, Turn turn) const {
    return step.takesRows() || input_.rate > 0 ? columns_[at(turn)] : features_;
  }

  /// Has the columns of a batch at hand.
  void take(const Aggregated& step, Turn turn, int b) {
    Matrix& columns = columns_[at(turn)];
    const SomeRows rows{plan_.batch(b).begin, plan_.batch(b).count};
    if (!step.takesRows()) return dropFeatures(step, rows, columns);
    side_.await(turn, b);
    if (step.pass == Pass::backward || !chain_->training) return;
    const Timed timed(worker_.tracer, Kind::compute, Name::activation);
    positiveBits(columns, rows, bits_[at(step.layer)]);
  }
  void dropFeatures(const Aggregated& step, SomeRows rows, Matrix& columns) const {
    if (input_.rate == 0) return;
    const Timed timed(worker_.tracer, Kind::compute, Name::activation);
    dropout(features_, rows, order_, input_.key, input_.rate, columns, firstColumn(step));
  }

  // dH is masked by the sign of H here, where H's columns passed, and once more by who holds the rows.
  void multiply(const Aggregated& step, const Csr& A, int b, const Matrix& X, Matrix& product) {
    const Slice rows = plan_.batch(b);
    if (step.pass == Pass::forward) {
      aggregate(worker_.tracer, A, X, product, Write::overwrite);
      if (input_.aggregateRate == 0) return;
      const Timed timed(worker_.tracer, Kind::compute, Name::activation);
      dropout(product, std::span(order_).subspan(at(rows.begin), at(rows.count)), input_.aggregateKey,
              input_.aggregateRate, product, firstColumn(step));
      return;
    }
    const Timed timed(worker_.tracer, Kind::compute, Name::aggregate);
    const Index stride = (X.cols() + 7) / 8;
    const std::span<const std::uint8_t> bits = bits_[at(step.layer)];
    spmmMasked(A, X, bits.subspan(at(rows.begin * stride), at(rows.count * stride)), product);
  }

  Index firstColumn(const Aggregated& step) const { return side_.slice(widthOf(step)).begin; }

  const PipelineParts parts_;
  WorkerParts& worker_;
  const BatchPlan& plan_;
  const std::vector<Vertex>& order_;
  ColumnHolder side_;
  std::vector<BatchRows> rows_, transposed_;          // by batch
  Matrix features_;                                   // vertices × slice of d_0
  std::array<Matrix, kTurns> columns_;                // the same of what is aggregated
  std::array<std::vector<Matrix>, kTurns> products_;  // by batch: its vertices × slice
  std::vector<Buffer<std::uint8_t>> bits_;            // by layer: the sign of what was aggregated
  LayerInput input_;                                  // of the layer under way
  Matrix outputs_;
  const Chain* chain_ = nullptr;
};

}  // namespace

std::unique_ptr<PipelineSide> makeAggregator(const PipelineParts& parts, RowDirectory& directory, int slice) {
  const Uncounted setUp(parts.worker);
  return std::make_unique<Aggregator>(parts, directory, slice);
}

}  // namespace halo
