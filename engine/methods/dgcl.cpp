// DGCL (Cai et al., EuroSys 2021): halo rows go to those who need them along trees over the topology of the
// devices. A slow link is then crossed once where several beyond it need the same row. Synchronous, exact.
//
//   topology   groups of `group` ranks; between two of a group a fast link, between two groups a shared one
//              on which a row takes `slowness` times as long
//   forward    owner → those of its group, and of every other group all consumers or one of them
//              that one → the other consumers of its group
//   backward   the same ways back: who passed a row on adds up what comes back for it, and returns one row
//
// Rows, and so elements, are those of the halo exchange: every consumer gets each row once. What is real: who
// sends what to whom, and in which order. What is modelled: that links differ; the times behind the plan.
// Departures: the tree has at most two levels, and only a consumer passes rows on, so that no rank gets rows
// for others alone. The paper plans over measured bandwidths, chunk by chunk; here over the two speeds above.
#include <algorithm>
#include <array>

#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"
#include "engine/comm/exchange/relayed_exchange.h"
#include "engine/methods/choices/relay_plan.h"
#include "engine/methods/full_graph/halo_pass.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

const std::array<Parameter, 4> kParameters = {{
    {"group", "workers with fast links among them: 0 to group - 1, and so on", Integer{2, 1, 1'000'000}},
    {"slowness", "how many times longer a row takes between groups than within one", Real{8, 1, 1'000'000}},
    kRowOverlapParameter,
    kLayer0CacheParameter,
}};

RelayTopology topologyOf(const Values& values, int ranks) {
  return {ranks, static_cast<int>(values.integer("group")), values.real("slowness")};
}

/// By own row: who needs it, ascending.
std::vector<std::vector<std::int32_t>> consumersOf(const LocalGraph& graph) {
  std::vector<std::vector<std::int32_t>> consumers(graph.owned.size());
  for (const HaloPeer& peer : graph.peers)
    for (const Vertex row : peer.sendRows) consumers[at(row)].push_back(peer.rank);
  return consumers;
}

/// Collective: of all ranks, on each.
RelayClasses gatherClasses(Communicator& comm, const std::vector<std::vector<std::int32_t>>& own) {
  RelayClasses classes;
  for (const auto& consumers : own)
    if (!consumers.empty()) ++classes[{comm.rank(), consumers}];
  ByteWriter out;
  out.value(static_cast<std::int64_t>(classes.size()));
  for (const auto& [name, rows] : classes) {
    out.array(name.second);
    out.value(rows);
  }
  ByteWriter all;
  for (const std::string& bytes : comm.gather(out.take())) all.array(bytes);
  const std::string bytes = comm.broadcast(all.take());
  ByteReader in(bytes);
  classes.clear();
  for (std::int32_t rank = 0; rank < comm.size(); ++rank) {
    std::string part;
    in.array(part);
    ByteReader reader(part);
    for (auto left = reader.value<std::int64_t>(); left > 0; --left) {
      std::vector<std::int32_t> consumers;
      reader.array(consumers);
      classes[{rank, consumers}] = reader.value<std::int64_t>();
    }
  }
  return classes;
}

/// What an owner tells a consumer of its rows, in the order in which they stand at both ends.
struct Directions {
  std::vector<std::int32_t> senders;  // of each row
  std::vector<std::int32_t> counts;   // of each row: to how many others the consumer passes it on
  std::vector<std::int32_t> targets;  // these, one row after the other
};

void add(std::vector<PeerRows>& peers, int rank, Vertex row) {
  auto place = std::ranges::lower_bound(peers, rank, {}, &PeerRows::rank);
  if (place == peers.end() || place->rank != rank) place = peers.insert(place, PeerRows{rank, {}});
  place->rows.push_back(row);
}

/// Collective: owners know the plan for their rows and tell those who get them.
RelayRoutes exchangeRoutes(Communicator& comm, const LocalGraph& graph, const RelayPlan& plan,
                           const std::vector<std::vector<std::int32_t>>& consumers) {
  RelayRoutes routes;
  routes.haloRows = static_cast<Index>(graph.haloIds.size());
  const auto directionsFor = [&](const HaloPeer& peer) {
    Directions to;
    for (const Vertex row : peer.sendRows) {
      const auto& all = consumers[at(row)];
      const auto& senders = plan.sender.at({comm.rank(), all});
      to.counts.push_back(0);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (all[k] == peer.rank) to.senders.push_back(senders[k]);
        if (senders[k] != peer.rank) continue;
        to.targets.push_back(all[k]);
        ++to.counts.back();
      }
      if (to.senders.back() == comm.rank()) add(routes.sent, peer.rank, row);
    }
    return to;
  };
  everyPair(
      comm,
      [&](int rank) {
        ByteWriter out;
        const auto peer = std::ranges::find(graph.peers, rank, &HaloPeer::rank);
        const Directions to = peer == graph.peers.end() ? Directions() : directionsFor(*peer);
        for (const auto* list : {&to.senders, &to.counts, &to.targets}) out.array(*list);
        return out.take();
      },
      [&](int owner, const std::string& bytes) {
        ByteReader in(bytes);
        Directions from;
        for (auto* list : {&from.senders, &from.counts, &from.targets}) in.array(*list);
        if (from.senders.empty()) return;
        auto row = static_cast<Vertex>(std::ranges::find(graph.peers, owner, &HaloPeer::rank)->receiveBegin);
        auto target = from.targets.begin();
        for (std::size_t k = 0; k < from.senders.size(); ++k, ++row) {
          add(from.senders[k] == owner ? routes.direct : routes.relayed, from.senders[k], row);
          for (std::int32_t i = 0; i < from.counts[k]; ++i) add(routes.passed, *target++, row);
        }
      });
  return routes;
}

class RelayPropagator final : public HaloPropagatorOver<RelayedExchange> {
 public:
  RelayPropagator(WorkerParts& parts, const Values& values)
      : RelayPropagator(parts, values, consumersOf(parts.share.graph)) {}

  std::map<std::string, double> metrics() const override { return metrics_; }

 private:
  RelayPropagator(WorkerParts& parts, const Values& values,
                  const std::vector<std::vector<std::int32_t>>& consumers)
      : RelayPropagator(
            parts, values, consumers,
            planRelays(gatherClasses(parts.comm, consumers), topologyOf(values, parts.comm.size()))) {}
  RelayPropagator(WorkerParts& parts, const Values& values,
                  const std::vector<std::vector<std::int32_t>>& consumers, const RelayPlan& plan)
      : HaloPropagatorOver(
            parts,
            RelayedExchange(parts.comm, exchangeRoutes(parts.comm, parts.share.graph, plan, consumers)),
            meanwhile(values)),
        metrics_{{"longest_link", plan.longest},
                 {"longest_link_direct", plan.longestDirect},
                 {"slow_rows", static_cast<double>(plan.slowRows)},
                 {"slow_rows_direct", static_cast<double>(plan.slowRowsDirect)}} {}

  std::map<std::string, double> metrics_;
};

/// The classes again, from the whole graph.
std::vector<RowTable> countRows(const CountRequest& request) {
  RelayClasses classes;
  const Csr consumers = transpose(request.propagation);
  const auto owner = [&](Index v) { return request.owners[at(v)]; };
  for (Index v = 0; v < consumers.rows(); ++v) {
    std::vector<std::int32_t> parts;
    for (const Vertex u : consumers.row(v))
      if (owner(u) != owner(v)) parts.push_back(owner(u));
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (!parts.empty()) ++classes[{owner(v), parts}];
  }
  const RelayPlan plan = planRelays(classes, topologyOf(request.run.parameters, request.parts));
  return relayedRows(classes, plan, request.parts);
}

/// Rows of both stages as they arrive, where they belong, and packed to be passed on; the same backward.
Memory memoryOf(const MemoryRequest& request) {
  const std::int64_t forwardWidth = widest(request.forward), backwardWidth = widest(request.backward);
  Memory memory{};
  bytesOf(memory, MemoryOf::exchange) =
      heldRows(request.received + request.halo, forwardWidth) +
      heldRows(request.sent + request.halo, backwardWidth) +
      std::max(heldRows(request.sent, forwardWidth), heldRows(request.received, backwardWidth));
  return memory;
}

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  std::vector<PredictedVolume> flows;
  for (const RowTable& table : request.tables) {  // an owner's to one rank are in one table
    VolumeRequest stage = request;
    stage.rows = table;
    for (const PredictedVolume& flow : predictHaloExchange(stage)) flows.push_back(flow);
  }
  return flows;
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"dgcl", "pass halo rows on beyond slow links instead of sending them over these again",
                    "DGCL, Cai et al., EuroSys 2021", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<RelayPropagator>(parts, values),
                                         values.flag("layer0_cache"));
    },
    .predict = predict,
    .memory = memoryOf,
    .style = [](const RunSettings& run, int) -> MethodStyle {
      return {.order = ExchangeOrder::relayed, .meanwhile = meanwhile(run.parameters)};
    },
    .attends = true,
    .countRows = countRows,
    .figures = {{"longest_link", "modelled links: the longest, in rows", Metric::Unit::plain,
                 "longest time over a link for one column, in rows over a fast link"},
                {"longest_link_direct", "  if all went directly", Metric::Unit::plain,
                 "`longest_link` as it would be if every row went directly"},
                {"slow_rows", "modelled links: rows over slow ones", Metric::Unit::plain,
                 "rows that go over slow links"},
                {"slow_rows_direct", "  if all went directly", Metric::Unit::plain,
                 "`slow_rows` as they would be if every row went directly"}}}};

}  // namespace
}  // namespace halo
