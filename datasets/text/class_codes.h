#pragma once

#include <string>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// What a person is told whose smallest class is 1.
inline constexpr const char* kClassesFromOne = "classes are numbered from 1 in the file, from 0 here";

/// Where numbers are rather codes: remarks that few of the `classes`, which are counted up to the `largest`
/// number of a file, have a vertex.
void remarkCodes(Index inUse, Index classes, Index largest, std::vector<std::string>& remarks);

}  // namespace halo
