#pragma once

#include <optional>
#include <string_view>

#include "datasets/dataset.h"

namespace halo {

/// The part of a split that a flag, a list or a file is named for, by any of the usual names: "train",
/// "is_val", "validation", "test_mask", "idx_train", "te". Nothing: for none.
std::optional<Split> partNamed(std::string_view name);

}  // namespace halo
