#pragma once

#include <QString>
#include <cstdint>
#include <set>

#include "engine/record/rows/rows.h"

namespace halo {

/// Which lanes of a run carry a badge, as the run did not end well, and why.
struct LaneBadges {
  std::set<std::int64_t> ranks;
  bool everyRank = false;
  QString why;

  bool has(std::int64_t rank) const { return everyRank || ranks.contains(rank); }
  bool operator==(const LaneBadges&) const = default;
};

/// Of a run that failed or was interrupted: the rank that its error begins with, else all.
LaneBadges badgesOf(const RunRow& run);

}  // namespace halo
