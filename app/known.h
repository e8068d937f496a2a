#pragma once

#include <filesystem>

#include "engine/experiment/experiment.h"

namespace halo {

/// Where the program's own files lie (links.toml, experiments, manual): HALO_RESOURCES, else beside the
/// installed program, else in the source tree it was built from.
std::filesystem::path resourceFolder();

/// What experiment files may name: the registries of this program and the presets of resources/links.toml.
Known knownHere();

/// The program `name` that lies beside this one.
std::filesystem::path siblingProgram(const std::string& name);

}  // namespace halo
