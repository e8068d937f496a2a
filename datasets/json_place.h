#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace halo {

/// A step into a JSON value: the key of an object, or the place in a list, from 0.
using JsonStep = std::variant<std::string, std::size_t>;

/// Refuses a value of a file of valid JSON. Throws DamagedInput with the line and the column of the value to
/// which the steps lead, or of the last one on the way that is there; `key` as in Problem.
[[noreturn]] void damagedJson(const std::filesystem::path& file, const std::vector<JsonStep>& steps,
                              const std::string& key, const std::string& message);

}  // namespace halo
