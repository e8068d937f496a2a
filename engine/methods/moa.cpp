// MoA, mixture of accelerators (MixGCN 3.2): MoP with aggregation and update on separate groups of workers,
// as large as each other. A pipeline of s stages lies between them. Vertices, in reverse Cuthill–McKee order,
// are cut into s batches. A batch is updated while the next is aggregated. The next layer's first batch is
// aggregated while this layer's last is updated. Synchronous, exact.
//
//   aggregator i, columns I_i, all of P, for each batch V_b in turn:
//     once H(u,I_i) is there for all u that V_b refers to:
//       Z(V_b,I_i) = P(V_b,:) H(:,I_i), sent to the updaters
//   updater j, rows J_j of every batch:
//     once Z(V_b ∩ J_j,:) is there from all:
//       A = ReLU(Z W), its columns sent to the aggregators
//   backward: the same with Pᵀ, dZ and dH, from the first batch on
//
// b is the bandwidth of the graph in that order. With ⌈2n / (n − b)⌉ stages neither group waits for the other
// between layers (Proposition 3.5), as far as their work is equal. What a batch needs is read off the graph,
// not estimated by b. Departures: ranks stand for accelerators. Aggregators take part in the all-reduce of
// the gradients, with zeros, since every rank keeps the weights.
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/methods/full_graph/trainer.h"
#include "engine/methods/laws/idleness.h"
#include "engine/methods/slices/batch_pipeline.h"
#include "engine/methods/slices/batch_schedule.h"
#include "engine/methods/slices/feature_slices.h"
#include "engine/methods/worker/uncounted.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 2> kOrderings = {"rcm", "natural"};
const std::array<Parameter, 3> kParameters = {{
    {"stages",
     "batches that the vertices are cut into; auto: as many as leave no group waiting between layers",
     Text{"auto", /*numbers=*/true}},
    {"ordering", "in which order vertices are worked on: reverse Cuthill-McKee, or as they are numbered",
     Choice{"rcm", kOrderings}},
    kLayer0CacheParameter,
}};

class MixedAccelerators final : public Trainer {
 public:
  MixedAccelerators(WorkerParts& parts, const Values& values)
      : Trainer(parts), layer0Cached_(values.flag("layer0_cache")) {
    const bool weighted = measure(values);
    RowDirectory directory(parts.comm, parts.share.graph);
    const PipelineParts pipeline{parts, plan_, weighted, layer0Cached_,
                                 [this](int layer, Pass pass) { workDone(layer, pass); }};
    const int member = parts.comm.rank() / 2;
    side_ = aggregates(parts.comm.rank()) ? makeAggregator(pipeline, directory, member)
                                          : makeUpdater(pipeline, directory, member);
    training_ = chainOf(/*training=*/true);
    evaluation_ = chainOf(/*training=*/false);
    adjacencyBytes_ = parts.comm.max(static_cast<std::int64_t>(side_->graphBytes()));
  }

  void prepareProbe() override {
    keptWeights_.clear();
    for (const auto& [name, weight] : parts_.model.weights()) keptWeights_.push_back(weight->value);
    side_->prepareProbe(training_);
  }
  /// No worker has the rows of a layer both as they were sent and as they were used. So not one layer is
  /// propagated again, but the whole chain, with the weights that the epoch had.
  std::vector<Staleness> probeStaleness() override {
    const Uncounted probing(parts_);
    const std::vector<WorkRow> trained = work_;
    swapWeights();
    std::vector<Staleness> staleness = side_->probe({training_, epoch_, true});
    swapWeights();
    work_ = trained;
    keptWeights_ = {};
    for (Staleness& row : staleness) row.age = 0;  // the pipeline fills anew in every epoch
    return staleness;
  }
  std::string_view role() const override { return side_->role(); }
  std::optional<Holdings> holdings() const override { return side_->holdings(); }
  const Matrix* logits() const override { return &side_->outputs(); }
  Memory memory() const override {
    Memory bytes{};
    bytes[at(MemoryOf::features)] += static_cast<std::int64_t>(parts_.share.features.heldBytes());
    side_->addTo(bytes);
    return bytes;
  }
  std::map<std::string, double> metrics() const override {
    return {{"adjacency_bytes", static_cast<double>(adjacencyBytes_)},
            {"stages", plan_.batches},
            {"bandwidth", static_cast<double>(bandwidth_)},
            {"aggregators_idle", idleness_.shareOf(1)},
            {"updaters_idle", idleness_.shareOf(0)}};
  }

 protected:
  double pass(std::int32_t epoch) override {
    if (layer0Cached_ && !cacheReady_) {
      cacheReady_ = true;
      const Aggregated first{0, Pass::forward};
      side_->run({{&first, 1}, epoch, /*training=*/false, /*fillsCache=*/true});
    }
    epoch_ = epoch;
    const Chain chain{training_, epoch, true};
    const std::int64_t begin = wallNs(), waited = side_->waitedNs();
    side_->run(chain);
    const std::int64_t span = wallNs() - begin;
    side_->takeGradients();
    noteIdleness(span, side_->waitedNs() - waited);
    return side_->loss();
  }
  void evaluationPass() override { side_->run({evaluation_, 0, false}); }

 private:
  void swapWeights() {
    const auto& weights = parts_.model.weights();
    for (std::size_t w = 0; w < weights.size(); ++w) std::swap(weights[w].second->value, keptWeights_[w]);
  }

  /// Whether P has values; fixes the plan.
  bool measure(const Values& values) {
    const Share& share = parts_.share;
    const LocalGraph& graph = share.graph;
    const Index own = bandwidthIn(share.order, graph.own, graph.owned, graph.owned);
    const Index halo = bandwidthIn(share.order, graph.halo, graph.owned, graph.haloIds);
    bandwidth_ = parts_.comm.max(std::max(own, halo));
    const int configuredStages = readStages(values.text("stages")).value();
    const int stages =
        configuredStages > 0 ? configuredStages : enoughStages(graph.globalVertices, bandwidth_);
    plan_ = planOf(graph.globalVertices, stages, parts_.comm.size());
    idleness_ = Idleness(plan_.holders());
    return parts_.comm.anywhere(graph.own.weighted() || graph.halo.weighted());
  }

  std::vector<Aggregated> chainOf(bool training) const {
    std::vector<Aggregated> steps;
    const int layers = parts_.model.layers();
    for (int l = layer0Cached_ ? 1 : 0; l < layers; ++l) steps.push_back({l, Pass::forward});
    for (int l = layers - 1; training && l > 0; --l) steps.push_back({l, Pass::backward});
    return steps;
  }

  // Who is done first waits here, not in the gradients' sum that comes next.
  void noteIdleness(std::int64_t spanNs, std::int64_t waitedNs) {
    parts_.tracer.setLayer(-1, Pass::none);
    const Timed timed(parts_.tracer, Kind::synchronise, Name::barrier);
    idleness_.note(parts_.comm, aggregates(parts_.comm.rank()) ? 1 : 0, spanNs, waitedNs);
  }

  bool layer0Cached_;
  BatchPlan plan_;
  Index bandwidth_ = 0;
  std::unique_ptr<PipelineSide> side_;
  std::vector<Aggregated> training_, evaluation_;  // the chains of the two kinds of pass
  bool cacheReady_ = false;
  std::int32_t epoch_ = 0;
  std::vector<Matrix> keptWeights_;  // of an epoch that is probed
  std::int64_t adjacencyBytes_ = 0;  // of the rank that holds most
  Idleness idleness_;                // of updaters and aggregators
};

int slicesOf(const RunSettings& run) { return static_cast<int>(run.cluster.workers / 2); }

std::vector<Problem> refuse(const RunSettings& run) {
  std::vector<Problem> problems;
  if (!readStages(run.parameters.text("stages")))
    problems.push_back({.key = "run.stages",
                        .message = "'" + run.parameters.text("stages") +
                                   "' cannot be used; a whole number from 1 to " +
                                   std::to_string(kMostStagesAsked) + " without leading zeros, or auto"});
  if (const std::int64_t workers = run.cluster.workers; workers % 2 != 0)
    problems.push_back(
        {.key = "cluster.workers",
         .message = "moa has as many workers that aggregate as workers that update, at least one of "
                    "each, so their number is even, and " +
                    std::to_string(workers) + " is not; use " +
                    (workers > 1 ? std::to_string(workers - 1) + " or " : "") + std::to_string(workers + 1)});
  else
    for (Problem& problem : refuseSlices(run, "moa", slicesOf(run), std::nullopt))
      problems.push_back(std::move(problem));
  return problems;
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"moa",
                    "mop with workers of their own for aggregation and update, in a pipeline of batches",
                    "MixGCN 3.2", kParameters},
    .fewestWorkers = 2,
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<MixedAccelerators>(parts, values);
    },
    .predict = predictBatches,
    .style = [](const RunSettings&, int) -> MethodStyle {
      return {.unknown = "its workers that aggregate and those that update are a pipeline"};
    },
    .aggregatesFirst = true,
    .refuse = refuse,
    .refuseData = [](const RunSettings& run,
                     const DataShape& data) { return refuseSlices(run, "moa", slicesOf(run), data.widths); },
    .place = placeBatches,
    .order = orderOf,
    .countRows = countBatches,
    .figures =
        {{"aggregators_idle", "aggregators, share of time idle", Metric::Unit::plain,
          "share of the pipeline's time in which an aggregator waits or is done; mean of the aggregators, "
          "all epochs but the first",
          /*timed=*/true},
         {"updaters_idle", "updaters, share of time idle", Metric::Unit::plain,
          "share of the pipeline's time in which an updater waits or is done; mean of the updaters, all "
          "epochs but the first",
          /*timed=*/true}}}};

}  // namespace
}  // namespace halo
