#pragma once

#include <QString>
#include <map>
#include <string>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// On which part of the graph each rank works that owns vertices, such as "part 3: 1 234 vertices, 310 halo
/// rows". Recordings hold no owners: a rank owns a part of its own. Neighbours share one where the method's
/// parameters say so: groups of slices (mop, mop-partition) and the rows of a grid (cagnet). `parameters` as
/// they are recorded.
std::map<std::int64_t, QString> partsOfRanks(const std::vector<WorkerRow>& workers,
                                             const std::map<std::string, std::string>& parameters);

}  // namespace halo
