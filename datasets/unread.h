#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "datasets/locate.h"

namespace halo {

/// Remarks the files that seem to belong to a located set and are not read. In a folder that was asked for
/// these are all its data files, and those of raw, split and splits below it. Beside a file that was asked
/// for they are those named after it that say what of a graph they hold (`net-features.csv` beside net.txt).
/// Files `named` by other keys are read. "" where there is none. Looks at names alone.
std::string remarkUnread(const std::filesystem::path& path, const Located& located,
                         std::span<const std::filesystem::path> named);

}  // namespace halo
