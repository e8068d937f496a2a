#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halo::fuzz {

/// Several files in one input: before each a line "@@@ NAME". A name "x.npz/y.npy" is a member of an archive,
/// so that what is changed lies below its checksum.
using Bundle = std::vector<std::pair<std::string, std::string>>;

std::string bundled(const Bundle& files);
/// Names that would lead out of the folder are left out.
Bundle unbundled(std::string_view bytes);
/// Writes the files below `folder`; what the system refuses is left out.
void save(const Bundle& files, const std::filesystem::path& folder);

}  // namespace halo::fuzz
