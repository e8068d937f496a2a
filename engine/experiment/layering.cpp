// What overrides what: the words of an experiment file about one run or simulation, in layers.
#include <algorithm>
#include <set>
#include <sstream>

#include "engine/experiment/document.h"

namespace halo {
namespace {

bool has(const std::vector<Assignment>& list, const std::string& key) {
  return std::ranges::any_of(list, [&](const Assignment& a) { return a.key == key; });
}

/// The lists of alternatives that are left to choose from for this table.
template <class Doc, class Table>
auto sweptFor(Doc& document, Table& table, const std::function<bool(const Assignment&)>& concerns) {
  std::vector<decltype(&document.sweeps.front())> swept;
  const auto settled = [&](const std::string& key) {
    const auto same = [&](const auto& options) { return options.front().key == key; };
    return has(table.assignments, key) || has(document.set, key) || std::ranges::any_of(table.sweeps, same);
  };
  for (auto& options : document.sweeps)
    if (!settled(options.front().key) && concerns(options.front())) swept.push_back(&options);
  for (auto& options : table.sweeps)
    if (!has(document.set, options.front().key)) swept.push_back(&options);
  return swept;
}

bool isPath(const Parameter& parameter) {
  return std::holds_alternative<Text>(parameter.type) && (parameter.key == "path" || parameter.key == "file");
}

/// A value to its end, as no message shows it.
std::string wholeText(const Assignment& a) {
  if (a.value) return toText(*a.value);
  if (const auto* text = a.node->as_string()) return "'" + text->get() + "'";
  std::ostringstream all;
  if (const toml::table* table = a.node->as_table()) all << *table;
  return a.node->is_table() ? all.str() : shown(*a.node);
}

}  // namespace

void eachCombination(Document& document, RunTable& table,
                     const std::function<bool(const Assignment&)>& concerns,
                     const std::function<void(const Combination&)>& use) {
  const auto swept = sweptFor(document, table, concerns);
  std::vector<std::size_t> chosen(swept.size(), 0);
  while (true) {
    Combination combination;
    for (Assignment& a : document.base) combination.effective[a.key] = &a;
    for (Assignment& a : table.assignments) combination.effective[a.key] = &a;
    for (std::size_t i = 0; i < swept.size(); ++i) {
      Assignment& a = (*swept[i])[chosen[i]];
      combination.effective[a.key] = &a;
      if (chosen[i] > 0) combination.later.push_back(&a);
    }
    for (Assignment& a : document.set) combination.effective[a.key] = &a;
    use(combination);
    std::size_t i = swept.size();
    while (i > 0 && ++chosen[i - 1] == swept[i - 1]->size()) chosen[--i] = 0;
    if (i == 0) return;
  }
}

double combinations(const Document& document, const RunTable& table,
                    const std::function<bool(const Assignment&)>& concerns) {
  double product = 1;
  for (const auto* options : sweptFor(document, table, concerns))
    product *= static_cast<double>(options->size());
  return product;
}

LayeringCost::LayeringCost(const Document& document)
    : file_(document.file),
      keys_(static_cast<double>(document.base.size() + document.sweeps.size() + document.set.size())) {}

void LayeringCost::add(const RunTable& table, double combinations) {
  cost_ += combinations * (keys_ + static_cast<double>(table.assignments.size() + table.sweeps.size()));
}

bool LayeringCost::tooMuch() const {
  constexpr double kMost = 3e7;  // some 20 s; as many runs as there may be, with more keys than there are
  return cost_ > kMost;
}

Problem LayeringCost::problem(const std::string& subjects) const {
  return {.file = file_,
          .key = "sweep",
          .message = "more keys than all " + subjects + " can go through; fewer keys, or fewer " + subjects};
}

Values ownParameters(const Declaration* declaration, const Effective& effective, const std::string& section,
                     const std::function<bool(const Assignment&)>& others,
                     const std::filesystem::path& folder, std::vector<Problem>& problems) {
  Values values = declaration == nullptr ? Values{} : fallbacks(declaration->parameters);
  for (const auto& [key, a] : effective) {
    if (a->section() != section || others(*a)) continue;
    if (declaration == nullptr) {
      a->used = true;  // the unknown name is the problem, not its parameters
      continue;
    }
    const Parameter* parameter = parameterNamed(declaration->parameters, a->leaf());
    if (parameter == nullptr) continue;
    a->used = true;
    std::string why;
    if (const auto value = readValue(*parameter, *a->node, why)) {
      values[a->leaf()] =
          isPath(*parameter) ? Value(resolvedFrom(folder, std::get<std::string>(*value))) : *value;
    } else {
      problems.push_back(a->at);
      problems.back().message = why;
    }
  }
  return values;
}

std::optional<Value> readLinkValue(const toml::node& node, std::map<std::string, LinkSettings>& links,
                                   std::string& wrong) {
  if (const toml::table* table = node.as_table()) {
    const auto link = readLink(*table, wrong);
    if (!link) return std::nullopt;
    links.emplace(link->name, *link);
    return link->name;
  }
  const auto* name = node.as_string();
  if (name != nullptr && links.contains(name->get())) return name->get();
  const auto presets = namesOf(links, [](const auto& entry) { return entry.first; });
  wrong = shown(node) + " cannot be used; a table { bandwidth_gbit = 10.0, latency_us = 20.0 } or one of " +
          listed(presets);
  return std::nullopt;
}

const Parameter* parameterNamed(std::span<const Parameter> parameters, const std::string& key) {
  const auto named = std::ranges::find(parameters, key, &Parameter::key);
  return named == parameters.end() ? nullptr : &*named;
}

const Declaration* declarationNamed(const std::vector<Declaration>& all, const std::string& name) {
  const auto named = std::ranges::find(all, name, &Declaration::name);
  return named == all.end() ? nullptr : &*named;
}

bool isNamed(const Assignment& a) {
  return a.scope == Assignment::Scope::sweep || a.scope == Assignment::Scope::run;
}

std::string keyInName(const Assignment& a, const Effective& effective) {
  const std::string section = a.section(), last = a.leaf();
  if (section == "run" || section == "simulate" || a.key == "training.seed") return last;
  const bool taken =
      last == "method" || last == "seed" || std::ranges::any_of(effective, [&](const auto& other) {
        return other.first != a.key && isNamed(*other.second) && other.second->leaf() == last;
      });
  return taken ? a.key : last;
}

std::string withoutQuotes(const std::string& text) {
  if (text.size() < 2 || text.front() != '"') return text;
  std::string bare;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const bool hides = text[i] == '\\' && i + 2 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    bare += text[hides ? ++i : i];
  }
  return bare;
}

void refuseTwice(const std::vector<Assignment>& options, std::vector<Problem>& problems) {
  std::set<std::string> values;
  for (const Assignment& a : options) {
    if (values.insert(wholeText(a)).second) continue;
    problems.push_back(a.at);
    problems.back().message =
        (a.value ? toText(*a.value) : shown(*a.node)) + " stands twice in the list; each value once";
  }
}

}  // namespace halo
