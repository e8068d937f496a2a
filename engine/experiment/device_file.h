#pragma once

// Files of resources/ and of users that hold figures: devices, memories, energies, graphs.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/declaration.h"

namespace halo {

/// The figures of one device, as its file gives them.
struct DeviceFile {
  std::string accelerator;  // which model they are for
  Values figures;           // every parameter of that model
  /// Of each figure: "published: …", "measured: …", "derived: …" or "assumed: …".
  std::map<std::string, std::string> sources;
};

/// Reads a device file: `accelerator`, [figures] with every parameter that the accelerator declares, and
/// [sources] with where each of them comes from. Throws InputError with every problem: an unknown or missing
/// key, a value out of range, a figure without source; file, line and key named.
DeviceFile readDevice(const std::filesystem::path& file, const std::vector<Declaration>& accelerators);

/// One table of a file of figures.
struct FigureTable {
  Values figures;
  std::string source;
};

/// Reads a file whose every table has the keys of `known`, all of them, and `source`, a text. Throws
/// InputError with every problem.
std::map<std::string, FigureTable> readFigures(const std::filesystem::path& file,
                                               std::span<const Parameter> known);

}  // namespace halo
