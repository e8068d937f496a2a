#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/methods/contract/holdings.h"

namespace halo {

/// Rows of one owner that the same ranks need: (owner, consumers ascending), and how many there are.
using RelayClasses = std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, std::int64_t>;

/// Ranks 0 … group − 1 are one group, and so on. A row takes 1 over the link between two ranks of a group;
/// each ordered pair has one. It takes `slowness` over the link that each ordered pair of groups shares.
struct RelayTopology {
  int ranks = 1, group = 1;
  double slowness = 1;
  int groupOf(int rank) const { return rank / group; }
};

/// Who sends which rows to whom.
struct RelayPlan {
  /// For each class, by consumer: its owner, or the consumer that passes its copy on.
  std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, std::vector<std::int32_t>> sender;
  // the longest time over a link, in rows over a fast one; rows over slow links; and both if all went
  // directly
  double longest = 0, longestDirect = 0;
  std::int64_t slowRows = 0, slowRowsDirect = 0;
};

/// DGCL's forwarding trees (EuroSys 2021), greedily: classes with the most rows first. In each group without
/// the owner, every consumer gets the row from the owner, or one does and passes it on to the others. The
/// choice is the one that makes the longest of the links used shortest. The same wherever it is worked out.
RelayPlan planRelays(const RelayClasses& classes, const RelayTopology& topology);

/// Rows from rank to rank by that plan. Table [0] goes from owners to those who pass none of that owner's on,
/// so that their gradients are ready at once. Table [1] goes from owners to those who pass some on, whose
/// gradients wait for what comes back for these. Table [2] has what is passed on.
std::vector<RowTable> relayedRows(const RelayClasses& classes, const RelayPlan& plan, int ranks);

}  // namespace halo
