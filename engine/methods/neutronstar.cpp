// NeutronStar (methods.md 14; Wang et al., SIGMOD 2022): each remote in-neighbour's row of each layer is
// either recomputed from the features up (as lhop does), or fetched from its owner (as vanilla does),
// whichever takes less time, chosen greedily before the first epoch. Synchronous, exact.
//
//   fetch u's row of level l      d_l elements, and their gradients if l ≥ 1, over the link
//   recompute it                  the FLOP of every row below it that is not computed here anyway; none at
//   level 0,
//                                 whose features are fetched once
//
// A row is recomputed where trade_off · (time to fetch) > (1 − trade_off) · (time to recompute): 0.5 compares
// the two as they are, 0 always fetches (vanilla), 1 always recomputes (lhop with refetch = false).
//
// Departs from the paper: times are computed from bytes, FLOP and two speeds, not measured; so the choice is
// the same in every run, and volumes can be predicted.
#include <algorithm>
#include <array>
#include <tuple>

#include "engine/methods/recompute.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    {"trade_off", "0: always fetch remote rows, 1: always recompute them, 0.5: what takes less time",
     Real{0.5, 0, 1}},
}};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

constexpr double kElementBytes = 4;
constexpr double kFlopPerNs = 20;            // of one worker
constexpr double kDefaultBytesPerNs = 1.25;  // 10 Gbit/s, where no link is emulated

/// Which rows one rank recomputes.
class Chooser {
 public:
  Chooser(const Surroundings& around, const RunSettings& run, std::span<const Index> widths)
      : around_(around),
        widths_(widths),
        weight_(run.parameters.real("trade_off")),
        bytesPerNs_(run.cluster.link.emulated() ? run.cluster.link.bandwidthGbit / 8 : kDefaultBytesPerNs),
        depths_(around.ids.size(), -1) {
    std::fill_n(depths_.begin(), around.own(), layers());
  }

  Depths choose() {
    std::vector<std::tuple<double, int, Index>> candidates;  // − benefit, level, vertex
    for (int level = 0; level < layers(); ++level)
      for (Index v = around_.own(); v < around_.reach[1]; ++v) {
        const double saved = savedBy(v, level), cost = tryRaise(v, level, saved);
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
  int layers() const { return static_cast<int>(widths_.size()) - 1; }

  /// Weighed time to fetch v's rows up to the level that are fetched now.
  double savedBy(Index v, int level) const {
    double bytes = 0;
    for (int l = depths_[at(v)] + 1; l <= level; ++l)
      bytes += kElementBytes * static_cast<double>(widths_[at(l)]) * (l > 0 ? 2 : 1);
    return weight_ * bytes / bytesPerNs_;
  }

  /// Weighed time to compute v's row of a level from the one below (FLOP as in methods.md 0.10).
  double costOf(Index v, int level) const {
    if (level == 0) return 0;
    const double in = static_cast<double>(widths_[at(level) - 1]),
                 out = static_cast<double>(widths_[at(level)]);
    const double flop = 2 * static_cast<double>(around_.arcs.degree(v)) * in * (level > 1 ? 2 : 1) +
                        2 * in * out * (level > 1 ? 3 : 2);
    return (1 - weight_) * flop / kFlopPerNs;
  }

  /// Lets v and all that it depends on be computed here up to the level; gives up, with what it costs so far,
  /// once that is no less than `limit`, unless it costs nothing.
  double tryRaise(Index v, int level, double limit) {
    double cost = 0;
    std::vector<std::pair<Index, int>> pending = {{v, level}};
    while (!pending.empty() && (cost < limit || cost == 0)) {
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

  const Surroundings& around_;
  std::span<const Index> widths_;
  double weight_, bytesPerNs_;
  Depths depths_;
  std::vector<std::pair<Index, int>> raised_;  // vertices of the last try, their depths before
};

/// Tables: features kept, then the rows fetched in each layer.
std::vector<RowTable> countRows(const CountRequest& request) {
  const std::size_t layers = request.widths.size() - 1, size = at(request.parts);
  std::vector<RowTable> tables(layers + 1, RowTable(size, std::vector<std::int64_t>(size, 0)));
  for (int part = 0; part < request.parts; ++part) {
    const Surroundings around =
        surroundings(request.propagation, request.owners, part, static_cast<int>(layers));
    const Depths depths = Chooser(around, request.run, request.widths).choose();
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
        return Chooser(around, parts.settings, parts.model.widths()).choose();
      };
      return std::make_unique<FullGraph>(
          parts, std::make_unique<RecomputingPropagator>(parts, choose, /*refetch=*/false),
          /*layer0Cached=*/false);
    },
    .predict = predict,
    .attends = true,
    .countRows = countRows}};

}  // namespace
}  // namespace halo
