#pragma once

#include <filesystem>
#include <string>

#include "datasets/contract/format.h"

namespace halo {

/// Classes from 0; sets that count them from 1 are moved. Remarks one class alone, and classes that are only
/// counted. Throws DamagedInput, which names the file and its array, for labels of which none is a class.
/// Throws it also for labels that stand for two classes but are read as one.
void settleClassNumbers(RawDataset& raw, const std::filesystem::path& file, const std::string& array);

}  // namespace halo
