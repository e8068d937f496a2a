#pragma once

// Files of resources/ and of users that hold figures: devices, memories, energies, graphs.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/problem.h"

namespace halo {

// Types of parameters without a default: the file gives every one, so that a number stands in one place.
constexpr Real realFigure(double low, double high) { return {low, low, high}; }
constexpr Integer wholeFigure(std::int64_t low, std::int64_t high) { return {low, low, high}; }
constexpr Choice wordFigure(std::span<const std::string_view> options) { return {options.front(), options}; }

/// The figures of one device or platform, as its file gives them.
struct FigureFile {
  std::string model;  // which of the declarations they are for
  Values figures;     // every parameter of that model
  /// Of each figure: "published: …", "measured: …", "derived: …" or "assumed: …".
  std::map<std::string, std::string> sources;
  std::map<std::string, Problem> places;  // of each figure in the file
};

/// Reads a file of figures. `header` is the key that names the model: "accelerator". Table [figures] has
/// every parameter that the model declares, and [sources] says where each of them comes from. Throws
/// InputError with every problem: an unknown or missing key, a value out of range, a figure without source;
/// file, line and key named.
FigureFile readFigureFile(const std::filesystem::path& file, const std::string& header,
                          const std::vector<Declaration>& models);

/// One table of a file of figures.
struct WrittenFigure {
  Values figures;
  std::string source;
};

/// Reads a file whose every table has the keys of `parameters`, all of them, and `source`, a text. Throws
/// InputError with every problem.
std::map<std::string, WrittenFigure> readFigures(const std::filesystem::path& file,
                                                 std::span<const Parameter> parameters);

}  // namespace halo
