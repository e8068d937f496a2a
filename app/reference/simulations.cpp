// Pieces of what can be simulated: kinds, and the models that files of figures are for.
#include <fmt/format.h>

#include "app/reference/key_line.h"
#include "app/reference/piece.h"
#include "engine/experiment/figure_file.h"

namespace halo {
namespace {

/// "resources/devices/spu.toml", as pages name what ships.
std::string shown(const std::filesystem::path& file) {
  return code(
      (std::filesystem::path("resources") / file.parent_path().filename() / file.filename()).string());
}

/// Of a file of figures: each with where it comes from.
std::string figureTable(const Declaration& model, const FigureFile& file) {
  MarkdownTable table({"figure", "default", "allowed", "meaning", "source"});
  for (const Parameter& parameter : model.parameters) {
    const std::string key(parameter.key);
    table.add({code(key), code(toText(file.figures.find(key)->second)), allowedInManual(parameter),
               std::string(parameter.help), file.sources.at(key)});
  }
  return table.text();
}

/// Of a model whose files all have other names: a column a file.
std::string tableByFile(const FigureKey& key, const Declaration& model) {
  std::map<std::string, FigureFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(key.folder)) {
    FigureFile file = readFigureFile(entry.path(), key.header, key.models);
    if (file.model == model.name) files.emplace(entry.path().stem().string(), std::move(file));
  }
  std::vector<std::string> heading = {"figure"};
  for (const auto& [name, file] : files) heading.push_back(code(name));
  heading.insert(heading.end(), {"allowed", "meaning"});
  MarkdownTable table(heading);
  for (const Parameter& parameter : model.parameters) {
    std::vector<std::string> cells = {code(parameter.key)};
    for (const auto& [name, file] : files)
      cells.push_back(code(toText(file.figures.find(parameter.key)->second)));
    cells.insert(cells.end(), {allowedInManual(parameter), std::string(parameter.help)});
    table.add(cells);
  }
  return table.text();
}

void addModel(Pieces& pieces, const FigureKey& key, const Declaration& model, MarkdownTable& all) {
  const std::string name(model.name), words = key.header + " " + name;
  const std::filesystem::path page = "reference/simulator/" + name + ".md";
  const auto file = key.folder / (name + ".toml");
  const bool ships = std::filesystem::exists(file);
  pieces[words] = {page, code(name),
                   item("What it is", model.help) + item("Source", model.source) +
                       (ships ? item("File", shown(file)) : "")};
  pieces["figures " + words] = {
      page, code(name),
      ships ? figureTable(model, readFigureFile(file, key.header, key.models)) : tableByFile(key, model)};
  all.add({fmt::format("[`{}`]({}.md)", name, name), std::string(model.help), std::string(model.source)});
}

}  // namespace

void addSimulations(Pieces& pieces, const Known& known) {
  const std::filesystem::path folder = "reference/experiment", models = "reference/simulator/index.md";
  MarkdownTable all({"key", "what is simulated", "source"});
  for (const SimulationKind& kind : known.simulations) {
    const std::string name(kind.declaration.name);
    const std::filesystem::path page = folder / fmt::format("simulate-{}.md", name);
    const std::string title = fmt::format("[[simulate]] `{}`", name);
    std::vector<std::string> sections;
    for (const std::string& section : kind.sections) sections.push_back(fmt::format("`[{}]`", section));
    pieces["simulation " + name] = {
        page, title,
        item("Reads", sections.empty() ? "no section" : fmt::format("{}", fmt::join(sections, ", "))) +
            item("Source", kind.declaration.source)};
    pieces["keys simulation " + name] = {page, title, parameterTable(kind.declaration.parameters)};
    all.add({fmt::format("[`{}`](simulate-{}.md)", name, name), std::string(kind.declaration.help),
             std::string(kind.declaration.source)});
    for (const FigureKey& key : kind.figures) {
      if (pieces.contains(key.header + "s")) continue;  // two keys may name devices
      MarkdownTable listed({key.header, "what it is", "source"});
      for (const Declaration& model : key.models) addModel(pieces, key, model, listed);
      pieces[key.header + "s"] = {models, "Simulations", listed.text()};
    }
  }
  pieces["simulations"] = {folder / "simulate.md", "[[simulate]]", all.text()};
}

}  // namespace halo
