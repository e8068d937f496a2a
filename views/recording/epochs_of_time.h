#pragma once

#include <span>

#include "engine/record/comparison/scope.h"
#include "views/recording/time_window.h"

namespace halo {

/// The epochs of a run that lie in `time` from begin to end; where none does, those that have a part in it.
/// All of the run where `time` is empty or no epoch is in it. Cost: one pass.
Scope epochsOfTime(std::span<const EpochRow> epochs, TimeRange time);

}  // namespace halo
