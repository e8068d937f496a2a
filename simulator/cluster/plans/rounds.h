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

/// Adds sums of ranks to the plan as the pass's exchange; of a method that goes round by round, as those of
/// the steps that its rounds make, each with the same share.
void addSums(Traffic sums, const MethodStyle& style, PassTraffic& pass, Plan& plan);
/// By these steps, the same share of each rank's entries whose column others own.
std::vector<PerRank> othersInRounds(const Loads& loads, int ranks);

/// The exchanges of a pass that follow one another, each added to the plan: to columns and back to rows, or
/// up to the roots and down, where a pair's two messages are taken for halves; halo rows between groups come
/// with the first of the forward pass and leave with the second of the backward one. Plain bytes: as they
/// travel.
PassTraffic passTraffic(PassFlows passFlows, const MethodStyle& style, Pass direction, Plan& plan);

}  // namespace halo::cluster
