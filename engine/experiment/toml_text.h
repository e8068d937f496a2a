#pragma once

// The one door to toml++: every TOML text, of whatever origin, is read here. toml++ walks the levels of a
// text by recursion. Dotted keys and headers have as many levels as they have dots, so a text of some
// kilobytes can end the program. Levels and bytes are therefore counted before toml++ is called.

#include <toml++/toml.h>

#include <cstddef>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>

#include "engine/base/problem.h"

namespace halo {

/// Levels of keys, tables and lists, one in another.
inline constexpr std::size_t kDeepestToml = 64;
inline constexpr std::size_t kLargestToml = std::size_t{4} << 20;  // bytes

/// What makes the text too large or too deep to be looked at, and where; nullopt: it can be parsed. `name`
/// stands for the file.
std::optional<Problem> beyondToml(const std::string& text, const std::string& name);

/// Throws InputError with the place where the text is no TOML, or beyond what is looked at.
toml::table parseToml(const std::string& text, const std::string& name);

/// The bytes of a stream; `name` stands for it. Throws InputError where they are more than kLargestToml.
std::string readTomlStream(std::istream& in, const std::string& name);

/// The bytes of a file, which may be a pipe. `needed` says what should be there ("an experiment file").
/// Throws InputError where it is a folder, cannot be read or is larger than kLargestToml.
std::string readTomlFile(const std::filesystem::path& file, const std::string& needed);

}  // namespace halo
