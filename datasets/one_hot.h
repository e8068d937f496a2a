#pragma once

#include "datasets/formats/format.h"

namespace halo {

/// Columns of 0 and 1 of which no vertex has more than one are one label a vertex, written one-hot: they
/// become that, with a remark. A vertex without any is unlabelled. Sets with two labels at any vertex stay as
/// they are.
void settleOneHot(RawDataset& raw);

}  // namespace halo
