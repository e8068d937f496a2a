#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/methods/contract/predictions.h"

namespace halo::cluster {

/// Ranks that are drawn, fewer than there are, and which of them each rank has numbers from. All ranks have
/// own training vertices, and seeds in an iteration, as evenly as can be: those before a rank have one more.
/// A drawn rank stands for ranks of one kind, so that sums over all ranks are those of all.
struct StandIns {
  std::vector<int> ofRank;  // the drawn rank in each one's place
  std::vector<int> rankOf;  // of each drawn rank, the first that it stands for; ascending
  bool all() const { return ofRank.size() == rankOf.size(); }

  /// ends  ascending, within ranks: where another kind begins; may repeat. Fewer than `drawn`, which is at
  ///       most `ranks`
  static StandIns forKinds(int drawn, int ranks, std::span<const int> ends);
};

/// What rank `rank` gets of `all` that are dealt to so many.
std::int64_t dealt(std::int64_t all, int ranks, int rank);

/// The training vertices that the drawn have: as many as the ranks that they stand for, each with its share
/// of all. A part with fewer gets others', whose `owners` then change.
std::vector<Split> dealtSplit(std::span<const Split> split, const StandIns& standIns, std::uint64_t seed,
                              Owners& owners);

}  // namespace halo::cluster
