// What collectives take, step by step. In each step every rank sends and gets one message at most; the step
// is over when the last has come. A node's card carries those of the step that cross its border
// (crossings.h).
#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/machines/crossings.h"

namespace halo::cluster {
namespace {

constexpr double kNsPerUs = 1e3;

double startNs(const MessageCosts& costs) {
  return (costs.startUs + costs.sendOverheadUs + costs.receiveOverheadUs) * kNsPerUs;
}
double messageNs(const MessageCosts& costs) { return startNs(costs) + costs.wireUs * kNsPerUs; }

/// Adds up what the steps of a collective take. It also adds up how long they keep the busiest card, or the
/// memory of ranks that have no card between them.
class Steps {
 public:
  Steps(const Machine& machine, int ranks) : machine_(machine), among_{ranks, machine.ranksPerNode} {}

  const NodeRanks& among() const { return among_; }
  double ns() const { return ns_; }
  double onWireNs() const { return onWireNs_; }

  void add(Crossings step, double bytes, double times = 1) {
    const double card = static_cast<double>(step.beyond) * bytes / machine_.between.gbPerS;
    const double memory = step.within ? bytes / machine_.within.gbPerS : 0;
    const double beyond = step.beyond > 0 ? messageNs(machine_.between) + card : 0;
    const double within = step.within ? messageNs(machine_.within) + memory : 0;
    ns_ += times * std::max(beyond, within);
    onWireNs_ += times * (oneNode() ? memory : card);
  }
  /// Messages that a rank sends off together: so many beyond its node, which `senders` ranks of it do alike,
  /// and so many within. Those of one rank take their starts one after the other, beside the others' bytes.
  /// Of a node's messages so many as `meet` come to one rank at a time, which takes a start for each.
  void addPosted(double beyond, double senders, double meet, double within, double bytes) {
    const double start = startNs(machine_.between), card = bytes / machine_.between.gbPerS;
    double far = 0;
    if (beyond > 0)
      far = messageNs(machine_.between) + senders * card +
            (beyond - 1) * std::max(start + card, senders * card);
    // the last of those that meet wait for each other's starts, and for one message to another rank
    if (beyond > 0 && meet > 1 && start > 0) far += (meet - 1) * start + card;
    double near = 0;
    if (within > 0)
      near = within * (startNs(machine_.within) + bytes / machine_.within.gbPerS) +
             machine_.within.wireUs * kNsPerUs;
    ns_ += std::max(far, near);
  }

 private:
  bool oneNode() const { return among_.ranks <= among_.perNode; }

  const Machine& machine_;
  NodeRanks among_;
  double ns_ = 0, onWireNs_ = 0;
};

/// 1, 2, 4 … below the number of ranks.
std::vector<std::int64_t> distances(const Steps& steps) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d < steps.among().ranks; d *= 2) all.push_back(d);
  return all;
}
/// What is left to halve after each step, of which all steps together send all but the rank's own part.
double halfOf(double bytes, std::int64_t distance, std::int64_t ranks) {
  const auto before = static_cast<double>(distance), all = static_cast<double>(ranks);
  return bytes * (1 / before - std::max(1 / (2 * before), 1 / all));
}

void ring(Steps& steps, double times, double bytes) { steps.add(shiftedBy(steps.among(), 1), bytes, times); }

void allReduce(const std::string& algorithm, double bytes, Steps& steps) {
  const std::int64_t ranks = steps.among().ranks;
  const auto p = static_cast<double>(ranks);
  if (algorithm == "ring") return ring(steps, 2 * (p - 1), bytes / p);
  // vectors are halved as distances double, so that the largest parts stay within nodes
  for (const std::int64_t d : distances(steps)) {
    const Crossings step = exchangedAt(steps.among(), d);
    algorithm == "rabenseifner" ? steps.add(step, halfOf(bytes, d, ranks), 2) : steps.add(step, bytes);
  }
}

void broadcast(const std::string& algorithm, double bytes, std::int64_t root, Steps& steps) {
  const auto p = static_cast<double>(steps.among().ranks);
  const std::int64_t first = root % steps.among().ranks / steps.among().perNode * steps.among().perNode;
  const auto near = static_cast<double>(std::min(steps.among().perNode, steps.among().ranks - first));
  if (algorithm == "flat") return steps.addPosted(p - near, 1, 1, near - 1, bytes);
  const bool scatters = algorithm == "scatter-allgather";
  for (const std::int64_t d : distances(steps)) {
    const auto blocks = std::min(static_cast<double>(d), p - static_cast<double>(d));
    steps.add(handedOn(steps.among(), d, root), scatters ? bytes / p * blocks : bytes);
  }
  if (scatters) ring(steps, p - 1, bytes / p);
}

void allToAll(const std::string& algorithm, double bytes, Steps& steps) {
  const std::int64_t ranks = steps.among().ranks, perNode = std::min(steps.among().perNode, ranks);
  const auto p = static_cast<double>(ranks), near = static_cast<double>(perNode);
  const double block = bytes / (p - 1);
  if (algorithm == "bruck") {
    // the step of a distance passes on the blocks of all whose distance has its bit
    for (const std::int64_t d : distances(steps)) {
      const std::int64_t passed = ranks / (2 * d) * d + std::max<std::int64_t>(0, ranks % (2 * d) - d);
      steps.add(shiftedBy(steps.among(), d), static_cast<double>(passed) * block);
    }
    return;
  }
  if (algorithm == "two-level" && ranks > perNode && perNode > 1) {
    // first within each node, so that one rank has all that goes to its like in the others; then between
    const double nodes = std::ceil(p / near);
    steps.addPosted(0, 0, 0, near - 1, block * p / near);
    return steps.addPosted(nodes - 1, near, 1, 0, block * p / nodes);
  }
  steps.addPosted(p - near, near, near, near - 1, block);  // pairwise
}

void allGather(const std::string& algorithm, double bytes, Steps& steps) {
  const auto p = static_cast<double>(steps.among().ranks);
  if (algorithm == "ring") return ring(steps, p - 1, bytes);
  for (const std::int64_t d : distances(steps)) {  // bruck: all that it has, as far as that is wanted
    const auto blocks = std::min(static_cast<double>(d), p - static_cast<double>(d));
    steps.add(shiftedBy(steps.among(), d), blocks * bytes);
  }
}

double copiesNs(const Machine& machine, double outBytes, double inBytes) {
  if (!machine.staging.needed()) return 0;
  return outBytes / machine.staging.outGbPerS + inBytes / machine.staging.inGbPerS;
}

}  // namespace

double collectiveNs(Collective operation, const std::string& algorithm, int ranks, double bytes,
                    const Machine& machine, int root) {
  if (ranks < 2 || bytes <= 0) return 0;
  Steps steps(machine, ranks);
  switch (operation) {
    case Collective::allReduce:
      allReduce(algorithm, bytes, steps);
      break;
    case Collective::broadcast:
      broadcast(algorithm, bytes, root, steps);
      break;
    case Collective::allToAll:
      allToAll(algorithm, bytes, steps);
      break;
    case Collective::allGather:
      allGather(algorithm, bytes, steps);
      return steps.ns() + copiesNs(machine, bytes, bytes * (ranks - 1));
  }
  return steps.ns() + copiesNs(machine, bytes, bytes);
}

double collectiveNs(Collective operation, int ranks, double bytes, const Machine& machine, int root) {
  return collectiveNs(operation, machine.algorithm(operation, bytes), ranks, bytes, machine, root);
}

double allReduceWireNs(int ranks, double bytes, const Machine& machine) {
  if (ranks < 2 || bytes <= 0) return 0;
  Steps steps(machine, ranks);
  allReduce(machine.algorithm(Collective::allReduce, bytes), bytes, steps);
  return steps.onWireNs();
}

}  // namespace halo::cluster
