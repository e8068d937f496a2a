#include "engine/experiment/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <tuple>

#include "engine/experiment/band.h"
#include "engine/experiment/document.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

const std::vector<std::string> kMayDiffer = {"machine", "graph"};

/// Numbers as the file writes them. Asked for in the order of the text it goes through that once, however
/// many there are.
class WrittenNumbers {
 public:
  explicit WrittenNumbers(std::string_view text) : text_(text), unread_(text) {}

  /// "" where the place is none of the text.
  std::string_view at(const toml::source_position& place) {
    if (std::tie(place.line, place.column) < std::tie(line_, column_)) *this = WrittenNumbers(text_);
    for (; line_ < place.line && !unread_.empty(); ++line_, column_ = 1) {
      const std::size_t end = unread_.find('\n');
      unread_.remove_prefix(end == std::string_view::npos ? unread_.size() : end + 1);
    }
    for (; column_ < place.column && !unread_.empty(); ++column_) {
      unread_.remove_prefix(1);  // columns are characters, of one byte or several
      while (!unread_.empty() && (static_cast<unsigned char>(unread_.front()) & 0xC0) == 0x80)
        unread_.remove_prefix(1);
    }
    const auto isPart = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
             std::string_view("._+-").find(c) != std::string_view::npos;
    };
    return unread_.substr(
        0, static_cast<std::size_t>(std::ranges::find_if_not(unread_, isPart) - unread_.begin()));
  }

 private:
  std::string_view text_, unread_;  // the second begins at the place
  toml::source_index line_ = 1, column_ = 1;
};

/// Reads one table; what is wrong with it goes to the problems.
class PublishedReader {
 public:
  PublishedReader(std::string_view text, const std::string& file, std::vector<Problem>& problems)
      : numbers_(text), file_(file), problems_(problems) {}

  /// A key of the table, and how its value is read.
  struct Row {
    TableKey key;
    void (*read)(PublishedReader& reader, const std::string& key, const toml::node& node,
                 PlacedPublished& entry);
  };
  static const std::vector<Row>& rows();
  static std::vector<TableKey> keys();

  PlacedPublished read(const toml::table& table) {
    const std::size_t before = problems_.size();
    PlacedPublished entry;
    entry.at = placed(file_, table.source(), "published");
    for (const auto& [key, node] : table) readKey(std::string(key.str()), key, node, entry);
    const Published& figure = entry.figure;
    for (const char* needed : {"metric", "of"})
      if (!table.contains(needed)) missing(table, needed);
    if (table.contains("derived") && !figure.value)
      wrong(table.get("derived")->source(), "published.derived",
            "says how a value follows from what is printed; value is missing");
    const bool range = table.contains("low") && table.contains("high");
    if (!table.contains("value") && !range && figure.counts != Published::Counts::order)
      missing(table, "value");
    if (figure.low > figure.high)
      wrong(table.source(), "published.low",
            "is above high; low <= high, the band that counts as reproduced");
    if (entry.figure.over) inherit(figure.numerator, *entry.figure.over);
    entry.sound = problems_.size() == before;
    return entry;
  }

 private:
  /// Figures of a method or a device say nothing of another one, and those of a node nothing of a cluster.
  static void inherit(const Published::Conditions& conditions, Published::Conditions& over) {
    const auto another = [&](const char* key) {
      const auto condition = conditions.find(key);
      const auto overCondition = over.find(key);
      return overCondition != over.end() &&
             (condition == conditions.end() || condition->second != overCondition->second);
    };
    const bool method = another("run.method"), device = another("simulate.device");
    const bool cluster = over.contains("simulate.cluster") && conditions.contains("simulate.platform");
    for (const auto& [key, value] : conditions)
      if (!(method && key.starts_with("run.")) && !(device && key.starts_with("device.")) &&
          !(cluster && (key.starts_with("simulate.") || key.starts_with("platform."))))
        over.emplace(key, value);
  }

  void wrong(const toml::source_region& at, const std::string& key, const std::string& message) {
    problems_.push_back(placed(file_, at, key, message));
  }

  void missing(const toml::table& table, const std::string& key) {
    wrong(
        table.source(), "published." + key,
        "missing; a published figure needs metric, value (or low and high, or counts = \"order\") and of = { "
        "method = \"…\" }");
  }

  void readKey(const std::string& name, const toml::key& key, const toml::node& node,
               PlacedPublished& entry) {
    const std::string shownKey = "published." + name;
    entry.keyAt[name] = placed(file_, node.source(), shownKey);
    const auto row = std::ranges::find(rows(), name, [](const Row& each) { return each.key.name; });
    if (row != rows().end()) return row->read(*this, shownKey, node, entry);
    const auto names = namesOf(publishedKeys(), &TableKey::name);
    wrong(key.source(), shownKey, "unknown key; " + suggestion(name, names, "known are " + listed(names)));
  }

  void text(const std::string& key, const toml::node& node, std::string& to) {
    if (const auto* value = node.as_string())
      to = value->get();
    else
      wrong(node.source(), key, shown(node) + " cannot be used; a text in quotes");
  }

  void counts(const std::string& key, const toml::node& node, Published::Counts& to) {
    const auto* value = node.as_string();
    if (value != nullptr && value->get() == "order")
      to = Published::Counts::order;
    else if (value != nullptr && value->get() == "bound")
      to = Published::Counts::bound;
    else if (value == nullptr || value->get() != "magnitude")
      wrong(node.source(), key, shown(node) + " cannot be used; one of magnitude order bound");
  }

  void flag(const std::string& key, const toml::node& node, bool& to) {
    if (const auto* value = node.as_boolean())
      to = value->get();
    else
      wrong(node.source(), key, shown(node) + " cannot be used; true or false");
  }

  void differs(const std::string& key, const toml::node& node, std::vector<std::string>& to) {
    const toml::array* list = node.as_array();
    const toml::node* unknown = list == nullptr || list->empty() ? &node : nullptr;
    for (std::size_t i = 0; unknown == nullptr && i < list->size(); ++i) {
      const auto* word = list->get(i)->as_string();
      const bool isNew = word != nullptr && std::ranges::count(to, word->get()) == 0;
      if (isNew && std::ranges::count(kMayDiffer, word->get()) > 0)
        to.push_back(word->get());
      else
        unknown = list->get(i);
    }
    if (unknown != nullptr)
      wrong(unknown->source(), key,
            shown(*unknown) + R"( cannot be used; ["machine"], ["graph"] or ["machine", "graph"])");
  }

  void number(const std::string& key, const toml::node& node, double& to) {
    const auto value = node.value<double>();
    if (node.is_number() && value && std::isfinite(*value))
      to = *value;
    else
      wrong(node.source(), key, shown(node) + " cannot be used; a number");
  }

  /// A table of keys and what counts, or the list of keys that files of older versions have.
  void openKeys(const std::string& key, const toml::node& node, Published& to,
                std::map<std::string, Problem>& at) {
    const toml::array* list = node.as_array();
    const bool texts = list != nullptr && !list->empty() && list->is_homogeneous(toml::node_type::string);
    if (node.as_table() != nullptr && !node.as_table()->empty()) {
      conditions(key, node, to.counted, at);
      to.assuming = namesOf(to.counted, [](const auto& counted) { return counted.first; });
    } else if (texts) {
      for (const toml::node& item : *list) {
        to.assuming.push_back(item.as_string()->get());
        at[to.assuming.back()] = placed(file_, item.source(), key);
      }
    } else {
      wrong(node.source(), key, shown(node) + R"( cannot be used; a table like { "device.edge_bytes" = 8 })");
    }
  }

  void conditions(const std::string& key, const toml::node& node, Published::Conditions& to,
                  std::map<std::string, Problem>& at) {
    const toml::table* table = node.as_table();
    if (table == nullptr || table->empty())
      return wrong(
          node.source(), key,
          shown(node) + R"( cannot be used; a table like { method = "vanilla", "cluster.workers" = 2 })");
    for (const auto& [name, value] : *table) {
      const std::string written(name.str());
      const std::string full = written == "method" ? "run.method" : written;
      const std::string section = full.substr(0, full.find('.'));
      if (full == section ||
          (section != "run" && !isSimulateSection(section) && sectionNamed(section) == nullptr))
        wrong(name.source(), key + "." + full,
              R"(unknown key; method, or "section.key" of this file)" + meantBy(full));
      else if (const auto text = conditionText(value)) {
        to[full] = *text;
        at[full] = placed(file_, value.source(), key + "." + written);
      } else
        wrong(value.source(), key + "." + full,
              shown(value) + " cannot be used; a text, a number, true or false");
    }
  }

  /// The sections' keys of that name.
  static std::string meantBy(const std::string& key) {
    std::vector<std::string> candidates;
    for (const Declaration& section : sections())
      if (parameterNamed(section.parameters, key) != nullptr)
        candidates.push_back(fmt::format("\"{}.{}\"", section.name, key));
    return candidates.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(candidates, " or "));
  }

  static std::optional<std::string> conditionText(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
    if (const auto* real = node.as_floating_point()) return shown(real->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    return std::nullopt;
  }

  WrittenNumbers numbers_;
  const std::string& file_;
  std::vector<Problem>& problems_;
};

// To add a key: a member of Published, and a row here.
const std::vector<PublishedReader::Row>& PublishedReader::rows() {
  static const std::vector<Row> all = {
      {{"where", "", "text", "where it is printed: \"Table 2, Reddit, 2 parts\""},
       [](auto& reader, auto& key, auto& node, auto& entry) { reader.text(key, node, entry.figure.where); }},
      {{"metric", "", "a metric's name in `compare --json`", "what is compared"},
       [](auto& reader, auto& key, auto& node, auto& entry) { reader.text(key, node, entry.figure.metric); }},
      {{"counts", "\"magnitude\"", "magnitude, order, bound",
        "what is reproduced: the size of the figure, or only which of two runs is ahead, where no number is "
        "printed. `\"bound\"`: the size, of a figure that another file counts"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.counts(key, node, entry.figure.counts);
       }},
      {{"value", "", "number",
        "as printed, with all its digits: `1.90` is 1.895 to 1.905, `1.9` is 1.85 to 1.95. Without it `low` "
        "to "
        "`high` is a printed range"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         entry.figure.rounding = roundingOf(reader.numbers_.at(node.source().begin));
         reader.number(key, node, entry.figure.value.emplace());
       }},
      {{"of", "", "table",
        "keys of this file and values that the run must have, `method` among them: `{ method = \"pipegcn\", "
        "\"cluster.workers\" = 4 }`"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.conditions(key, node, entry.figure.numerator, entry.numeratorAt);
       }},
      {{"over", "", "table",
        "given: `value` is the ratio of `of` to this run. What it does not name is as in `of`, but for "
        "`run.*` "
        "if "
        "it names another method and `device.*` if it names another `simulate.device`. A cluster takes no "
        "`simulate.*` and `platform.*` of a platform"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.conditions(key, node, entry.figure.over.emplace(), entry.overAt);
       }},
      {{"assuming", "", "table", "keys of what the paper leaves open, with the values that count; see below"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.openKeys(key, node, entry.figure, entry.assumingAt);
       }},
      {{"low", "", "number", "least of the band: ours counts as reproduced from `low` to `high`"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         entry.figure.banded = true;
         reader.number(key, node, entry.figure.low);
       }},
      {{"high", "", "number", "most of the band"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         entry.figure.banded = true;
         reader.number(key, node, entry.figure.high);
       }},
      {{"because", "", "text", "why the band is as wide as it is"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.text(key, node, entry.figure.because);
       }},
      {{"differs", "", "list of `\"machine\"`, `\"graph\"`", "what is another one here than in the paper"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.differs(key, node, entry.figure.differs);
       }},
      {{"calibrated", "false", "true, false",
        "something here was set so that this figure comes out; `compare` marks and counts it"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.flag(key, node, entry.figure.calibrated);
       }},
      {{"derived", "", "text",
        "`value` is not printed itself: how it follows from what is. `compare` marks it and counts it apart"},
       [](auto& reader, auto& key, auto& node, auto& entry) {
         reader.text(key, node, entry.figure.derived);
       }},
      {{"note", "", "text", "why it may not come out here, or what differs"},
       [](auto& reader, auto& key, auto& node, auto& entry) { reader.text(key, node, entry.figure.note); }},
  };
  return all;
}

std::vector<TableKey> PublishedReader::keys() {
  std::vector<TableKey> all;
  for (const Row& row : rows()) all.push_back(row.key);
  return all;
}

}  // namespace

std::span<const TableKey> publishedKeys() {
  static const std::vector<TableKey> keys = PublishedReader::keys();
  return keys;
}

std::vector<PlacedPublished> publishedOf(const toml::node& node, const std::string& text,
                                         const std::string& file, std::vector<Problem>& problems) {
  std::vector<PlacedPublished> all;
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty()) {
    problems.push_back(
        placed(file, node.source(), "published", "cannot be used so; write [[published]] with two brackets"));
    return all;
  }
  PublishedReader reader(text, file, problems);
  for (const toml::node& item : *list)
    if (const toml::table* table = item.as_table())
      all.push_back(reader.read(*table));
    else
      problems.push_back(placed(file, item.source(), "published",
                                shown(item) + " cannot be used; a table of keys under [[published]]"));
  return all;
}

PublishedFigures readPublished(const std::string& text) {
  PublishedFigures all;
  const std::string file = "the recorded experiment";
  const auto unread = [&](const std::vector<Problem>& problems) {
    for (const Problem& problem : problems) all.unread.push_back(describe(problem));
  };
  if (const auto beyond = beyondToml(text, file)) {
    all.damaged = describe(*beyond);
    return all;
  }
  try {
    const toml::table top = parseToml(text, file);
    all.name = top["name"].value_or(std::string());
    all.notes = top["notes"].value_or(std::string());
    const toml::node* node = top.get("published");
    if (node == nullptr) return all;
    std::vector<Problem> problems;
    for (const PlacedPublished& placed : publishedOf(*node, text, file, problems))
      if (placed.sound) all.figures.push_back(placed.figure);
    unread(problems);
  } catch (const InputError& error) {
    unread(error.problems());
  }
  return all;
}

}  // namespace halo
