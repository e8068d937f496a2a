#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace halo {

/// A sentence for each thing that the methods of these runs do unlike each other though nobody said so. Such
/// a thing is the order of a layer, which decides how wide the rows are that travel. Another is whether layer
/// 0's aggregate is kept. Empty where they are alike. Each says whether `fair = true` would make them alike,
/// or refuse their file. `besides` are the other runs of that file, looked at apart.
std::vector<std::string> unlikeByAuto(std::span<const RunSettings> runs,
                                      std::span<const RunSettings> besides = {});

/// Makes them alike (`fair = true`): where methods take different orders for `auto`, all aggregate first;
/// where one always keeps layer 0's aggregate, all do. What the runs were given to differ in stays. Returns
/// what a method does not allow, under the key `fair`.
std::vector<Problem> makeAlike(std::span<RunSettings> runs);

}  // namespace halo
