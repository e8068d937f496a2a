#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// `path`, or packed beside it: with ".gz", ".xz", ".bz2" or ".zst". Empty: none of them is there.
std::filesystem::path plainOrPacked(const std::filesystem::path& path);
/// Remarks, where it is there more than once, which of them that is.
void remarkOthers(const std::filesystem::path& path, std::vector<std::string>& remarks);
void remarkOthers(const std::vector<std::filesystem::path>& taken, std::vector<std::string>& remarks);
/// Its name without the ending of a packing.
std::string withoutPacking(const std::filesystem::path& file);

}  // namespace halo
