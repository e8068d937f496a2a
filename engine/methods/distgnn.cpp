// DistGNN (Md et al., SC 2021): a vertex cut. Arcs are spread over the workers; a vertex
// has a clone wherever it has an arc, one of them its root. Every worker sums its arcs for all its clones:
//
//   forward    z_p(v) = Σ over p's arcs u → v of P[v,u] y(u)
//              z(v) = Σ_p z_p(v) at the root, then at every clone
//   backward   dz(v) = Σ_p dz_p(v) the same way
//              dy_p(u) = Σ over p's arcs u → v of P[v,u] dz(v)
//
// Every clone updates its own copy of the row. Masks of dropout are keyed by vertex, so the copies stay
// alike. The gradients of weights are sums over the clones.
//
// delay r: 0 sums at once (cd-0). With r ≥ 1 each epoch sends one bin of r, to be used r epochs later (cd-r).
// With −1 nothing is sent, and a clone has its local sum only (0c). With backward = public gradients stay
// where they are, as in the public code. Every clone of a training vertex counts in its worker's mean loss.
// The workers' gradients are then added without division.
//
// Departs from the paper: degrees are those of the whole graph, known before the first epoch, and positions
// of rows are, too; neither travels.
#include <algorithm>
#include <array>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/comm/exchange/row_directory.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/contract/staleness.h"
#include "engine/methods/full_graph/clone_tree.h"
#include "engine/methods/full_graph/full_graph.h"
#include "engine/partition/vertex_cut/arc_parts.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 2> kBackward = {"exact", "public"};
const std::array<Parameter, 2> kParameters = {{
    {"delay", "epochs until a sum over clones is used; 0: at once (cd-0), -1: never sent (0c)",
     Integer{5, -1, 1000}},
    {"backward", "sum gradients over clones too, or leave them where they are, as the public code does",
     Choice{"exact", kBackward}},
}};

/// The same on every rank, whatever the seed.
std::int64_t binOf(Vertex v, std::int64_t bins) {
  return philox(0, Purpose::partition, static_cast<std::uint64_t>(v), 1)[0] % bins;
}

/// This rank's vertices with its leaves after them, as if they were all its own.
struct Clones {
  Clones(WorkerParts& worker, bool everyCloneTrains)
      : leaves(worker.share.arcs.leaves), parts{worker.comm, worker.tracer, worker.settings,
                                                share,       worker.model,  worker.optimizer} {
    RowDirectory directory(worker.comm, worker.share.graph);
    peers = directory.plan(leaves);
    own = static_cast<Index>(worker.share.graph.owned.size());
    share = withLeaves(directory, worker.share, everyCloneTrains);
    worker.share.features = Matrix();
  }

  Share withLeaves(RowDirectory& directory, const Share& from, bool everyCloneTrains) {
    Share wide;
    wide.graph.rank = from.graph.rank;
    wide.graph.parts = from.graph.parts;
    wide.graph.globalVertices = from.graph.globalVertices;
    wide.graph.owned = from.graph.owned;
    append(wide.graph.owned, leaves);
    wide.features = withRows(from.features, directory.rows(from.features, leaves));
    wide.classes = from.classes;
    wide.multiLabel = from.multiLabel;
    if (from.multiLabel)
      wide.multiLabels = withRows(from.multiLabels, directory.rows(from.multiLabels, leaves));
    else
      append(wide.labels = from.labels, directory.elements(from.labels, leaves));
    const std::vector<std::uint8_t> none(leaves.size(), 0);
    append(rootsTrain = from.train, none);
    append(wide.train = from.train, everyCloneTrains ? directory.elements(from.train, leaves) : none);
    append(wide.valid = from.valid, none);
    append(wide.test = from.test, none);
    wide.trainVertices =
        everyCloneTrains ? std::ranges::count(wide.train, std::uint8_t{1}) : from.trainVertices;
    return wide;
  }

  std::vector<Vertex> leaves;
  std::vector<HaloPeer> peers;
  Index own = 0;
  std::vector<std::uint8_t> rootsTrain;  // every training vertex once
  Share share;
  WorkerParts parts;

 private:
  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  static Matrix withRows(const Matrix& first, const Matrix& then) {
    Matrix both(first.rows() + then.rows(), first.cols());
    std::ranges::copy(first.values(), both.data());
    std::ranges::copy(then.values(), both.data() + first.size());
    return both;
  }
};

class ClonePropagator final : public Propagator {
 public:
  ClonePropagator(Clones& clones, const Share& share, const Values& values)
      : parts_(clones.parts),
        arcs_(share.arcs.arcs),
        transposed_(transpose(arcs_)),
        delay_(values.integer("delay")),
        sumsGradients_(values.text("backward") == "exact"),
        tree_(clones.parts.comm, clones.peers) {
    measureArcs();
    holdings_ = {boundaryOf(clones.peers), static_cast<std::int64_t>(clones.leaves.size()), arcs_.nonzeros()};
    if (delay_ == 0) return;
    const std::int64_t count = std::max<std::int64_t>(delay_, 1);
    std::vector<std::int64_t> bin;
    for (const Vertex v : clones.share.graph.owned) bin.push_back(binOf(v, count));
    bins_ = DelayedTree::bins(clones.peers, clones.own, count, bin);
    for (const DelayedTree::Bin& each : bins_)
      for (const auto* rows : {&each.roots, &each.leaves})
        split_.insert(split_.end(), rows->begin(), rows->end());
    const auto layers = at(parts_.model.layers());
    for (std::size_t l = 0; l < layers && delay_ > 0; ++l) {
      forward_.emplace_back(parts_.comm, bins_);
      backward_.emplace_back(parts_.comm, bins_);
    }
  }

  void finish() override {
    for (std::size_t l = 0; l < forward_.size(); ++l) {
      const auto layer = static_cast<std::int16_t>(l);
      parts_.tracer.setLayer(layer, Pass::forward);
      forward_[l].drain();
      parts_.tracer.setLayer(layer, Pass::backward);
      backward_[l].drain();
    }
    parts_.tracer.setLayer(-1, Pass::none);
  }

  bool exact() const override { return delay_ == 0 || parts_.comm.size() == 1; }
  bool complete() const override { return delay_ >= 0 || parts_.comm.size() == 1; }

  void beginEpoch(std::int32_t epoch) override { epoch_ = epoch; }
  void enter(int, const LayerInput& input) override { training_ = input.training; }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    aggregate(parts_.tracer, arcs_, Y, Z, Write::overwrite);
    if (!training_ || delay_ == 0) return tree_.sum(layer, Z);
    sumLate(forward_, layer, layer, Z);
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    if (!sumsGradients_) return aggregate(parts_.tracer, transposed_, dZ, dY, Write::overwrite);
    gradient_ = dZ;
    if (delay_ == 0)
      tree_.sum(layer, gradient_);
    else
      sumLate(backward_, layer, parts_.model.layers() + layer, gradient_);
    aggregate(parts_.tracer, transposed_, gradient_, dY, Write::overwrite);
  }

  // Of the sums of split vertices, at all their clones. A clone's own partial sums are made again: keeping
  // them would have cost the epoch a copy.
  std::vector<Staleness> probe(const ProbedEpoch& epoch) override {
    std::vector<Staleness> rows;
    Matrix local;
    for (std::size_t l = 0; l < epoch.Y.size(); ++l) {
      aggregate(parts_.tracer, arcs_, *epoch.Y[l], local, Write::overwrite);
      rows.push_back(compare(static_cast<int>(l), Pass::forward, forward_, local));
    }
    for (std::size_t l = 0; l < epoch.dZ.size(); ++l) {
      if (!sumsGradients_ || !epoch.returned[l]) continue;
      local = epoch.dZ[l];
      rows.push_back(compare(static_cast<int>(l), Pass::backward, backward_, local));
    }
    return rows;
  }

  std::size_t bufferBytes() const override {
    std::size_t bytes = tree_.bufferBytes() + gradient_.heldBytes();
    for (const auto* trees : {&forward_, &backward_})
      for (const DelayedTree& tree : *trees) bytes += tree.bufferBytes();
    return bytes;
  }

  std::size_t historyBytes() const override {
    std::size_t bytes = 0;
    for (const auto* trees : {&forward_, &backward_})
      for (const DelayedTree& tree : *trees) bytes += tree.historyBytes();
    return bytes;
  }
  // Split vertices whose root is here; leaves.
  std::optional<Holdings> holdings() const override { return holdings_; }
  std::map<std::string, double> metrics() const override { return metrics_; }

 private:
  void sumLate(std::vector<DelayedTree>& trees, int layer, int tag, Matrix& rows) {
    if (delay_ > 0) trees[at(layer)].sum(epoch_, tag, rows);  // else a clone's own sum is all there is
  }

  /// `local`: own partial sums; then the sums over all clones.
  Staleness compare(int layer, Pass pass, const std::vector<DelayedTree>& trees, Matrix& local) {
    Matrix used = local;
    if (delay_ > 0) trees[at(layer)].use(used);
    tree_.sum(layer, local);
    Staleness row = distance(layer, pass, chosen(used), chosen(local));
    if (delay_ > 0) row.age = trees[at(layer)].meanAge();
    return row;
  }
  Buffer<Scalar> chosen(const Matrix& rows) const {
    Buffer<Scalar> values(split_.size() * at(rows.cols()));
    gatherRows(rows, split_, values);
    return values;
  }

  void measureArcs() {
    Communicator& comm = parts_.comm;
    const std::int64_t arcs = comm.sum(arcs_.nonzeros()), most = comm.max(arcs_.nonzeros());
    metrics_["arc_imbalance"] =
        arcs == 0 ? 0 : static_cast<double>(most) * comm.size() / static_cast<double>(arcs) - 1;
  }

  WorkerParts& parts_;
  const Csr& arcs_;
  Csr transposed_;
  std::int64_t delay_;
  bool sumsGradients_;
  CloneTree tree_;
  std::vector<DelayedTree::Bin> bins_;
  std::vector<Vertex> split_;  // rows of vertices with more than one clone
  std::vector<DelayedTree> forward_, backward_;
  Matrix gradient_;
  std::map<std::string, double> metrics_;
  Holdings holdings_;
  std::int32_t epoch_ = 0;
  bool training_ = true;
};

class DistGnn final : private Clones, public FullGraph {
 public:
  DistGnn(WorkerParts& worker, const Values& values, bool everyCloneTrains)
      : Clones(worker, everyCloneTrains),
        FullGraph(parts, std::make_unique<ClonePropagator>(static_cast<Clones&>(*this), worker.share, values),
                  /*layer0Cached=*/false),
        losses_(everyCloneTrains ? worker.comm.size() : 1) {}

  double runEpoch(std::int32_t epoch) override { return FullGraph::runEpoch(epoch) / losses_; }
  // Whatever the loss counts, a score counts a vertex once.
  EpochRow evaluate() override {
    share.train.swap(rootsTrain);
    EpochRow scores = FullGraph::evaluate();
    share.train.swap(rootsTrain);
    return scores;
  }

 private:
  int losses_;  // means that the sum of all ranks' losses adds up
};

// One message a pair, layer, direction and way through the tree.
std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  const std::int64_t delay = request.parameters.integer("delay");
  std::vector<PredictedVolume> flows;
  if (delay < 0) return flows;
  const RowTable& leaves = request.tables[at(delay > 0 ? request.epoch % delay : 0)];
  const auto add = [&](int layer, Pass pass, std::int64_t width) {
    for (int i = 0; i < request.parts; ++i)
      for (int j = 0; j < request.parts; ++j) {
        const std::int64_t up = leaves[at(i)][at(j)], down = leaves[at(j)][at(i)];
        if ((up + down) * width == 0) continue;
        flows.push_back({layer, pass, i, j, (up > 0 ? 1 : 0) + (down > 0 ? 1 : 0),
                         (up + down) * width * request.elementBytes});
      }
  };
  for (std::size_t l = 0; l < request.propagated.size(); ++l) {
    add(static_cast<int>(l), Pass::forward, request.propagated[l]);
    if (request.backward[l] && request.parameters.text("backward") == "exact")
      add(static_cast<int>(l), Pass::backward, request.returned[l]);
  }
  return flows;
}

/// Each epoch sends one bin.
EpochCycle cycleOf(const RunSettings& run, int) {
  const std::int64_t delay = run.parameters.integer("delay");
  if (delay <= 1) return {};
  EpochCycle cycle{.turns = {}};
  for (std::int64_t bin = 0; bin < delay; ++bin) cycle.turns.push_back({delay + bin, 1});
  return cycle;
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"distgnn",
                    "spread arcs over the workers and sum over the clones of each vertex, late if wanted",
                    "DistGNN, Md et al., SC 2021", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<DistGnn>(parts, values, values.text("backward") == "public");
    },
    .predict = predict,
    .style = [](const RunSettings& run, int) -> MethodStyle {
      const std::int64_t delay = run.parameters.integer("delay");
      return {.order = ExchangeOrder::sums, .depth = static_cast<int>(std::max<std::int64_t>(delay, 0))};
    },
    .cycle = cycleOf,
    .exact = false,
    .exactWith = {{"delay", Value(std::int64_t{0})}, {"backward", Value(std::string("exact"))}},
    .autoOrder = "aggregate-first",
    .placesArcs = true,
    .countRows = [](const CountRequest& request) -> std::vector<RowTable> {
      const std::int64_t delay = request.run.parameters.integer("delay");
      return leafRows(request.propagation, *request.arcs, request.parts, std::max<std::int64_t>(delay, 1),
                      binOf);
    },
    .figures = {{"arc_imbalance", "arcs, largest share / mean - 1", Metric::Unit::plain,
                 "arcs of the worker with most ÷ mean of the workers - 1"}}}};

}  // namespace
}  // namespace halo
