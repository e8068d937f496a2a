#pragma once

#include "views/recording/run_data.h"

namespace halo {

inline constexpr const char* kBetweenParts = " / ";  // of a run's name

/// The names of runs without what all of their experiment have alike, so that a narrow tree shows what tells
/// runs apart. Also left out is what follows from the rest, such as a data set's scale from its name. By run.
std::map<std::int64_t, QString> namesApart(const RunsData& data);

}  // namespace halo
