#include "simulator/cluster/machines/machine.h"

#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {

std::string_view text(Collective operation) {
  constexpr std::string_view kWords[] = {"allreduce", "broadcast", "alltoall", "allgather"};
  return kWords[at(operation)];
}

const std::vector<std::string>& algorithmsOf(Collective operation) {
  static const std::vector<std::string> kKnown[] = {
      {"ring", "rabenseifner", "recursive-doubling"},
      {"binomial", "scatter-allgather", "flat"},
      {"pairwise", "bruck", "two-level"},
      {"ring", "bruck"},
  };
  return kKnown[at(operation)];
}

const std::string& Machine::algorithm(Collective operation, double bytes) const {
  for (const CollectiveChoice& choice : collectives)
    if (choice.operation == operation && (choice.upToKb == 0 || bytes <= choice.upToKb * 1e3))
      return choice.algorithm;
  return algorithmsOf(operation).front();
}

constexpr double kNothingGbPerS = 1e12;  // a byte takes no time

Machine machineOf(const LinkSettings& link, std::int64_t cores) {
  HALO_CHECK(link.emulated());
  HALO_CHECK(cores == 0 || link.ranksPerHost == 0);  // hosts of several ranks, or one host of all
  Machine machine;
  machine.name = link.name;
  (cores > 0 ? machine.ranksPerNode : machine.nodes) = std::int64_t{1} << 31;
  machine.coresPerNode = cores;
  machine.messageOrder = MessageOrder::ascending;
  machine.collectives = {{Collective::broadcast, "flat", 0}};
  machine.between.wireUs = link.latencyUs;
  machine.between.gbPerS = link.bandwidthGbit / 8;
  machine.between.from = {"published", "the preset or inline link of the run"};
  machine.within = machine.between;
  if (link.ranksPerHost > 0) {
    machine.ranksPerNode = link.ranksPerHost;
    machine.within = {0, 0, 0, 0, kNothingGbPerS, {"derived", "no card, and no latency, within a host"}};
  }
  machine.staging.outGbPerS = machine.staging.inGbPerS = link.stagingGbit / 8;
  machine.staging.from = machine.between.from;
  return machine;
}

std::vector<Problem> refusals(const Machine& machine, int ranks) {
  std::vector<Problem> problems;
  const std::int64_t places = machine.nodes * machine.ranksPerNode;
  if (ranks < 1)
    problems.push_back({.key = "workers", .message = std::to_string(ranks) + " cannot be used; at least 1"});
  else if (ranks > places)
    problems.push_back({.key = "workers",
                        .message = std::to_string(ranks) + " workers do not fit " + machine.name +
                                   ", which has " + std::to_string(machine.nodes) + " nodes of " +
                                   std::to_string(machine.ranksPerNode) + "; at most " +
                                   std::to_string(places)});
  return problems;
}

}  // namespace halo::cluster
