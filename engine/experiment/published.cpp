#include "engine/experiment/published.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "engine/experiment/document.h"

namespace halo {
namespace {

const std::vector<std::string> kKeys = {"where", "metric", "value", "of", "over", "low", "high", "note"};

/// Reads one table; what is wrong with it goes to the problems.
class PublishedReader {
 public:
  PublishedReader(const std::string& file, std::vector<Problem>& problems)
      : file_(file), problems_(problems) {}

  Published read(const toml::table& table) {
    Published made;
    for (const auto& [key, node] : table) one(std::string(key.str()), key, node, made);
    for (const char* needed : {"metric", "value", "of"})
      if (!table.contains(needed))
        wrong(table.source(), std::string("published.") + needed,
              "missing; a published figure needs metric, value and of = { method = \"…\" }");
    if (made.low > made.high)
      wrong(table.source(), "published.low",
            "is above high; low <= high, the band that counts as reproduced");
    if (made.over) inherit(made.of, *made.over);
    return made;
  }

 private:
  static void inherit(const Published::Conditions& of, Published::Conditions& over) {
    const bool otherMethod = over.contains("run.method");
    for (const auto& [key, value] : of)
      if (!otherMethod || !key.starts_with("run.")) over.emplace(key, value);
  }

  void wrong(const toml::source_region& at, const std::string& key, const std::string& message) {
    problems_.push_back(placed(file_, at, key, message));
  }

  void one(const std::string& name, const toml::key& key, const toml::node& node, Published& made) {
    const std::string shownKey = "published." + name;
    if (name == "where") return text(shownKey, node, made.where);
    if (name == "metric") return text(shownKey, node, made.metric);
    if (name == "note") return text(shownKey, node, made.note);
    if (name == "value") return number(shownKey, node, made.value);
    if (name == "of") return conditions(shownKey, node, made.of);
    if (name == "over") return conditions(shownKey, node, made.over.emplace());
    if (name == "low" || name == "high") {
      made.banded = true;
      return number(shownKey, node, name == "low" ? made.low : made.high);
    }
    wrong(key.source(), shownKey, "unknown key; " + suggestion(name, kKeys, "known are " + listed(kKeys)));
  }

  void text(const std::string& key, const toml::node& node, std::string& to) {
    if (const auto* value = node.as_string())
      to = value->get();
    else
      wrong(node.source(), key, shown(node) + " cannot be used; a text in quotes");
  }

  void number(const std::string& key, const toml::node& node, double& to) {
    const auto value = node.value<double>();
    if (node.is_number() && value && std::isfinite(*value))
      to = *value;
    else
      wrong(node.source(), key, shown(node) + " cannot be used; a number");
  }

  void conditions(const std::string& key, const toml::node& node, Published::Conditions& to) {
    const toml::table* table = node.as_table();
    if (table == nullptr || table->empty())
      return wrong(
          node.source(), key,
          shown(node) + R"( cannot be used; a table like { method = "vanilla", "cluster.workers" = 2 })");
    for (const auto& [name, value] : *table) {
      std::string full(name.str());
      if (full == "method") full = "run.method";
      const std::string section = full.substr(0, full.find('.'));
      if (full == section || (section != "run" && sectionNamed(section) == nullptr))
        wrong(name.source(), key + "." + full, R"(unknown key; method, or "section.key" of this file)");
      else if (const auto text = value.value<std::string>())
        to[full] = *text;
      else if (value.is_number() || value.is_boolean())
        to[full] = value.is_number() ? fmt::format("{}", value.value<double>().value_or(0))
                                     : (value.value<bool>().value_or(false) ? "true" : "false");
      else
        wrong(value.source(), key + "." + full,
              shown(value) + " cannot be used; a text, a number, true or false");
    }
  }

  const std::string& file_;
  std::vector<Problem>& problems_;
};

std::optional<double> asNumber(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

}  // namespace

std::vector<Published> publishedOf(const toml::node& node, const std::string& file,
                                   std::vector<Problem>& problems) {
  std::vector<Published> all;
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty()) {
    problems.push_back(
        placed(file, node.source(), "published", "cannot be used so; write [[published]] with two brackets"));
    return all;
  }
  PublishedReader reader(file, problems);
  for (const toml::node& item : *list)
    if (const toml::table* table = item.as_table())
      all.push_back(reader.read(*table));
    else
      problems.push_back(placed(file, item.source(), "published",
                                shown(item) + " cannot be used; a table of keys under [[published]]"));
  return all;
}

bool meets(const std::map<std::string, std::string>& parameters, const Published::Conditions& conditions) {
  for (const auto& [key, wanted] : conditions) {
    const auto found = parameters.find(key);
    if (found == parameters.end()) return false;
    const auto number = asNumber(wanted), value = asNumber(found->second);
    const bool same =
        number && value ? *number == *value : found->second == wanted || found->second == '"' + wanted + '"';
    if (!same) return false;
  }
  return true;
}

std::vector<Published> readPublished(const std::string& text) {
  std::vector<Problem> problems;
  const std::string file = "the recorded experiment";
  try {
    const toml::table top = toml::parse(std::string_view(text), std::string_view(file));
    const toml::node* node = top.get("published");
    if (node == nullptr) return {};
    std::vector<Published> all = publishedOf(*node, file, problems);
    if (problems.empty()) return all;
  } catch (const toml::parse_error& error) {
    problems.push_back(placed(file, error.source(), "", "not TOML: " + std::string(error.description())));
  }
  throw InputError(std::move(problems));
}

}  // namespace halo
