#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// What was made of these files is theirs as long as this stays: a digest of the program's version and of the
/// readers' code, and of name, size, times of change, inode and device of each file. It is another one as
/// soon as any of them changes, also when a file is rewritten in place with its old size and time of
/// modification.
std::string stampOf(const std::vector<std::filesystem::path>& files);
/// The same with the digest of other code.
std::string stampOf(const std::vector<std::filesystem::path>& files, std::string_view readers);

}  // namespace halo
