#include "simulator/cluster/plans/counted_plan.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/partition/vertex_cut/arc_parts.h"
#include "simulator/cluster/plans/memory.h"
#include "simulator/cluster/plans/pair_cost.h"
#include "simulator/cluster/plans/pair_rows.h"
#include "simulator/cluster/plans/rounds.h"
#include "simulator/cluster/plans/wide_plan.h"

namespace halo::cluster {
namespace {

Placement placementOf(const MethodEntry& method, const PlanRequest& request) {
  const auto into = [&](int parts) {
    return parts == 1 ? Owners(at(request.arcs.rows()), 0) : request.partition(parts);
  };
  return placeVertices(method, {request.arcs, request.ranks, request.run.parameters, into});
}

/// By rank, of its rows: how many; entries; entries whose column it owns; these of rows that have no others.
Loads loadsOf(const Csr& A, const Owners& owners, int ranks, const MethodStyle& style) {
  std::vector<std::int64_t> rows(at(ranks), 0), entries(at(ranks), 0), own(at(ranks), 0),
      central(at(ranks), 0);
  for (Index v = 0; v < A.rows(); ++v) {
    const std::int32_t rank = owners[at(v)];
    const std::int64_t ownEntries =
        std::ranges::count_if(A.row(v), [&](Vertex u) { return owners[at(u)] == rank; });
    ++rows[at(rank)];
    entries[at(rank)] += A.degree(v);
    own[at(rank)] += ownEntries;
    if (ownEntries == A.degree(v)) central[at(rank)] += ownEntries;
  }
  Loads loads;
  if (style.order == ExchangeOrder::transposed) {
    const int slices = ranks / style.groups;
    std::vector<std::int64_t> groupRows(at(ranks), 0), groupEntries(at(ranks), 0);
    for (int rank = 0; rank < ranks; ++rank)
      for (int other = rank / slices * slices; other < (rank / slices + 1) * slices; ++other) {
        groupRows[at(rank)] += rows[at(other)];
        groupEntries[at(rank)] += entries[at(other)];
      }
    loads.rowsOfGroup = PerRank(std::move(groupRows));
    loads.entriesOfGroup = PerRank(std::move(groupEntries));
  }
  loads.rows = PerRank(std::move(rows));
  loads.entries = PerRank(std::move(entries));
  loads.ownEntries = PerRank(std::move(own));
  loads.centralEntries = PerRank(std::move(central));
  return loads;
}

/// Loads::partEntries.
std::vector<PerRank> partEntriesOf(const Csr& A, const Owners& owners, int ranks, ExchangeOrder order) {
  const bool rounds = order == ExchangeOrder::rounds;
  std::vector<std::vector<std::int64_t>> entries(at(rounds ? roundSteps(ranks) : ranks),
                                                 std::vector<std::int64_t>(at(ranks), 0));
  for (Index v = 0; v < A.rows(); ++v)
    for (const Vertex u : A.row(v)) {
      const int ahead = (owners[at(u)] - owners[at(v)] + ranks) % ranks;
      if (rounds && ahead == 0) continue;
      ++entries[at(rounds ? stepOfRound(ahead - 1, ranks) : owners[at(u)])][at(owners[at(v)])];
    }
  std::vector<PerRank> parts;
  for (std::vector<std::int64_t>& part : entries) parts.emplace_back(std::move(part));
  return parts;
}

/// Entries where the method put them, instead of with their rows.
void placeEntries(const ArcPlacement& placement, int ranks, Loads& loads) {
  std::vector<std::int64_t> entries(at(ranks), 0);
  for (const std::int32_t part : placement.parts) ++entries[at(part)];
  loads.entries = PerRank(entries);
  loads.centralEntries = PerRank(entries);
  loads.ownEntries = PerRank(std::move(entries));
}

/// Of each rank, where a method places arcs: every leaf is in one of its tables (leafRows).
PerRank leavesOf(const std::vector<RowTable>& tables, int ranks) {
  std::vector<std::int64_t> leaves(at(ranks), 0);
  for (const RowTable& table : tables)
    for (int rank = 0; rank < ranks; ++rank)
      for (const std::int64_t rows : table[at(rank)]) leaves[at(rank)] += rows;
  return PerRank(std::move(leaves));
}

/// Bytes of two exchanges together.
PerRank sum(const PerRank& bytes, const PerRank& other, int ranks) {
  std::vector<std::int64_t> both;
  for (int rank = 0; rank < ranks; ++rank) both.push_back(bytes[rank] + other[rank]);
  return PerRank(std::move(both));
}

/// Halo rows of methods whose messages are not those rows.
void countHalo(const Csr& A, Owners owners, int ranks, const MethodStyle& style, Loads& loads) {
  const bool blocks = style.order == ExchangeOrder::broadcasts && !style.wholeBlocks;
  const bool apart = blocks || style.order == ExchangeOrder::relayed;
  if (ranks == 1 || (!apart && style.groups == 1)) return;
  const int slices = apart ? 1 : ranks / style.groups;
  for (std::int32_t& owner : owners) owner /= slices;
  std::vector<std::int64_t> halo(at(ranks), 0), sent(at(ranks), 0);
  for (const PairRows& pair : haloPairs(A, owners, ranks / slices))
    for (int slice = 0; slice < slices; ++slice) {
      halo[at(pair.target * slices + slice)] += pair.rows;
      sent[at(pair.source * slices + slice)] += pair.rows;
    }
  loads.haloRows = PerRank(std::move(halo));
  loads.groupSent = PerRank(std::move(sent));
}

/// What the predictor says travels in passes of one direction.
std::map<std::pair<int, Pass>, PassFlows> flowsOf(const MethodEntry& method, const VolumeRequest& volume,
                                                  bool backward, int ranks) {
  std::map<std::pair<int, Pass>, PassFlows> passes;
  for (const PredictedVolume& v : method.predict(volume))
    if ((v.pass == Pass::backward) == backward) addMessage(v, ranks, passes);
  return passes;
}

/// The tables whose rows travel together, in the order in which they leave, where the method has stages.
/// Forward come rows from owners, then those passed on. Backward come gradients of the passed-on rows, then
/// those of rows that nobody waits for, then the others.
std::vector<std::vector<std::size_t>> stagesOf(const MethodStyle& style, bool backward) {
  if (style.order != ExchangeOrder::relayed) return {{}};
  if (backward) return {{2}, {0}, {1}};
  return {{0, 1}, {2}};
}

/// What the predictor says travels, stage by stage.
TrafficOf trafficOf(const MethodEntry& method, const VolumeRequest& volume, const MethodStyle& style,
                    Plan& plan) {
  TrafficOf traffic;
  const auto add = [&](const VolumeRequest& request, bool backward, bool atOnce) {
    for (auto& [key, flows] : flowsOf(method, request, backward, plan.ranks)) {
      PassTraffic pass = passTraffic(std::move(flows), style, key.second, plan);
      const auto [entry, isNew] = traffic.try_emplace(key, std::move(pass));
      if (isNew) continue;
      PassTraffic& all = entry->second;
      all.rounds.insert(all.rounds.end(), pass.rounds.begin(), pass.rounds.end());
      if (atOnce) all.atOnce += pass.rounds.size();
      all.plainBytes = sum(all.plainBytes, pass.plainBytes, plan.ranks);
      all.plainArrivedBytes = sum(all.plainArrivedBytes, pass.plainArrivedBytes, plan.ranks);
    }
  };
  for (const bool backward : {false, true}) {
    const auto stages = stagesOf(style, backward);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      VolumeRequest request = volume;
      if (!stages[stage].empty()) request.tables.clear();
      for (const std::size_t table : stages[stage]) request.tables.push_back(volume.tables[table]);
      add(request, backward, /*atOnce=*/backward && stage == 1);
    }
  }
  return traffic;
}

/// What travels of each pass as it would without codes.
void plainFigures(const MethodEntry& method, VolumeRequest request, int ranks, TrafficOf& traffic) {
  request.parameters.insert_or_assign("bits", Value(std::string("32")));
  std::map<std::pair<int, Pass>, std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> sums;
  for (const PredictedVolume& v : method.predict(request)) {
    if (v.target < 0) continue;
    auto& [out, in] = sums[{v.layer, v.pass}];
    out.resize(at(ranks), 0);
    in.resize(at(ranks), 0);
    out[at(v.source)] += v.bytes;
    in[at(v.target)] += v.bytes;
  }
  for (auto& [key, pass] : traffic)
    if (const auto entry = sums.find(key); entry != sums.end()) {
      pass.plainBytes = PerRank(entry->second.first);
      pass.plainArrivedBytes = PerRank(entry->second.second);
    }
}

void tooMany(int ranks) {
  if (ranks > kPairwiseRanks)
    throw InputError(Problem{.key = "workers",
                             .message = std::to_string(ranks) + " cannot be used pair by pair; at most " +
                                        std::to_string(kPairwiseRanks) + ", or a plan of each rank's sums"});
}

Plan begun(const PlanRequest& request, const MethodStyle& style) {
  Plan plan;
  plan.ranks = request.ranks;
  plan.method = request.run.method;
  plan.untimed = style.unknown;
  return plan;
}

void finish(const PlanRequest& request, const MethodEntry& method, const ModelShape& shape,
            const MethodStyle& style, const Loads& loads, const TrafficOf& traffic, std::int64_t epoch,
            Plan& plan) {
  const bool cached = cachesLayer0(method, request.run.parameters) && epoch > 0;
  writeSteps(shape, style, loads, cached, traffic, plan);
  plan.rows = loads.rows;
  plan.entries = style.order == ExchangeOrder::transposed ? loads.entriesOfGroup : loads.entries;
  setMemory(request.run, shape, style, loads, traffic, plan);
}

/// The sums of a placement, for closed forms.
WideFigures figuresOf(const PlanRequest& request, Owners owners, const MethodStyle& style) {
  const auto ranks = at(request.ranks);
  WideFigures figures;
  figures.origin = PlanOrigin::counted;
  figures.ranks = request.ranks;
  figures.vertices = request.propagation.rows();
  figures.entries = request.propagation.nonzeros();
  figures.rows.assign(ranks, 0);
  figures.entriesOf.assign(ranks, 0);
  for (Index v = 0; v < request.propagation.rows(); ++v) {
    ++figures.rows[at(owners[at(v)])];
    figures.entriesOf[at(owners[at(v)])] += request.propagation.degree(v);
  }
  figures.sends = figures.receives = std::vector<double>(ranks, 1.0 / request.ranks);  // of no halo rows
  if (style.groups > 1) {
    for (std::int32_t& owner : owners) owner /= request.ranks / style.groups;
    for (const PairRows& pair : haloPairs(request.propagation, owners, style.groups))
      figures.groupHaloRows += static_cast<double>(pair.rows);
  }
  return figures;
}

/// Plans of some epochs, of one placement.
std::vector<Plan> countedPlans(const PlanRequest& request, const std::vector<std::int64_t>& epochs) {
  tooMany(request.ranks);
  const MethodEntry& method = plannedMethod(request.run, request.widths, request.ranks);
  HALO_CHECK(!method.sampled);  // pulledCycle
  const MethodStyle style = styleOf(request.run, request.ranks);
  const ModelShape shape = shapeFor(method, request.run, request.widths);
  const Placement placement = placementOf(method, request);
  Loads loads = loadsOf(request.propagation, placement.owners, request.ranks, style);
  countHalo(request.propagation, placement.owners, request.ranks, style, loads);
  ArcPlacement arcs;
  const std::vector<Index> widths(request.widths.begin(), request.widths.end());
  if (method.placesArcs) {
    const RunSettings& run = request.run;
    arcs = arcsPlaced(request.propagation, placement.owners, run.partition.method,
                      {request.ranks, run.partition.imbalance, run.training.seed, run.partition.parameters});
    placeEntries(arcs, request.ranks, loads);
  }
  VolumeRequest volume = volumeRequest(shape, request.run, request.ranks, epochs.front());
  if (method.countRows != nullptr)
    volume.tables = method.countRows(
        {request.propagation, placement.owners, request.ranks, request.run, widths, &arcs, placement.order});
  else
    volume.tables = {tableOf(haloPairs(request.propagation, placement.owners, request.ranks), request.ranks)};
  volume.rows = volume.tables.front();
  if (method.placesArcs) loads.leaves = leavesOf(volume.tables, request.ranks);
  if (takesParts(style, request.ranks))
    loads.partEntries = partEntriesOf(request.propagation, placement.owners, request.ranks, style.order);
  std::vector<Plan> plans;
  for (const std::int64_t epoch : epochs) {
    volume.epoch = epoch;
    volume.firstEpoch = epoch == 0;
    Plan plan = begun(request, style);
    TrafficOf traffic;
    if (request.ranks > 1) {
      traffic = trafficOf(method, volume, style, plan);
      if (style.codes) plainFigures(method, volume, request.ranks, traffic);
    }
    finish(request, method, shape, style, loads, traffic, epoch, plan);
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace

Plan countedPlan(const PlanRequest& request) { return countedPlans(request, {request.epoch}).front(); }

PlanCycle countedCycle(const PlanRequest& request) {
  const MethodEntry& method = *find<MethodEntry>(request.run.method);
  const EpochCycle epochCycle =
      request.ranks > 1 ? cycleOf(method, request.run, request.ranks) : EpochCycle{};
  std::vector<std::int64_t> epochs;
  for (const EpochTurn& turn : epochCycle.turns) epochs.push_back(turn.epoch);
  std::vector<Plan> plans = countedPlans(request, epochs);
  PlanCycle cycle{{}, epochCycle.bound, {}};
  for (std::size_t t = 0; t < plans.size(); ++t)
    cycle.turns.push_back({std::move(plans[t]), epochCycle.turns[t].count});
  return cycle;
}

Plan summedPlan(const PlanRequest& request) {
  const MethodEntry& method = plannedMethod(request.run, request.widths, request.ranks);
  HALO_CHECK(!method.sampled);  // pulledCycle
  const MethodStyle style = styleOf(request.run, request.ranks);
  const ModelShape shape = shapeFor(method, request.run, request.widths);
  const Placement placement = placementOf(method, request);
  if (!style.pairsAlone && hasClosedForm(request.run, request.ranks))
    return widePlan(request.run, request.widths, figuresOf(request, placement.owners, style), request.epoch);
  Plan plan = begun(request, style);
  Loads loads = loadsOf(request.propagation, placement.owners, request.ranks, style);
  PairCost cost(method, request.run, shape, request.epoch);
  TrafficOf traffic;
  for (auto& [key, sums] : cost.sumsOf(haloPairs(request.propagation, placement.owners, request.ranks),
                                       request.ranksPerNode, plan.ranks)) {
    PassTraffic& pass = traffic[key];
    pass.plainBytes = std::move(sums.plainBytes);
    pass.plainArrivedBytes = std::move(sums.plainArrivedBytes);
    addSums(std::move(sums.traffic), style, pass, plan);
  }
  if (takesParts(style, plan.ranks)) loads.partEntries = othersInRounds(loads, plan.ranks);
  finish(request, method, shape, style, loads, traffic, request.epoch, plan);
  return plan;
}

}  // namespace halo::cluster
