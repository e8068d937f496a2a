// Our own partitioner of the communication volume Σ (λ − 1): a multilevel search
// (partition/connectivity/search.cpp), then levelling of what each part sends.
#include <algorithm>
#include <limits>
#include <optional>

#include "engine/partition/connectivity/level_volume.h"
#include "engine/partition/connectivity/search.h"

namespace halo {
namespace {

constexpr Parameter kParameters[] = {
    kBalanceParameter,
    kStartParameter,
    {"cycles",
     "how often, at most, the best start is coarsened and refined again; ends where that gains little",
     Integer{12, 0, 1000}},
    {"largest",
     "most that a part may send, in units of the mean volume, where moving vertices one at a time gets there",
     Real{2, 1, 1e6}},
    {"levelling", "percent of the volume that may be given to bring the largest part nearer to the mean",
     Real{0.125, 0, 100}},
};

constexpr double kEven = 1.1;  // times the mean volume; parts are not levelled further

/// Bounds what one part sends at any price, where that bound is in reach. Then lowers it for the share of the
/// volume that may be given.
Owners levelled(const Hypergraph& graph, const PartitionRequest& request, Volume best) {
  const std::int64_t limit = partLimit(graph.nodeWeight, request.parts, request.imbalance);
  const double mean = static_cast<double>(best.connectivity) / request.parts;
  const auto most = static_cast<std::int64_t>(request.parameters.real("largest") * mean);
  std::optional<NetParts> state(std::in_place, graph, best.owners, request.parts);
  levelVolume(*state, limit, most, std::numeric_limits<std::int64_t>::max());
  if (std::ranges::max(sentRowsOf(*state)) > most)
    state.emplace(graph, std::move(best.owners), request.parts);
  const double allowance = request.parameters.real("levelling") / 100;
  levelVolume(*state, limit, static_cast<std::int64_t>(kEven * mean),
              static_cast<std::int64_t>((1 + allowance) * static_cast<double>(state->connectivity())));
  return state->takeOwners();
}

Owners connectivityParts(const Csr& arcs, const PartitionRequest& request) {
  return columnNetParts(arcs, request, [&](const Hypergraph& graph) {
    const SearchSettings settings{.shape = shapeOf(graph),
                                  .fromZoltan = request.parameters.text("start") == "hypergraph",
                                  .cycles = request.parameters.integer("cycles")};
    return levelled(graph, request, searchedParts(arcs, graph, request, settings));
  });
}

const Registered<PartitionerEntry> self{
    {{"connectivity", "fewest halo rows in total (multilevel, localised searches)",
      "ours; Fiduccia and Mattheyses 1982; Blondel et al. 2008; Sanders and Schulz 2011", kParameters},
     connectivityParts}};

}  // namespace
}  // namespace halo
