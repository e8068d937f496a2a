#pragma once

#include <functional>
#include <span>

#include "engine/base/matrix.h"
#include "simulator/pipeline/pipeline.h"

namespace halo::sim {

// What the pipeline takes in closed form, where all phases and all batches of a phase are alike (derived
// here). A, U: aggregation and update of one phase; o: what a batch costs beside, on either device.
//
//   no ordering                          N (max + min / s)
//   ordered, s ≥ ⌈2n / (n − b)⌉          N max + min / s
//   where A becomes A + s o, U becomes U + s o

struct PhaseLoad {
  double aggregatePs = 0, updatePs = 0;
  double overheadPs = 0;

  /// ρ: the smaller of A and U over the larger; 0 where there is nothing to do.
  double balance() const;
};

/// Proposition 3.5: the fewest batches with which the first of a phase needs nothing of the last update
/// before it, ⌈2n / (n − b)⌉. 0 ≤ b < n; 1 for no vertices.
Index propositionStages(Index vertices, Index bandwidth);

double unorderedPs(const PhaseLoad& load, double phases, int stages);
double orderedPs(const PhaseLoad& load, double phases, int stages);
/// unorderedPs / orderedPs without overhead: N (1 + x) / (N + x), x = ρ / s. N may be infinite.
double orderingGain(double phases, int stages, double balance);
/// The same of phases that differ, each of batches alike, with overhead and of any number of stages. A batch
/// waits until those batches of the phase before are updated that hold its rows' neighbours, at most
/// `bandwidth` rows away. Where one device is the slower in all phases and there are enough stages, phases
/// take their longer times and one batch beside. O(phases × stages).
double orderingGain(std::span<const PhaseLoad> phases, int stages, Index vertices, Index bandwidth);
/// The same of batches as they are. The gain is the time of phases that each begin when the one before is
/// finished, over their time without that wait. Then they wait for nothing but the order of batches
/// (Johnson's two machines in a row). No ordering gains more. Where the batches of the first rows are short,
/// what they wait for can keep the gain below that, however many stages. Without links.
double mostOrderingGain(std::span<const PipelinePhase> phases);

/// How many batches.
struct StageChoice {
  int stages = 1;
  bool acrossPhases = false;  // these are enough for phases to overlap
  double ps = 0;              // that the law gives
};
/// Without overhead it is the fewest that Proposition 3.5 asks for. With overhead it is the number up to
/// `mostStages` that the laws find shortest, the smaller of equals. From the proposition's number on, the law
/// is N (max + s o) + min / s + o; below, it is N (max + s o + min / s + o). Where the proposition asks for
/// more than mostStages, phases do not overlap and, without overhead, mostStages it is.
StageChoice chooseStages(const PhaseLoad& load, int phases, Index vertices, Index bandwidth, int mostStages);

/// How many of `units` devices aggregate and how many update: the split with the smallest time, of equals the
/// one with fewer sparse ones.
struct UnitSplit {
  int sparse = 1, dense = 1;
  double ps = 0;
};
/// ps(sparse, dense): what so many take, as max(A / sparse, U / dense) of work that shrinks with their
/// number. Throws InputError for fewer than 2 units.
UnitSplit splitUnits(int units, const std::function<double(int sparse, int dense)>& ps);

}  // namespace halo::sim
