// ROC (Jia et al., MLSys 2020; NeuGraph swaps in the same way): contiguous ranges of vertices with equally
// many edges. For every aggregation a device is given the whole input region and gives back the rows of its
// range. Synchronous, exact.
//
//   device i, layer l:   copy Y(l), all n rows;   Z_i = P[V_i,:] Y(l);   give back Z_i
//   backward             the same with Pᵀ and the gradients of Z(l)
//
// Update-first, as ROC's layers are. Ranks are the devices. What is real: ranges, numerics, and that whole
// regions travel, n − n_i rows of them from the other ranks. What is modelled, in bytes and seconds: a device
// of device_memory GB below a host that holds all tensors. Its `slots` hold whole regions on their way. What
// is left keeps inputs of layers from the forward to the backward pass, chosen by swap_plan.h.
//
// ROC learns the cost of a range from measured times while it trains, and moves vertices. So does this, every
// `resplit` epochs, by prefix sums over what rows and edges were fitted to take.
//
// Departures: unless asked it moves none, so that a run can be repeated and its volume is known. The fit is
// recorded (ns of a row and of an edge), and the next run can cut its ranges by it (row_cost). Halo is no
// feature of the fit: whole regions are copied whatever it is.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "engine/comm/exchange/row_directory.h"
#include "engine/methods/blocks/replicated_blocks.h"
#include "engine/methods/choices/cost_fit.h"
#include "engine/methods/choices/swap_plan.h"
#include "engine/methods/full_graph/move_vertices.h"
#include "engine/methods/laws/volume.h"
#include "engine/methods/worker/uncounted.h"

namespace halo {
namespace {

constexpr double kMostRowCost = 1'000'000;
const std::array<Parameter, 5> kParameters = {{
    {"row_cost", "edges that a row counts as where ranges are cut", Real{0, 0, kMostRowCost}},
    {"resplit", "epochs after which ranges are cut anew by the costs fitted so far; 0: never",
     Integer{0, 0, 1'000'000}},
    {"device_memory", "of the modelled device, in GB", Real{16, 0.000001, 100'000}},
    {"slots", "whole regions that the modelled device holds on their way", Integer{4, 1, 1'000}},
    {"host_link", "between the modelled device and its host, in GB/s", Real{12, 0.001, 100'000}},
}};

/// Each range in turn takes vertices up to an even share of what is left. It ends with the vertex that brings
/// it there. It ends before that vertex where this is nearer and ranges before it took more than their share.
/// So none has more than an even share of everything and one vertex. What one range has too much the others
/// lack.
Owners rangesOf(std::span<const Index> edges, double rowCost, int parts) {
  const Index all = std::accumulate(edges.begin(), edges.end(), Index{0});
  if (all == 0) rowCost = 1;  // all that a range can have is rows
  double left = static_cast<double>(all) + rowCost * static_cast<double>(edges.size());
  const double share = left / parts;
  Owners owners;
  std::size_t v = 0;
  for (std::int32_t part = 0; part + 1 < parts; ++part) {
    const double others = parts - part - 1, target = left / (others + 1);
    for (double filled = 0; v < edges.size() && filled < target; ++v) {
      const double vertex = static_cast<double>(edges[v]) + rowCost;
      const bool nearer = filled > 0 && target - filled < filled + vertex - target;
      if (nearer && left <= share * others) break;
      filled += vertex;
      left -= vertex;
      owners.push_back(part);
    }
  }
  owners.resize(edges.size(), parts - 1);
  return owners;
}

Owners placeRanges(const PlacementRequest& request) {
  std::vector<Index> edges;
  for (Index v = 0; v < request.arcs.rows(); ++v) edges.push_back(request.arcs.degree(v));
  return rangesOf(edges, request.parameters.real("row_cost"), request.parts);
}

std::vector<Index> edgesOf(const LocalGraph& graph) {
  std::vector<Index> edges;
  for (Index row = 0; row < graph.own.rows(); ++row)
    edges.push_back(graph.own.degree(row) + graph.halo.degree(row));
  return edges;
}

/// What the ranks' epochs cost, fitted (cost_fit.h): ns = a · rows + b · edges.
class CostFit {
 public:
  explicit CostFit(Communicator& comm) : comm_(comm) {}

  /// With other rows and edges from the next epoch on. What was fitted before stands until there is more.
  void restart(const LocalGraph& graph) {
    rows_ = static_cast<double>(graph.owned.size());
    edges_ = static_cast<double>(graph.own.nonzeros() + graph.halo.nonzeros());
    begun_ = measured_ = 0;
    spent_ = 0;
  }
  /// Before each epoch. The first two are left out: they allocate. Collective after 4, 8, 16, … epochs.
  void epochBegins(std::int64_t cpuNs) {
    if (begun_ > 2) {
      spent_ += static_cast<double>(cpuNs - cpuAt_);
      ++measured_;
    }
    cpuAt_ = cpuNs;
    if (begun_ >= 4 && std::has_single_bit(static_cast<std::uint64_t>(begun_))) fit();
    ++begun_;
  }
  /// Collective, at an epoch's begin.
  void fitNow() {
    if (measured_ >= 2) fit();
  }
  const std::optional<FittedCost>& fitted() const { return fitted_; }

 private:
  // Rank 0's is everybody's: what ranges are cut by must not differ in a bit, and sums of doubles may.
  void fit() {
    const double ns = spent_ / static_cast<double>(measured_);
    const CostSums sums = {comm_.sum(rows_ * rows_), comm_.sum(rows_ * edges_), comm_.sum(edges_ * edges_),
                           comm_.sum(rows_ * ns), comm_.sum(edges_ * ns)};
    const auto costs = comm_.rank() == 0 ? fitCosts(sums) : std::nullopt;
    if (comm_.broadcast(std::int64_t{costs.has_value()}) == 0) return;
    const auto fromRoot = [this](double own) {
      return std::bit_cast<double>(comm_.broadcast(std::bit_cast<std::int64_t>(own)));
    };
    const FittedCost own = costs.value_or(FittedCost{});
    const double row = fromRoot(own.row), edge = fromRoot(own.edge);
    fitted_ = FittedCost{row, edge};
  }

  Communicator& comm_;
  double rows_ = 0, edges_ = 0, spent_ = 0;
  std::int64_t begun_ = 0, measured_ = 0, cpuAt_ = 0;
  std::optional<FittedCost> fitted_;
};

/// What the device with the longest range copies in an epoch.
struct Swaps {
  double in = 0, out = 0, kept = 0, missing = 0;
};

Swaps modelSwaps(WorkerParts& parts, const Values& values) {
  const std::int64_t element = sizeof(Scalar), rows = parts.share.graph.globalVertices * element,
                     own =
                         parts.comm.max(static_cast<std::int64_t>(parts.share.graph.owned.size())) * element;
  std::int64_t in = 0, out = 0, widest = 0;
  std::vector<SwapItem> inputs;
  const auto copy = [&](Index width) {
    in += rows * width;
    out += own * width;
    widest = std::max<std::int64_t>(widest, width);
  };
  for (int l = 0; l < parts.model.layers(); ++l) {
    Layer& layer = parts.model.layer(l);
    copy(layer.propagatedWidth());
    if (l > 0 || layer.backwardNeedsPropagation()) copy(layer.returnedWidth());
    // not kept, it comes again in the backward pass; and it went out before, unless the host had it anyway
    inputs.push_back({own * layer.in(), own * layer.in() * (l > 0 ? 2 : 1)});
    // the features come for their product with the weights, unless they are the region
    if (l == 0 && layer.updatesBeforeForward()) in += own * layer.in();
    in += own * layer.in();
    out += l > 0 ? own * layer.in() : 0;
  }
  const auto memory = std::llround(values.real("device_memory") * 1e9);
  const std::int64_t left = memory - values.integer("slots") * rows * widest;
  Swaps swaps;
  const std::vector<bool> keeps = planSwaps(inputs, std::max<std::int64_t>(left, 0));
  for (std::size_t l = 0; l < keeps.size(); ++l) {
    if (!keeps[l]) continue;
    swaps.kept += static_cast<double>(inputs[l].bytes);
    in -= inputs[l].bytes;
    out -= inputs[l].saved - inputs[l].bytes;
  }
  swaps.in = static_cast<double>(in);
  swaps.out = static_cast<double>(out);
  swaps.missing = static_cast<double>(std::max<std::int64_t>(-left, 0));
  return swaps;
}

class RegionPropagator final : public Propagator {
 public:
  RegionPropagator(WorkerParts& parts, const Values& values)
      : parts_(parts),
        values_(values),
        resplit_(values.integer("resplit")),
        fit_(parts.comm),
        bytesPerSecond_(values.real("host_link") * 1e9) {
    takeRange();
  }

  void beginEpoch(std::int32_t epoch) override {
    fit_.epochBegins(parts_.tracer.computeCpuNs());
    if (resplit_ > 0 && epoch > 0 && epoch % resplit_ == 0) cutAnew();
  }
  void forward(int layer, const Matrix& Y, Matrix& Z) override { blocks_->forward(layer, Y, Z); }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override { blocks_->backward(layer, dZ, dY); }
  std::size_t bufferBytes() const override { return blocks_->bufferBytes(); }
  std::optional<Holdings> holdings() const override { return blocks_->holdings(); }

  std::map<std::string, double> metrics() const override {
    std::map<std::string, double> figures = {{"swap_in_bytes", swaps_.in},
                                             {"swap_out_bytes", swaps_.out},
                                             {"swap_kept_bytes", swaps_.kept},
                                             {"swap_seconds", (swaps_.in + swaps_.out) / bytesPerSecond_},
                                             {"device_missing_bytes", swaps_.missing}};
    if (const auto& cost = fit_.fitted()) {
      figures["fitted_ns_per_row"] = cost->row;
      figures["fitted_ns_per_edge"] = cost->edge;
    }
    if (resplit_ > 0) figures["resplits"] = static_cast<double>(resplits_);
    return figures;
  }
  std::vector<RowTable> decided() const override {
    if (resplits_ == 0) return {};
    return {wholeBlockRows(owners_, parts_.comm.size())};
  }

 private:
  /// Everything that depends on which vertices this rank has.
  void takeRange() {
    blocks_.emplace(parts_, /*replication=*/1);
    swaps_ = modelSwaps(parts_, values_);
    fit_.restart(parts_.share.graph);
  }

  /// Collective. Where times told nothing, or nothing else than is the case, ranges stay.
  void cutAnew() {
    const Uncounted moving(parts_);
    fit_.fitNow();
    const auto& cost = fit_.fitted();
    if (!cost || (cost->row <= 0 && cost->edge <= 0)) return;
    const double rowCost = cost->edge > 0 ? std::min(cost->row / cost->edge, kMostRowCost) : kMostRowCost;
    RowDirectory directory(parts_.comm, parts_.share.graph);
    std::vector<Vertex> all(directory.owners().size());
    std::iota(all.begin(), all.end(), Vertex{0});
    owners_ = rangesOf(directory.elements(edgesOf(parts_.share.graph), all), rowCost, parts_.comm.size());
    if (owners_ == directory.owners()) return;
    moveVertices(parts_.comm, parts_.share, owners_);
    ++resplits_;
    takeRange();
  }

  WorkerParts& parts_;
  Values values_;
  std::int64_t resplit_;
  std::optional<ReplicatedBlocks> blocks_;
  CostFit fit_;
  Swaps swaps_;
  double bytesPerSecond_;
  Owners owners_;  // since the first move
  std::int64_t resplits_ = 0;
};

std::vector<RowTable> countRows(const CountRequest& request) {
  return {wholeBlockRows(request.owners, request.parts)};
}

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  if (request.parts == 1) return {};
  const RankGrid grid =
      gridOf(request.decided.empty() ? request.rows : request.decided.front(), /*columns=*/1);
  return predictMultiplications(request, [&](Pass, std::int64_t width, const PredictedSend& send) {
    ReplicatedBlocks::predict(grid, width, request.elementBytes, send);
  });
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"roc",
                    "give every worker's range the whole input of each aggregation, swapped in and out",
                    "ROC, Jia et al., MLSys 2020", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<RegionPropagator>(parts, values),
                                         /*layer0Cached=*/false);
    },
    .predict = predict,
    .style = [](const RunSettings&, int) -> MethodStyle {
      return {.unknown = "its time goes into swapping, which no rank sends"};
    },
    .autoOrder = "update-first",
    .place = placeRanges,
    .countRows = countRows,
    .figures = {{"swap_in_bytes", "modelled device: copied in, an epoch", Metric::Unit::bytes,
                 "what the device with the longest range copies in, an epoch"},
                {"swap_out_bytes", "modelled device: copied out, an epoch", Metric::Unit::bytes,
                 "what the device with the longest range copies out, an epoch"},
                {"swap_kept_bytes", "modelled device: kept until the backward pass", Metric::Unit::bytes,
                 "inputs of layers that the device with the longest range keeps for the backward pass"},
                {"device_missing_bytes", "modelled device: too small by", Metric::Unit::bytes,
                 "by how much the slots alone are too large for `device_memory`; above 0 nothing is kept"},
                {"swap_seconds", "modelled device: copying, an epoch", Metric::Unit::seconds,
                 "(`swap_in_bytes` + `swap_out_bytes`) ÷ `host_link`"},
                {"fitted_ns_per_row", "fitted cost of a row, ns", Metric::Unit::plain,
                 "cost of a row, by least squares over the workers' computing time, from the fifth epoch on; "
                 "never below 0",
                 /*timed=*/true},
                {"fitted_ns_per_edge", "fitted cost of an edge, ns", Metric::Unit::plain,
                 "cost of an edge, by least squares over the workers' computing time, from the fifth epoch "
                 "on; never below 0",
                 /*timed=*/true},
                {"resplits", "times that ranges were cut anew", Metric::Unit::plain,
                 "how often `resplit` moved vertices"}}}};

}  // namespace
}  // namespace halo
