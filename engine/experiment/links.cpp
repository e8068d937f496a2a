#include <fmt/format.h>

#include "engine/experiment/read_value.h"
#include "engine/experiment/toml_text.h"

namespace halo {

std::map<std::string, LinkSettings> readLinks(const std::filesystem::path& file) {
  std::map<std::string, LinkSettings> links;
  const std::string name = file.string();
  std::vector<Problem> problems;
  const toml::table document = parseToml(readTomlFile(file, "a file of interconnects"), name);
  for (const auto& [key, node] : document) {
    const std::string preset(key.str());
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      problems.push_back(
          placed(name, node.source(), preset, shown(node) + " is not a table of an interconnect"));
      continue;
    }
    toml::table figures = *table;
    figures.erase("source");  // where the figures come from: for readers of the file
    std::string wrong;
    auto link = readLink(figures, wrong);
    if (!link) {
      problems.push_back(placed(name, node.source(), preset, wrong));
      continue;
    }
    link->name = preset;
    links.emplace(preset, *link);
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return links;
}

}  // namespace halo
