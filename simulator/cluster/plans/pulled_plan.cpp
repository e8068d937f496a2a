#include "simulator/cluster/plans/pulled_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/methods/contract/layer_kinds.h"
#include "engine/partition/connectivity/metis.h"
#include "simulator/cluster/plans/iteration_steps.h"
#include "simulator/cluster/plans/rounds.h"
#include "simulator/cluster/plans/schedule.h"
#include "simulator/cluster/plans/sliced_memory.h"
#include "simulator/cluster/plans/spread_traffic.h"
#include "simulator/cluster/plans/stand_ins.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar), kIdBytes = 8;
constexpr std::int64_t kDirectoryBytes = 16;  // of a vertex on every rank: owner, row there, both degrees

Owners placed(const MethodEntry& method, const PlanRequest& request) {
  const RunSettings& run = request.run;
  const auto into = [&](int parts) {
    return parts == 1 ? Owners(at(request.arcs.rows()), 0) : request.partition(parts);
  };
  PlacementRequest placement{request.arcs, request.ranks, run.parameters, into, {}, request.split};
  if (run.partition.method == "metis")
    placement.divide = [&](const Csr& arcs, const Weights& weights, int parts, int constraints) {
      return metisParts(arcs, weights, parts, run.partition.imbalance, run.training.seed, MetisObjective::cut,
                        constraints);
    };
  return placeVertices(method, std::move(placement)).owners;
}

/// Bytes of a rank's batch: rows of every level, outputs and gradients of every layer, ids and arcs. Of a set
/// that all ranks draw, `ownAlone`, a rank has rows of others as inputs alone.
std::int64_t batchBytes(const ModelShape& shape, const DrawnIteration& drawn, int rank, bool drops,
                        bool ownAlone) {
  const auto rowsOf = [&](std::size_t level) {
    return (ownAlone ? drawn.vertices.back() : drawn.vertices[level])[at(rank)];
  };
  std::int64_t elements = drawn.vertices.front()[at(rank)] * shape.layers.front().in, ids = 0;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const LayerShape& layer = shape.layers[l];
    const std::int64_t targets = rowsOf(l + 1);
    elements += targets * (layer.in + 2 * layer.out);
    if (drops) elements += rowsOf(l) * layer.in;
    ids += drawn.arcs[l][at(rank)] + targets;
  }
  return elements * kElement + ids * kIdBytes;
}

/// By chance, whatever the partitioner; the same for the same seed.
Owners byChance(const PlanRequest& request, int ranks) {
  PhiloxStream random(request.run.training.seed, Purpose::partition, 1);
  Owners owners(at(request.arcs.rows()));
  for (std::int32_t& owner : owners)
    owner = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks)));
  return owners;
}

std::int64_t trainedIn(const PlanRequest& request) { return std::ranges::count(request.split, Split::train); }

std::int64_t globalBatchOf(const PlanRequest& request) {
  const Values& values = request.run.parameters;
  return values.contains("global_batch") ? values.integer("global_batch") : 0;
}

/// Whether batches are cut from one order of all training vertices.
bool sharesOrder(const PlanRequest& request) {
  const Values& values = request.run.parameters;
  return values.contains("seeds") && values.text("seeds") == "global";
}

/// Ranks differ by a training vertex, and by a seed of a global batch of which each takes its own.
StandIns standInsFor(const PlanRequest& request, int drawn) {
  std::array<int, 2> ends = {
      static_cast<int>(trainedIn(request) % request.ranks),
      sharesOrder(request) ? 0 : static_cast<int>(globalBatchOf(request) % request.ranks)};
  std::ranges::sort(ends);
  return StandIns::forKinds(drawn, request.ranks, ends);
}

/// Of an epoch whose batches are cut from one order; none where they are not, or nobody wrote how large.
std::optional<std::int64_t> sharedIterations(const PlanRequest& request) {
  if (!sharesOrder(request)) return std::nullopt;
  const Values& values = request.run.parameters;
  const std::int64_t all = globalBatchOf(request);
  const std::int64_t batch = all > 0 ? all : values.integer("batch") * request.ranks;
  if (batch == 0) return std::nullopt;
  const std::int64_t trained = trainedIn(request);
  return std::max<std::int64_t>(1,
                                values.flag("drop_last") ? trained / batch : (trained + batch - 1) / batch);
}

/// The run of the drawn ranks, whose batches are as those of all.
RunSettings drawnRun(const PlanRequest& request, const StandIns& standIns) {
  RunSettings run = request.run;
  const int drawn = static_cast<int>(standIns.rankOf.size());
  run.cluster.workers = drawn;
  if (run.parameters.contains("machines")) run.parameters["machines"] = std::int64_t{1};
  if (!run.parameters.contains("batch")) return run;
  const std::int64_t most = dealt(trainedIn(request), request.ranks, 0),
                     batch = run.parameters.integer("batch");
  std::int64_t trained = 0,
               together = 0;  // of the drawn: training vertices, and seeds that they take of theirs
  for (const int rank : standIns.rankOf) {
    trained += dealt(trainedIn(request), request.ranks, rank);
    together += std::max<std::int64_t>(1, dealt(globalBatchOf(request), request.ranks, rank));
  }
  if (const auto iterations = sharedIterations(request)) {
    const bool drops = run.parameters.flag("drop_last");
    run.parameters["batch"] = std::int64_t{0};
    run.parameters["global_batch"] =
        drops ? std::max<std::int64_t>(1, trained / *iterations) : (trained + *iterations - 1) / *iterations;
  } else if (globalBatchOf(request) > 0) {
    run.parameters["global_batch"] = together;
  } else if (batch > 0) {
    run.parameters["batch"] = std::min(batch, most);  // none has more
  }
  return run;
}

/// Each rank with what the drawn one in its place has.
DrawnIteration widened(const DrawnIteration& drawn, const StandIns& standIns) {
  const auto repeated = [&](const std::vector<std::int64_t>& byDrawn) {
    std::vector<std::int64_t> all;
    for (std::size_t rank = 0; rank < standIns.ofRank.size() && !byDrawn.empty(); ++rank)
      all.push_back(byDrawn[at(standIns.ofRank[rank])]);
    return all;
  };
  DrawnIteration wide;
  for (const auto& level : drawn.vertices) wide.vertices.push_back(repeated(level));
  for (const auto& level : drawn.arcs) wide.arcs.push_back(repeated(level));
  for (const auto& level : drawn.served) wide.served.push_back(repeated(level));
  wide.missed = repeated(drawn.missed);
  wide.linkNsPerByte = drawn.linkNsPerByte;
  return wide;
}

/// What every turn has alike.
class Turns {
 public:
  /// drawn  ranks that are drawn; all, or fewer that stand for all
  Turns(const PlanRequest& request, const MethodEntry& method, bool expected, int drawn)
      : request_(request),
        method_(method),
        expected_(expected),
        drawnRanks_(drawn),
        standIns_(standInsFor(request, drawn)),
        style_(styleOf(request.run, request.ranks)),
        shape_(shapeFor(method, request.run, request.widths)),
        run_(standIns_.all() ? request.run : drawnRun(request, standIns_)),
        owners_(expected ? chanceOwners() : placed(method, request)),
        split_(standIns_.all() ? std::vector<Split>()
                               : dealtSplit(request.split, standIns_, run_.training.seed, owners_)),
        epoch_(method.draw({request.arcs, owners_, drawn, standIns_.all() ? request.split : split_, run_,
                            request.epoch, request.draws, shape_.layers.front().in})),
        rows_(at(request.ranks), 0),
        entries_(rows_) {
    if (expected) {
      for (int rank = 0; rank < request.ranks; ++rank) {
        rows_[at(rank)] = dealt(request.arcs.rows(), request.ranks, rank);
        entries_[at(rank)] = dealt(request.arcs.nonzeros(), request.ranks, rank);
      }
      return;
    }
    parts_ = ownParts(request.arcs, owners_, request.split, request.ranks, kind().includesItself);
    for (std::size_t v = 0; v < owners_.size(); ++v) {
      ++rows_[at(owners_[v])];
      entries_[at(owners_[v])] += request.arcs.degree(static_cast<Index>(v));
    }
  }

  PlanCycle cycle() const {
    PlanCycle cycle;
    cycle.iterations = iterations();
    cycle.drawn = std::ssize(epoch_.drawn);
    // the first batch of an epoch has none before it that it could be pulled beside
    MethodStyle alone = style_;
    alone.ahead = 0;
    for (const DrawnIteration& drawn : epoch_.drawn) {
      if (style_.ahead > 0 && cycle.iterations > 1)
        cycle.turns.push_back({planOf(drawn, style_), cycle.iterations - 1});
      cycle.turns.push_back({planOf(drawn, alone), 1});
    }
    cycle.notes.push_back(
        fmt::format("an epoch of {} iterations, as the mean of {} that were drawn; the timeline has one",
                    cycle.iterations, cycle.drawn));
    if (!standIns_.all())
      cycle.notes.push_back(
          fmt::format("{} workers were drawn and stand for all {}; vertices belong to workers by chance",
                      drawnRanks_, request_.ranks));
    else if (expected_)
      cycle.notes.emplace_back("vertices belong to workers by chance");
    cycle.notes.emplace_back(slicedMemoryKnown()
                                 ? "memory is that of all slices of a batch, of an evaluation, of own rows "
                                   "and arcs, and of the weights"
                                 : "memory is that of a batch, of own rows and arcs, and of the weights");
    if (style_.ahead > 0)
      cycle.notes.emplace_back(
          "an epoch's first batch is pulled before it computes, others between the kernels of those before");
    return cycle;
  }

 private:
  LayerWork kind() const { return layerWork(request_.run.model.kind); }
  bool slicedMemoryKnown() const { return method_.slicesInput && !expected_; }

  Owners chanceOwners() const {
    PlacementRequest placement{
        request_.arcs, drawnRanks_, run_.parameters, [&](int parts) { return byChance(request_, parts); }, {},
        request_.split};
    return placeVertices(method_, std::move(placement)).owners;
  }

  std::int64_t iterations() const {
    if (standIns_.all()) return epoch_.iterations;
    return sharedIterations(request_).value_or(epoch_.iterations);
  }

  Plan planOf(const DrawnIteration& drawn, const MethodStyle& style) const {
    Plan plan;
    plan.ranks = request_.ranks;
    plan.method = request_.run.method;
    plan.untimed = style_.unknown;
    if (expected_) plan.origin = PlanOrigin::expected;
    VolumeRequest volume = volumeRequest(shape_, run_, drawnRanks_, request_.epoch);
    volume.decided = drawn.decided;
    RoundTraffic traffic;
    std::map<std::tuple<int, Pass, int>, std::vector<Flow>> flows;
    for (const PredictedVolume& v : method_.predict(volume))
      flows[{v.layer, v.pass, v.round}].push_back({v.source, v.target, v.messages, v.bytes});
    for (auto& [key, roundFlows] : flows)
      traffic[key] =
          expected_ ? spreadTraffic(roundFlows, standIns_) : trafficOf(request_.ranks, std::move(roundFlows));
    const DrawnIteration all = standIns_.all() ? drawn : widened(drawn, standIns_);
    if (style_.order == ExchangeOrder::pulls)
      writeIteration({method_, style, shape_, kind(), all, traffic}, plan);
    else
      writeSet(all, drawn.decided.back().front().front() > 0, traffic, plan);
    plan.rows = PerRank(rows_);
    plan.entries = PerRank(entries_);
    setMemory(all, plan);
    return plan;
  }

  template <class Figure>
  PerRank perRank(Figure figure) const {
    std::vector<std::int64_t> values;
    for (int rank = 0; rank < request_.ranks; ++rank) values.push_back(figure(at(rank)));
    return PerRank(std::move(values));
  }

  /// A vertex set that all ranks draw, and passes of the full graph's method on it, if any member trains. Of
  /// a rank's arcs as many have a source of its own as of its sources are.
  void writeSet(const DrawnIteration& drawn, bool trains, const RoundTraffic& traffic, Plan& plan) const {
    const std::vector<std::int64_t>&own = drawn.vertices.back(), &sources = drawn.vertices.front(),
          &arcs = drawn.arcs.front();
    const std::int64_t members = std::accumulate(own.begin(), own.end(), std::int64_t{0});
    Step& draw = plan.steps.emplace_back();
    draw.op = Op::pack;
    draw.layer = static_cast<int>(shape_.layers.size()) - 1;
    draw.bytes = perRank([&](std::size_t rank) { return kNumberBytes * members + kDrawBytes * arcs[rank]; });
    if (!trains) return;
    const auto itself = [&](std::size_t rank) { return kind().includesItself ? own[rank] : 0; };
    Loads loads;
    loads.rows = PerRank(own);
    loads.entries = perRank([&](std::size_t rank) { return arcs[rank] + itself(rank); });
    loads.ownEntries = perRank([&](std::size_t rank) {
      return (sources[rank] > 0 ? arcs[rank] * own[rank] / sources[rank] : 0) + itself(rank);
    });
    loads.centralEntries = PerRank(0);
    TrafficOf passes;
    for (const auto& [key, roundTraffic] : traffic) {
      PassTraffic& pass = passes[{std::get<0>(key), std::get<1>(key)}];
      pass.plainBytes = roundTraffic.outBytes;
      pass.plainArrivedBytes = roundTraffic.inBytes;
      addSums(roundTraffic, style_, pass, plan);
    }
    writeSteps(shape_, style_, loads, /*cached=*/false, passes, plan);
  }

  /// The batch, own features and topology, four copies of the weights. Sets are drawn by all ranks, who know
  /// the arcs into and out of their vertices.
  void setMemory(const DrawnIteration& drawn, Plan& plan) const {
    if (slicedMemoryKnown()) return setSlicedMemory(drawn, plan);
    const std::int64_t width = run_.dataset.mapFeatures ? 0 : shape_.layers.front().in;
    const bool sets = style_.order != ExchangeOrder::pulls;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < plan.ranks; ++rank) {
      std::int64_t kept = rows_[at(rank)] * width;
      if (method_.slicesInput) kept += request_.arcs.rows() * sliceWidth(width, rank, plan.ranks);
      bytes.push_back((1 + style_.ahead) * batchBytes(shape_, drawn, rank, run_.model.dropout > 0, sets) +
                      kept * kElement + (sets ? 2 : 1) * entries_[at(rank)] * std::int64_t{sizeof(Vertex)} +
                      kDirectoryBytes * request_.arcs.rows() + 4 * shape_.weights * kElement);
    }
    plan.memoryBytes = PerRank(std::move(bytes));
  }

  /// Those of slices of every batch, of an evaluation and of the graph; four copies of the weights.
  void setSlicedMemory(const DrawnIteration& drawn, Plan& plan) const {
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < plan.ranks; ++rank) {
      const Memory& memory = plan.rowMemory.emplace_back(
          slicedMemory(request_.run, shape_, drawn, rank, parts_[at(rank)], request_.arcs.rows()));
      bytes.push_back(std::accumulate(memory.begin(), memory.end(), 4 * shape_.weights * kElement));
    }
    plan.memoryBytes = PerRank(std::move(bytes));
  }

  const PlanRequest& request_;
  const MethodEntry& method_;
  bool expected_;
  int drawnRanks_;
  StandIns standIns_;
  MethodStyle style_;
  ModelShape shape_;
  RunSettings run_;  // of the ranks that are drawn
  Owners owners_;
  std::vector<Split> split_;  // of theirs; empty where all are drawn
  DrawnEpoch epoch_;
  std::vector<OwnPart> parts_;                // by rank
  std::vector<std::int64_t> rows_, entries_;  // own vertices and arcs, by rank
};

}  // namespace

PlanCycle pulledCycle(const PlanRequest& request) {
  const MethodEntry& method = plannedMethod(request.run, request.widths, request.ranks);
  return Turns(request, method, /*expected=*/false, request.ranks).cycle();
}

PlanCycle expectedPulls(const PlanRequest& request) {
  const MethodEntry& method = plannedMethod(request.run, request.widths, request.ranks);
  const bool pulls = styleOf(request.run, request.ranks).order == ExchangeOrder::pulls;
  HALO_CHECK(pulls || request.ranks <= kMostSetRanks);  // planProblems
  const int drawn = pulls ? std::min(request.ranks, kDrawnRanks) : request.ranks;
  return Turns(request, method, /*expected=*/true, drawn).cycle();
}

}  // namespace halo::cluster
