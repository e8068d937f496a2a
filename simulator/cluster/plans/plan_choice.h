#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/cluster/plans/counted_plan.h"
#include "simulator/cluster/plans/scaling.h"

namespace halo::cluster {

/// Where the figures of a plan come from. A partition gives them message by message (counted) or as each
/// rank's sums (summed). A random partition gives them in closed form (expected). Growth that is fitted to
/// partitions into fewer parts gives them for more (fitted).
enum class PlanSource : std::uint8_t { counted, summed, expected, fitted };
std::string_view text(PlanSource source);

/// Above this many ranks a graph is no longer partitioned into as many parts, unless that is asked for.
inline constexpr int kPartitionedRanks = 8192;
/// Growth is fitted to partitions into up to so many parts.
inline constexpr int kFittedParts = 128;

/// What is projected: a graph that is at hand, or figures of one.
struct ProjectedGraph {
  const Csr* arcs = nullptr;         // row v: in-neighbours, no self loops; nullptr: figures only
  const Csr* propagation = nullptr;  // of the model's kind
  bool directed = false;
  std::int64_t vertices = 0, arcCount = 0;
  ConsumerHistogram consumers;        // of arcs
  double haloRows = 0;                // of all ranks, where they are known; 0: as the plan finds them
  std::vector<std::int64_t> widths;   // d_0 … d_L
  std::int64_t ranksPerNode = 1;      // of the machine: a summed plan keeps apart what stays within a node
  std::span<const Split> split = {};  // as PlanRequest has it, and the next
  std::int64_t draws = 8;
};

/// The choice by the number of ranks. Up to kPairwiseRanks a plan is counted pair by pair, then up to
/// kPartitionedRanks summed. Beyond, it is fitted if the method has a closed form, else summed. Where only
/// figures are known it is expected, as it is of more ranks with mini-batches, which are drawn.
PlanSource chosenPlan(const RunSettings& run, bool atHand, int ranks);

/// Why the plan cannot be had so for the run's method on so many ranks, by "simulate.plan" or
/// "simulate.workers"; empty if it can.
std::vector<Problem> planProblems(const RunSettings& run, PlanSource source, bool atHand, int ranks);

/// An epoch after the first. Throws InputError as countedPlan, summedPlan and widePlan do, and where the
/// graph does not grow as fitted.
Plan projectedPlan(const RunSettings& run, const ProjectedGraph& graph, PlanSource source, int ranks);
/// The method's period; one epoch of plans that are not counted, whose methods' epochs are all alike.
PlanCycle projectedCycle(const RunSettings& run, const ProjectedGraph& graph, PlanSource source, int ranks);

}  // namespace halo::cluster
