#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// What was made of these files is theirs as long as this stays. It is a digest of the program's version, of
/// the readers' code, and of each file's name, size, times of change, inode and device. It changes as soon as
/// any of them does, also when a file is rewritten in place with its old size and time of modification.
std::string stampOf(const std::vector<std::filesystem::path>& files);
/// The same with the digest of other code.
std::string stampOf(const std::vector<std::filesystem::path>& files, std::string_view readers);

}  // namespace halo
