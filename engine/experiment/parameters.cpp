#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/document.h"
#include "engine/experiment/read_value.h"
#include "engine/experiment/toml_text.h"

namespace halo {

toml::table valueTable(const std::string& word) {
  toml::table table;
  try {
    table = parseToml("value = " + word, "");
  } catch (const InputError&) {
    table.clear();
  }
  return table.size() == 1 ? table : toml::table{{"value", word}};
}

namespace {

/// What to say of a key that the declaration does not have.
std::string unknown(const Declaration& declaration, const std::string& key,
                    const std::vector<Declaration>& others) {
  std::vector<std::string> owners;
  for (const Declaration& other : others)
    if (parameterNamed(other.parameters, key) != nullptr) owners.emplace_back(other.name);
  if (!owners.empty()) return fmt::format("'{}' has no such key; {} has", declaration.name, listed(owners));
  const auto names = namesOf(declaration.parameters, &Parameter::key);
  return names.empty() ? fmt::format("unknown key; '{}' has none", declaration.name)
                       : "unknown key; " + suggestion(key, names, "known are " + listed(names));
}

}  // namespace

Values parametersOf(const Declaration& declaration, const std::vector<Override>& set,
                    const std::vector<Declaration>& others) {
  Values values = fallbacks(declaration.parameters);
  std::vector<Problem> problems;
  for (const Override& setting : set) {
    std::string wrong;
    if (std::ranges::count(set, setting.key, &Override::key) > 1)
      wrong = "set more than once";
    else if (const Parameter* parameter = parameterNamed(declaration.parameters, setting.key)) {
      if (auto value = readValue(*parameter, *valueTable(setting.value).get("value"), wrong))
        values.insert_or_assign(setting.key, std::move(*value));
    } else {
      wrong = unknown(declaration, setting.key, others);
    }
    if (!wrong.empty()) problems.push_back({.key = "--set " + setting.key, .message = wrong});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return values;
}

}  // namespace halo
