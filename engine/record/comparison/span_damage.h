#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/record/comparison/comparison.h"

namespace halo {

/// The note that the spans of a run cannot be read. `place`: of the first damaged block, and what it is.
std::string spanDamage(const std::string& recording, std::int64_t run, const std::string& place);

/// Those of a comparison's notes, a sentence a run. Unlike the others they tell that the recording is wrong.
std::vector<std::string> spanDamages(const Comparison& comparison);

}  // namespace halo
