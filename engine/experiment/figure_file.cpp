#include "engine/experiment/figure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/experiment/read_value.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 4> kOrigins = {"published: ", "measured: ", "derived: ", "assumed: "};

toml::table parsed(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (const std::string other = insteadOfFile(name); !other.empty())
    throw InputError({.file = name, .message = other + "; a file of figures"});
  return parseToml(readTomlFile(file, "a file of figures"), name);
}

/// Reads tables by their declarations; collects what is wrong.
class FigureReader {
 public:
  explicit FigureReader(std::string file) : file_(std::move(file)) {}

  void wrong(const toml::source_region& at, const std::string& key, const std::string& message) {
    problems_.push_back(placed(file_, at, key, message));
  }

  /// Each of `parameters` from `table`, and nothing else but `besides`.
  Values figures(const toml::table& table, const std::string& path, std::span<const Parameter> parameters,
                 const std::string& besides = "") {
    const Values values =
        readTable(parameters, table, path, besides, [this](const auto&... problem) { wrong(problem...); });
    for (const Parameter& parameter : parameters)
      if (!table.contains(parameter.key))
        wrong(table.source(), path + std::string(parameter.key), fmt::format("missing; {}", parameter.help));
    return values;
  }

  std::string text(const toml::table& table, const std::string& path, const std::string& key,
                   const std::string& meaning) {
    const toml::node* node = table.get(key);
    const auto* value = node == nullptr ? nullptr : node->as_string();
    if (value != nullptr && !value->get().empty()) return value->get();
    wrong(node == nullptr ? table.source() : node->source(), path + key, "missing; " + meaning);
    return "";
  }

  void finish() {
    std::ranges::stable_sort(problems_, {}, [](const Problem& p) { return std::pair(p.line, p.column); });
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  std::string file_;
  std::vector<Problem> problems_;
};

std::map<std::string, std::string> sourcesOf(const toml::table& table, std::span<const Parameter> parameters,
                                             FigureReader& reader) {
  std::map<std::string, std::string> sources;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto* value = node.as_string();
    const auto says = [&](std::string_view origin) {
      const std::string_view text = value->get();
      return text.starts_with(origin) && text.find_first_not_of(' ', origin.size()) != text.npos;
    };
    if (std::ranges::find(parameters, name, &Parameter::key) == parameters.end()) {
      const auto names = namesOf(parameters, &Parameter::key);
      reader.wrong(key.source(), "sources." + name,
                   "unknown key; " + suggestion(name, names, "known are " + listed(names)));
    } else if (value == nullptr || std::ranges::none_of(kOrigins, says)) {
      reader.wrong(node.source(), "sources." + name,
                   shown(node) + R"( cannot be used; a text that begins with "published: ", "measured: ", )"
                                 R"("derived: " or "assumed: " and says where from)");
    } else {
      sources[name] = value->get();
    }
  }
  for (const Parameter& parameter : parameters)
    if (const std::string key(parameter.key); !table.contains(key))
      reader.wrong(table.source(), "sources." + key, "missing; every figure says where it comes from");
  return sources;
}

}  // namespace

FigureFile readFigureFile(const std::filesystem::path& file, const std::string& header,
                          const std::vector<Declaration>& models) {
  const toml::table top = parsed(file);
  FigureReader reader(file.string());
  FigureFile figureFile;
  const auto names = namesOf(models, &Declaration::name);
  figureFile.model = reader.text(top, "", header, "one of " + listed(names));
  const auto declared = std::ranges::find(models, figureFile.model, &Declaration::name);
  if (!figureFile.model.empty() && declared == models.end())
    reader.wrong(top.get(header)->source(), header,
                 fmt::format("'{}' is no {}; {}", figureFile.model, header,
                             suggestion(figureFile.model, names, "one of " + listed(names))));
  const std::vector<std::string> keys = {header, "figures", "sources"};
  for (const auto& [key, node] : top) {
    const std::string name(key.str());
    if (std::ranges::find(keys, name) != keys.end()) continue;
    const bool figure =
        declared != models.end() && std::ranges::count(declared->parameters, name, &Parameter::key) > 0;
    reader.wrong(
        key.source(), name,
        figure ? fmt::format("`{}` is a key of [figures], and where it comes from one of [sources]", name)
               : "unknown key; " + suggestion(name, keys, "known are " + listed(keys)));
  }
  for (const char* needed : {"figures", "sources"})
    if (top.get_as<toml::table>(needed) == nullptr)
      reader.wrong(top.source(), needed, "missing; a table of the " + header + "'s parameters");
  reader.finish();
  figureFile.figures = reader.figures(*top.get_as<toml::table>("figures"), "figures.", declared->parameters);
  for (const auto& [key, node] : *top.get_as<toml::table>("figures"))
    figureFile.places[std::string(key.str())] =
        placed(file.string(), node.source(), "figures." + std::string(key.str()));
  figureFile.sources = sourcesOf(*top.get_as<toml::table>("sources"), declared->parameters, reader);
  reader.finish();
  return figureFile;
}

std::map<std::string, WrittenFigure> readFigures(const std::filesystem::path& file,
                                                 std::span<const Parameter> parameters) {
  const toml::table top = parsed(file);
  if (top.empty())
    throw InputError(
        {.file = file.string(),
         .message = "holds nothing; a table of figures each, as the file of this name that ships has them"});
  FigureReader reader(file.string());
  std::map<std::string, WrittenFigure> tables;
  for (const auto& [key, node] : top) {
    const std::string name(key.str());
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      reader.wrong(node.source(), name, shown(node) + " is not a table of figures");
      continue;
    }
    WrittenFigure& figureTable = tables[name];
    figureTable.figures = reader.figures(*table, name + ".", parameters, "source");
    figureTable.source = reader.text(*table, name + ".", "source", "where the figures come from");
  }
  reader.finish();
  return tables;
}

}  // namespace halo
