#pragma once

#include <vector>

#include "engine/hybrid/resource_manager.h"

namespace halo {

/// A change and what it makes of the mapping.
struct ManagerOption {
  ManagerChange change;
  HybridMapping mapping;
};

/// What the manager may do after a window with these stages, the most promising first: for the longest stage,
/// then for the next. What changes nothing is left out.
std::vector<ManagerOption> managerOptions(const HybridPlatform& platform, Prefetch prefetch,
                                          const HybridMapping& mapping, const HybridTimes& times);

}  // namespace halo
