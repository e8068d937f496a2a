#pragma once

#include <vector>

#include "engine/methods/contract/predictions.h"

namespace halo {

/// What the batches of one iteration pull from whom: PullCounts::tables of that iteration, by blocks that
/// were drawn without ranks.
///
/// Cost: O(Σ|V^l| + Σ|E^l|) over the ranks.
std::vector<RowTable> decidePulls(const DrawnRequest& request);

}  // namespace halo
