#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// Throws DamagedInput for a pipe, a device or a socket: a folder that came from elsewhere may hold a pipe
/// into which nobody writes.
void refusePipe(const std::filesystem::path& file);
/// `path`, or packed beside it: with ".gz", ".xz", ".bz2" or ".zst". Empty: none of them is there. Where no
/// file is, but a pipe or the like, that is refused.
std::filesystem::path plainOrPacked(const std::filesystem::path& path);
/// Remarks, where it is there more than once, which of them that is.
void remarkOthers(const std::filesystem::path& path, std::vector<std::string>& remarks);
void remarkOthers(const std::vector<std::filesystem::path>& files, std::vector<std::string>& remarks);
/// Its name without the ending of a packing.
std::string withoutPacking(const std::filesystem::path& file);

}  // namespace halo
