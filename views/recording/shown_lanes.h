#pragma once

#include "engine/record/trace/span.h"

namespace halo {

/// Whether the timeline has a row for a lane. Lane message says of single messages what the others were made
/// with.
constexpr bool isShown(Lane lane) { return lane != Lane::message; }

}  // namespace halo
