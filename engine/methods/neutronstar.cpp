// NeutronStar (Wang et al., SIGMOD 2022): each remote in-neighbour's row of each layer is recomputed or
// fetched, whichever takes less time. It is recomputed from the features up (as lhop does), or fetched from
// its owner (as vanilla does). The choice is made greedily before the first epoch. Synchronous, exact.
//
//   fetch u's row of level l    the elements that travel into layer l, and their gradients, over the link
//   recompute it                the FLOP of every row up to it that is not computed here anyway, forward
//                               and backward: its aggregation and update in the layer below, and, where
//                               layer l updates first, its update there; features are fetched once
//
// Widths and FLOP are those of the layers' own order (layer_costs.h). A row is recomputed where trade_off ·
// (time to fetch) > (1 − trade_off) · (time to recompute). At 0.5 the two are compared as they are. At 0 all
// rows are fetched (vanilla), at 1 all are recomputed (lhop with refetch = false).
//
// Departs from the paper: times are computed from bytes, FLOP and two declared speeds, not measured. So the
// choice is the same in every run, and volumes can be predicted. A link's latency is left out: messages get
// smaller, seldom fewer. So is what fetching features costs before the first epoch.
#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "engine/base/index.h"
#include "engine/methods/full_graph/recompute.h"
#include "engine/methods/laws/layer_costs.h"

namespace halo {
namespace {

const std::array<Parameter, 3> kParameters = {{
    {"trade_off", "0: always fetch remote rows, 1: always recompute them, 0.5: what takes less time",
     Real{0.5, 0, 1}},
    {"gflops", "GFLOP/s of a worker, to tell what recomputing takes", Real{20, 1e-3, 1e6}},
    {"link_gbit", "Gbit/s of a link, to tell what fetching takes; an emulated link's bandwidth goes before",
     Real{10, 1e-6, 1e6}},
}};

std::vector<LayerCost> costsOf(const RunSettings& run, std::span<const Index> widths) {
  Model model(modelFor(*find<MethodEntry>("neutronstar"), run.model), {widths.begin(), widths.end()},
              run.training.seed, /*layer0Cached=*/false);
  return layerCosts(model);
}

/// Which rows one rank recomputes.
class Chooser {
 public:
  Chooser(const Surroundings& around, const RunSettings& run, std::span<const LayerCost> costs)
      : around_(around),
        costs_(costs),
        weight_(run.parameters.real("trade_off")),
        flopPerNs_(run.parameters.real("gflops")),
        bytesPerNs_((run.cluster.link.emulated() ? run.cluster.link.bandwidthGbit
                                                 : run.parameters.real("link_gbit")) /
                    8),
        depths_(around.ids.size(), -1) {
    std::fill_n(depths_.begin(), around.own(), layers());
  }

  Depths choose() {
    if (weight_ == 1) return everyDepth(around_);            // nothing costs anything
    std::vector<std::tuple<double, int, Index>> candidates;  // − benefit, level, vertex
    for (int level = 0; level < layers(); ++level)
      for (Index v = around_.own(); v < around_.reach[1]; ++v) {
        const double saved = savedBy(v, level), cost = tryRaise(v, level, saved, kMostRated);
        undo();
        candidates.emplace_back(cost - saved, level, v);
      }
    std::ranges::sort(candidates);
    for (const auto& [loss, level, v] : candidates) {
      if (depths_[at(v)] >= level) continue;
      const double saved = savedBy(v, level);
      if (tryRaise(v, level, saved) < saved)
        raised_.clear();
      else
        undo();
    }
    return depths_;
  }

 private:
  int layers() const { return static_cast<int>(costs_.size()); }

  /// Weighed time to fetch v's rows up to the level that are fetched now.
  double savedBy(Index v, int level) const {
    std::int64_t elements = 0;
    for (int l = depths_[at(v)] + 1; l <= level; ++l) elements += costs_[at(l)].elements;
    return weight_ * static_cast<double>(elements) * sizeof(Scalar) / bytesPerNs_;
  }

  /// Weighed time to compute v's row of a level from those of the level below, and what enters the layer of
  /// that level from it.
  double costOf(Index v, int level) const {
    std::int64_t flop = costs_[at(level)].sourceFlop;
    if (level > 0) {
      const LayerCost& below = costs_[at(level) - 1];
      flop += below.targetFlop + around_.arcs.degree(v) * below.arcFlop;
    }
    return (1 - weight_) * static_cast<double>(flop) / flopPerNs_;
  }

  /// Lets v and all that it depends on be computed here up to the level, and returns what that costs. Gives
  /// up once the cost is no less than `limit`, unless it is 0, or after `most` rows. Then it returns the cost
  /// so far.
  double tryRaise(Index v, int level, double limit, std::size_t most = SIZE_MAX) {
    double cost = 0;
    std::vector<std::pair<Index, int>> pending = {{v, level}};
    while (!pending.empty() && (cost < limit || cost == 0) && raised_.size() < most) {
      const auto [u, depth] = pending.back();
      pending.pop_back();
      if (depths_[at(u)] >= depth) continue;
      for (int l = depths_[at(u)] + 1; l <= depth; ++l) cost += costOf(u, l);
      raised_.emplace_back(u, depths_[at(u)]);
      depths_[at(u)] = depth;
      if (depth == 0) continue;
      for (const Vertex w : around_.arcs.row(u)) pending.emplace_back(w, depth - 1);
    }
    return cost;
  }
  void undo() {
    for (; !raised_.empty(); raised_.pop_back()) depths_[at(raised_.back().first)] = raised_.back().second;
  }

  // Candidates are put in order by what so many rows would cost. With links far slower than processors each
  // of them would otherwise walk the whole graph.
  static constexpr std::size_t kMostRated = 4096;

  const Surroundings& around_;
  std::span<const LayerCost> costs_;
  double weight_, flopPerNs_, bytesPerNs_;
  Depths depths_;
  std::vector<std::pair<Index, int>> raised_;  // vertices of the last try, their depths before
};

/// Tables: features kept, then the rows fetched in each layer.
std::vector<RowTable> countRows(const CountRequest& request) {
  const std::size_t layers = request.widths.size() - 1, size = at(request.parts);
  const std::vector<LayerCost> costs = costsOf(request.run, request.widths);
  std::vector<RowTable> tables(layers + 1, RowTable(size, std::vector<std::int64_t>(size, 0)));
  for (int part = 0; part < request.parts; ++part) {
    const Surroundings around =
        surroundings(request.propagation, request.owners, part, static_cast<int>(layers));
    const Depths depths = Chooser(around, request.run, costs).choose();
    const auto note = [&](std::size_t table, Index v) {
      ++tables[table][at(request.owners[at(around.ids[at(v)])])][at(part)];
    };
    for (Index v = around.own(); v < around.reach.back(); ++v)
      if (depths[at(v)] >= 0) note(0, v);
    for (Index v = around.own(); v < around.reach[1]; ++v)
      for (std::size_t l = 0; l < layers; ++l)
        if (depths[at(v)] < static_cast<int>(l)) note(l + 1, v);
  }
  return tables;
}

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  std::vector<PredictedVolume> flows;
  if (request.firstEpoch) flows = predictFeatures(request, request.tables[0]);
  for (std::size_t l = 0; l < request.propagated.size(); ++l)
    for (int i = 0; i < request.parts; ++i)
      for (int j = 0; j < request.parts; ++j) {
        const std::int64_t rows = request.tables[l + 1][at(i)][at(j)], bytes = rows * request.elementBytes;
        const int layer = static_cast<int>(l);
        if (bytes * request.propagated[l] > 0)
          flows.push_back({layer, Pass::forward, i, j, 1, bytes * request.propagated[l]});
        if (request.backward[l] && bytes * request.returned[l] > 0)
          flows.push_back({layer, Pass::backward, j, i, 1, bytes * request.returned[l]});
      }
  return flows;
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"neutronstar", "recompute a remote row or fetch it, whichever takes less time",
                    "NeutronStar, Wang et al., SIGMOD 2022", kParameters},
    .make = [](WorkerParts& parts, const Values&) -> std::unique_ptr<Method> {
      const auto choose = [&parts](const Surroundings& around) {
        return Chooser(around, parts.settings, costsOf(parts.settings, parts.model.widths())).choose();
      };
      return std::make_unique<FullGraph>(
          parts, std::make_unique<RecomputingPropagator>(parts, choose, /*refetch=*/false),
          /*layer0Cached=*/false);
    },
    .predict = predict,
    .style = [](const RunSettings&, int) -> MethodStyle {
      return {.unknown = "it computes rows that others own, how many is not in the rows that travel"};
    },
    .attends = true,
    .countRows = countRows}};

}  // namespace
}  // namespace halo
