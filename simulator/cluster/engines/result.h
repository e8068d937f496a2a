#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/cluster/machines/machine.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// What a point of a projection is. It is timed in a run, simulated from a counted or recorded plan, or
/// simulated from a plan that was itself extrapolated. No point is shown without its class.
enum class PointClass : std::uint8_t { measured, simulated, extrapolated };
std::string_view text(PointClass kind);

/// Where an epoch goes, mean over the ranks; together the epoch.
struct TimeShares {
  double sparseNs = 0, denseNs = 0, packNs = 0, quantiseNs = 0;
  double waitNs = 0;    // for other ranks' rows, and posting and taking them
  double reduceNs = 0;  // summing gradients
  double idleNs = 0;    // for ranks that compute longer
  double totalNs() const { return sparseNs + denseNs + packNs + quantiseNs + waitNs + reduceNs + idleNs; }
  /// The one that a computing step counts to.
  double& of(Op op);
};

/// A group of figures that a result rests on.
struct Factor {
  std::string what;
  Provenance from;
};

/// One plan on one machine.
struct ClusterResult {
  std::string machine, method, engine;  // engine: bulk | events | flows
  std::string fidelity;                 // bulk: analytic; events and flows: tile
  PointClass kind = PointClass::simulated;
  int ranks = 1;
  double epochNs = 0;
  int epochs = 1;  // that its time is the mean of
  TimeShares shares;
  std::int64_t bytes = 0, messages = 0;  // of all ranks in one epoch
  std::int64_t memoryBytes = 0;          // of the rank that keeps most
  bool overMemory = false;               // that is above what the machine has
  std::int64_t operations = 0;  // what the engine itself did: steps and messages of ranks it looked at
  /// Where asked for, by rank: the first epoch that counts, times from its first span on. Engine bulk: one
  /// lane, of the slowest rank in each step.
  std::vector<std::vector<Span>> lanes;
  std::vector<Factor> factors;
  std::vector<std::string> notes;
};

/// Why no engine can run the plan on the machine: ranks do not fit, or the plan says nothing of time.
std::vector<Problem> refusals(const Plan& plan, const Machine& machine);

/// What a step that computes is called in the timeline, and a wait for one that does not.
Name nameOf(Op op);
Kind kindOf(Op op);

/// All but what the engine finds out: volumes, memory, class, factors.
ClusterResult resultFor(const Plan& plan, const Machine& machine, std::string engine);

}  // namespace halo::cluster
