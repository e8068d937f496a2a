#pragma once

#include <QString>
#include <map>
#include <string>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// On which part of the graph each rank works that owns vertices, such as "part 3: 1 234 vertices, 310 halo
/// rows". Recordings hold no owners: a rank has a part of its own, unless `parameters`, as they are recorded,
/// say how many neighbours share one (kRanksPerPart). Recordings of before do not say it.
std::map<std::int64_t, QString> partsOfRanks(const std::vector<WorkerRow>& workers,
                                             const std::map<std::string, std::string>& parameters);

}  // namespace halo
