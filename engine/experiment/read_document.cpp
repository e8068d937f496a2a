#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "engine/experiment/document.h"
#include "engine/experiment/key_places.h"
#include "engine/experiment/tag.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

using Scope = Assignment::Scope;
constexpr std::int64_t kSchema = 1;

/// Fills a Document from the TOML tables of one file.
class Reader {
 public:
  Reader(Document& document, const std::string& text, const Known& known)
      : d_(document), text_(text), known_(known) {}

  void read(const toml::table& top) {
    schema(top);
    for (const auto& [key, node] : top) topKey(key, node);
    for (auto* list : {&d_.base}) sortByPlace(*list);
    std::ranges::stable_sort(d_.sweeps, {},
                             [](const auto& options) { return placeOf(options.front().keyAt); });
    if (!top.contains("run") && !top.contains("simulate"))
      d_.problems.push_back(
          {.file = d_.file,
           .key = "run",
           .message = "missing; at least one [[run]] with a method, for example method = \"vanilla\", or one "
                      "[[simulate]]"});
  }

  void override(const Override& set) {
    const std::string shownKey = "--set " + set.key;
    const toml::table& kept = d_.tables.emplace_back(valueTable(set.value));
    Assignment assignment{
        canonical(set.key), kept.get("value"), {.key = shownKey}, {.key = shownKey}, Scope::set, {}, false};
    if (!isUtf8(set.key) || !isUtf8(set.value))
      d_.problems.push_back(
          {.key = "--set",
           .message = "'" + set.key + "=" + set.value + "' holds bytes that are no UTF-8 text"});
    else if (set.key.find('.') != std::string::npos && isSection(assignment.section()))
      d_.set.push_back(std::move(assignment));
    else
      d_.problems.push_back(
          {.key = shownKey,
           .message = unknownKey(assignment, known_, {},
                                 "write section.key=value, for example training.epochs=10")});
  }

 private:
  static std::tuple<std::int64_t, std::int64_t> placeOf(const Problem& at) { return {at.line, at.column}; }
  static void sortByPlace(std::vector<Assignment>& list) {
    std::ranges::stable_sort(list, {}, [](const Assignment& a) { return placeOf(a.keyAt); });
  }
  bool isSection(const std::string& name) const {
    return name == "run" || name == "simulate" || isSimulationTable(name) || sectionNamed(name) != nullptr;
  }

  /// Whether a kind of simulation has keys `name.KEY`.
  bool isSimulationTable(const std::string& name) const {
    const auto has = [&](const SimulationKind& kind) {
      return std::ranges::any_of(kind.figures, [&](const FigureKey& f) { return f.section == name; }) ||
             std::ranges::any_of(kind.declaration.parameters,
                                 [&](const Parameter& p) { return p.key.starts_with(name + "."); });
    };
    return std::ranges::any_of(known_.simulations, has);
  }

  /// device.name is simulate.device: TOML knows `device` as a text or as a table, not as both.
  std::string canonical(const std::string& key) const {
    for (const SimulationKind& kind : known_.simulations)
      for (const FigureKey& figures : kind.figures)
        if (key == figures.section + ".name")
          return figures.key.find('.') == std::string::npos ? "simulate." + figures.key : figures.key;
    return key;
  }

  void wrong(const toml::source_region& where, const std::string& key, const std::string& message) {
    d_.problems.push_back(placed(d_.file, where, key, message));
  }

  void schema(const toml::table& top) {
    const toml::node* node = top.get("schema");
    if (node == nullptr) {
      d_.problems.push_back({.file = d_.file,
                             .key = "schema",
                             .message = "missing; an experiment file begins with schema = 1"});
    } else if (const auto* version = node->as_integer(); version == nullptr || version->get() < 1) {
      wrong(node->source(), "schema", shown(*node) + " cannot be used; 1");
    } else if (version->get() > kSchema) {
      wrong(node->source(), "schema",
            fmt::format("{} is newer than this program, which reads {}; use a newer Haloscope",
                        version->get(), kSchema));
    }
  }

  void topKey(const toml::key& key, const toml::node& node) {
    const std::string name(key.str());
    if (name == "schema") return;
    if (name == "name") return this->name(node);
    if (name == "notes") return notes(node);
    if (name == "tags") return tags(node);
    if (name == "fair") return fair(node);
    if (name == "run") return tables("run", key, node, d_.runs);
    if (name == "sweep") return sweep(node);
    if (name == "simulate") return tables("simulate", key, node, d_.simulations);
    if (name == "published") return void(d_.published = publishedOf(node, text_, d_.file, d_.problems));
    if (sectionNamed(name) != nullptr) return table(name, name, node, Scope::file, d_.base);
    auto names = namesOf(sections(), &Declaration::name);
    names.emplace_back("schema");
    for (const Parameter& general : generalKeys()) names.emplace_back(general.key);
    names.insert(names.end(), {"fair", "run", "sweep", "simulate", "published"});
    wrong(key.source(), name, unknownTopKey(name, known_, names));
  }

  void name(const toml::node& node) {
    const auto* value = node.as_string();
    if (value == nullptr)
      return wrong(node.source(), "name", shown(node) + " cannot be used; a text in quotes");
    const std::string& text = value->get();
    if (text.find_first_not_of(" \t\n") == std::string::npos)
      return wrong(node.source(), "name", "is empty; a name, or leave the key out: the file's name is taken");
    if (holdsZero(text))
      return wrong(node.source(), "name", shown(node) + " cannot be used; a text without " + kZeroCharacter);
    if (holdsControl(text))
      return wrong(node.source(), "name",
                   shown(node) + " cannot be used; a text of one line, without tabs and control characters");
    if (text.size() > kLongestName)
      return wrong(node.source(), "name",
                   fmt::format("{} cannot be used; a name of at most {} bytes; notes may be longer",
                               shown(node), kLongestName));
    d_.name = text;
  }

  /// Of several lines, if need be.
  void notes(const toml::node& node) {
    const auto* value = node.as_string();
    if (value == nullptr)
      return wrong(node.source(), "notes", shown(node) + " cannot be used; a text in quotes");
    if (holdsZero(value->get()))
      return wrong(node.source(), "notes", shown(node) + " cannot be used; a text without " + kZeroCharacter);
    d_.notes = value->get();
  }

  void fair(const toml::node& node) {
    const auto* flag = node.as_boolean();
    if (flag == nullptr) return wrong(node.source(), "fair", shown(node) + " cannot be used; true or false");
    if (flag->get()) d_.fair = placed(d_.file, node.source(), "fair", "");
  }

  void tags(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (list == nullptr)
      return wrong(node.source(), "tags",
                   shown(node) + R"( cannot be used; a list like ["first", "second"])");
    for (const toml::node& tag : *list) {
      const auto* value = tag.as_string();
      const std::string right = wrongTag(value == nullptr ? "" : value->get());
      if (!right.empty())
        wrong(tag.source(), "tags", fmt::format("{} cannot be used; {}", shown(tag), right));
      else
        d_.tags.push_back(value->get());
    }
  }

  /// Adds the keys of one section's table.
  void table(const std::string& section, const std::string& shownAs, const toml::node& node, Scope scope,
             std::vector<Assignment>& to) {
    const toml::table* keys = node.as_table();
    if (keys == nullptr)
      return wrong(node.source(), shownAs, shown(node) + " cannot be used; a table of keys");
    for (const auto& [key, value] : *keys) to.push_back(assignment(section, shownAs, key, value, scope));
  }

  Assignment assignment(const std::string& section, const std::string& shownAs, const toml::key& key,
                        const toml::node& node, Scope scope) const {
    const std::string name(key.str()), shownKey = shownAs + "." + name;
    return {canonical(section + "." + name),
            &node,
            placed(d_.file, node.source(), shownKey),
            placed(d_.file, key.source(), shownKey),
            scope,
            {},
            false};
  }

  /// Of [[run]] or [[simulate]].
  void tables(const std::string& kind, const toml::key& key, const toml::node& node,
              std::vector<RunTable>& to) {
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) {
      wrong(key.source(), kind, "cannot be used so; write [[" + kind + "]] with two brackets");
      if (const toml::table* keys = node.as_table()) to.push_back(oneOf(kind, *keys));  // more may be wrong
      return;
    }
    for (const toml::node& item : *list) {
      const toml::table* keys = item.as_table();
      if (keys == nullptr)
        wrong(item.source(), kind, shown(item) + " cannot be used; a table of keys under [[" + kind + "]]");
      else
        to.push_back(oneOf(kind, *keys));
    }
  }

  RunTable oneOf(const std::string& kind, const toml::table& keys) {
    RunTable runTable{placed(d_.file, keys.source(), kind), {}, {}};
    for (const auto& [name, value] : keys) {
      const std::string section(name.str());
      const bool inner = kind == "simulate" && value.is_table() && isSimulationTable(section);
      // of the keys that select a kind, [cluster] is a section too: with a table for a value it is that
      const bool selects = kind == "simulate" && !value.is_table();
      if (section == kind && value.is_table()) {
        doubled(kind, *value.as_table());
        continue;
      }
      const bool bare = inner && value.as_table()->empty();  // `pipeline = {}`: all by default
      if (!bare && (inner || (sectionNamed(section) != nullptr && !selects)))
        table(section, kind + "." + section, value, Scope::run, runTable.assignments);
      else
        runTable.assignments.push_back(assignment(kind, kind, name, value, Scope::run));
    }
    sortByPlace(runTable.assignments);
    if (kind == "simulate") takeLists(runTable);
    return runTable;
  }

  /// `run.KEY` inside [[run]]: its keys stand there by themselves, and those of other tables elsewhere.
  void doubled(const std::string& kind, const toml::table& keys) {
    for (const auto& [leaf, value] : keys) {
      const Assignment a = assignment(kind, kind + "." + kind, leaf, value, Scope::run);
      const bool own = kind == "simulate" || a.leaf() == "method" ||
                       std::ranges::any_of(known_.methods, [&](const Declaration& method) {
                         return parameterNamed(method.parameters, a.leaf()) != nullptr;
                       });
      const std::string place = own ? fmt::format("inside [[{0}]] write `{1}` without `{0}.`", kind, a.leaf())
                                    : unknownKey(a, known_, {}, "see `haloscope methods`");
      wrong(leaf.source(), a.at.key, place);
    }
  }

  /// A key with a list is swept over it.
  void takeLists(RunTable& table) {
    for (const Assignment& a : table.assignments)
      if (const toml::array* list = a.node->as_array())
        if (auto options = alternatives(*list, a.key, a.at.key, a.keyAt, Scope::run); !options.empty())
          table.sweeps.push_back(std::move(options));
    std::erase_if(table.assignments, [](const Assignment& a) { return a.node->is_array(); });
  }

  void sweep(const toml::node& node) {
    const toml::table* keys = node.as_table();
    if (keys == nullptr)
      return wrong(node.source(), "sweep", shown(node) + " cannot be used; a table of lists");
    for (const auto& [key, value] : *keys) {
      const std::string name(key.str());
      if (const toml::table* nested = value.as_table(); nested != nullptr && isSection(name)) {
        for (const auto& [leaf, options] : *nested)
          sweptKey(name + "." + std::string(leaf.str()), leaf, options);
      } else {
        sweptKey(name, key, value);
      }
    }
  }

  void sweptKey(const std::string& name, const toml::key& key, const toml::node& node) {
    const std::string shownKey = "sweep." + name;
    if (name.find('.') == std::string::npos || !isSection(name.substr(0, name.find('.')))) {
      const std::vector<std::string> candidates = likelyKeys(name, d_, known_);
      return wrong(
          key.source(), shownKey,
          candidates.empty()
              ? R"(unknown key; write "section.key" = [...], for a method's parameter "run.key" = [...])"
              : fmt::format("unknown key; did you mean '{}'?", fmt::join(candidates, "' or '")));
    }
    const toml::array* list = node.as_array();
    if (list == nullptr)
      return wrong(node.source(), shownKey,
                   shown(node) + " cannot be swept over; a list of at least one value, like [1, 2]");
    auto options = alternatives(*list, name, shownKey, placed(d_.file, key.source(), shownKey), Scope::sweep);
    if (!options.empty()) d_.sweeps.push_back(std::move(options));
  }

  std::vector<Assignment> alternatives(const toml::array& list, const std::string& key,
                                       const std::string& shownKey, const Problem& keyAt, Scope scope) {
    if (list.empty())
      wrong(list.source(), shownKey,
            "an empty list cannot be swept over; a list of at least one value, like [1, 2]");
    std::vector<Assignment> options;
    for (const toml::node& item : list)
      options.push_back(
          {canonical(key), &item, placed(d_.file, item.source(), shownKey), keyAt, scope, {}, false});
    return options;
  }

  Document& d_;
  const std::string& text_;
  const Known& known_;
};

}  // namespace

const Declaration* sectionNamed(const std::string& name) {
  const auto named = std::ranges::find(sections(), name, &Declaration::name);
  return named == sections().end() ? nullptr : &*named;
}

bool isSimulateSection(const std::string& section) {
  return section != "run" && sectionNamed(section) == nullptr;
}

Document readDocument(const std::string& text, const std::filesystem::path& file, const Known& known,
                      const std::vector<Override>& set) {
  Document document;
  document.file = file.string();
  document.folder = file.parent_path();
  document.name = asName(file.stem().string());
  try {
    document.tables.push_back(parseToml(text, document.file));
  } catch (const InputError& error) {
    Problem problem = error.problems().front();
    if (problem.message.find("as dotted key-value pair") != std::string::npos)
      problem.message += "; beside device.KEY = … the device itself is device.name = \"…\"";
    throw InputError(std::move(problem));
  }
  Reader reader(document, text, known);
  reader.read(document.tables.front());
  for (const Override& setting : set) reader.override(setting);
  return document;
}

}  // namespace halo
