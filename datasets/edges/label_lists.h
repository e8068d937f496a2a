#pragma once

#include <filesystem>

#include "datasets/contract/format.h"

namespace halo {

/// Labels from lines `vertex label …`, with the vertex numbers of the graph's file: several a vertex make the
/// set multi-label. Below names of columns the one that is named as the label is read alone. As many numbers
/// 0 or 1 behind every vertex are a flag a label, unless each line may list the labels 0 and 1.
void readLabelLists(const std::filesystem::path& file, RawDataset& raw);

}  // namespace halo
