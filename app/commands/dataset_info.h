#pragma once

#include "app/commands/command.h"
#include "datasets/graph/dataset.h"

namespace halo {

/// Everything that `haloscope dataset info` tells of a set; units in the keys.
Json infoOf(const Dataset& dataset);
/// The same as a table of titles and values; lists of numbers are left to --json.
std::string infoText(const Json& info);

}  // namespace halo
