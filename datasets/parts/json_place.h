#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// A step into a JSON value: the key of an object, or the place in a list, from 0.
using JsonStep = std::variant<std::string, std::size_t>;

/// Where the value stands to which the steps lead, in a text that is JSON as far as that. Where the value is
/// absent, the last one on the way that is there.
std::size_t jsonPlace(std::string_view text, const std::vector<JsonStep>& steps);
/// Where in the object to which the steps lead a key stands for the second time.
std::size_t secondKey(std::string_view text, const std::vector<JsonStep>& steps, const std::string& key);

/// The line and the column of a place in a text, from 1.
std::pair<Index, Index> lineAndColumn(std::string_view text, std::size_t at);

/// Refuses a value of a file of valid JSON. Throws DamagedInput with the line and the column of the value to
/// which the steps lead. Where that is absent, they are those of the last value on the way that is there.
/// `key` as in Problem.
[[noreturn]] void damagedJson(const std::filesystem::path& file, const std::vector<JsonStep>& steps,
                              const std::string& key, const std::string& message);

}  // namespace halo
