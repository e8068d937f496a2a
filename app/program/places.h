#pragma once

#include <filesystem>
#include <string>

namespace halo {

/// Where the program's own files lie (links.toml, experiments, manual): HALO_RESOURCES, else beside the
/// installed program, else in the source tree it was built from.
std::filesystem::path resourceFolder();

/// The program `name` that lies beside this one.
std::filesystem::path siblingProgram(const std::string& name);

}  // namespace halo
