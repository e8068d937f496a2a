// Pieces of the experiment file: its sections, and the tables that are none.
#include <fmt/format.h>

#include "app/reference/key_line.h"
#include "app/reference/piece.h"
#include "engine/experiment/keys.h"

namespace halo {
namespace {

const std::string kHeading = "| key | default | allowed | meaning |\n| --- | --- | --- | --- |\n";

std::string published() {
  std::string text = kHeading;
  for (const TableKey& key : publishedKeys())
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.name,
                        key.byDefault.empty() ? "" : code(key.byDefault), key.allowed, key.help);
  return text;
}

std::string links() {
  MarkdownTable table({"key", "allowed", "meaning"});
  for (const LinkKey& key : linkKeys())
    table.add({code(key.name()), allowedInManual(key.parameter), std::string(key.parameter.help)});
  return table.text();
}

}  // namespace

void addSections(Pieces& pieces) {
  MarkdownTable all({"section", "says"});
  const auto add = [&](const Section& section, const std::string& page, const std::string& title) {
    std::string lines = kHeading;
    for (const Key& key : section.keys) lines += manualLine(key) + "\n";
    pieces[fmt::format("keys {}", section.declaration.name)] = {"reference/experiment/" + page, title, lines};
  };
  for (const Section& section : keyedSections()) {
    const std::string name(section.declaration.name), help(section.declaration.help);
    add(section, name + ".md", fmt::format("[{}]: {}", name, help));
    all.add({fmt::format("[`[{}]`]({}.md)", name, name), help});
  }
  add(runSection(), "run.md", "[[run]]");
  std::string general = kHeading;
  for (const Parameter& parameter : generalKeys())
    general += parameter.key == "tags"  // the one list among these texts
                   ? fmt::format("| `tags` | `[]` | list of texts | {} |\n", parameter.help)
                   : manualLine(parameter, toText(fallback(parameter))) + "\n";
  const std::filesystem::path folder = "reference/experiment";
  pieces["keys file"] = {folder / "index.md", "The experiment file", general};
  pieces["sections"] = {folder / "index.md", "The experiment file", all.text()};
  pieces["keys published"] = {folder / "published.md", "[[published]]", published()};
  pieces["keys link"] = {folder / "cluster.md", "[cluster]", links()};
}

}  // namespace halo
