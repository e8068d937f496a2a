#pragma once

#include "datasets/contract/format.h"

namespace halo {

/// Columns of 0 and 1 of which no vertex has more than one are one label a vertex, written one-hot: they
/// become that, with a remark. A vertex without any is unlabelled. Sets stay as they are where a vertex has
/// two labels, or where one that is in the split has none.
void settleOneHot(RawDataset& raw);

}  // namespace halo
