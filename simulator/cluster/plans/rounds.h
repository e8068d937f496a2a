#pragma once

#include <map>
#include <utility>
#include <vector>

#include "simulator/cluster/plans/schedule.h"

namespace halo::cluster {

/// What all ranks send in one pass of one layer, as predictors and ledgers say it.
struct PassFlows {
  std::vector<Flow> flows;
  std::vector<std::int64_t> gatheredBytes;  // of each rank to all others; empty: nobody tells all
};

/// Adds one entry; a target of −1 is all other ranks, each of which it counts.
void addMessage(const PredictedVolume& message, int ranks, std::map<std::pair<int, Pass>, PassFlows>& passes);

/// Adds sums of ranks to the plan as the pass's exchange. Of a method that goes round by round, they become
/// exchanges of the steps that its rounds make, each with the same share.
void addSums(Traffic sums, const MethodStyle& style, PassTraffic& pass, Plan& plan);
/// By these steps, the same share of each rank's entries whose column others own.
std::vector<PerRank> othersInRounds(const Loads& loads, int ranks);

/// The exchanges of a pass that follow one another, each added to the plan. They go to columns and back to
/// rows, or up to the roots and down; a pair's two messages are then taken for halves. Halo rows between
/// groups come with the first of the forward pass and leave with the second of the backward one. Plain bytes:
/// as they travel.
PassTraffic passTraffic(PassFlows passFlows, const MethodStyle& style, Pass direction, Plan& plan);

}  // namespace halo::cluster
