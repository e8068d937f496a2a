#include "views/experiment/experiment_text.h"

#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "engine/experiment/toml_text.h"

namespace halo {

namespace {

std::optional<toml::table> parsed(const std::string& text) {
  try {
    return parseToml(text, "text");
  } catch (const InputError&) {
    return {};
  }
}

/// Byte offset of a place told in lines and code points, both from 1.
std::size_t offsetOf(const std::string& text, const toml::source_position& place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line && at != std::string::npos; ++line)
    at = text.find('\n', at) + 1;
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

/// The table that place.table stands in.
const toml::table* outerAt(const toml::table& root, const TextPlace& place) {
  if (place.run < 0) return &root;
  const toml::array* list = root[place.list].as_array();
  return list && at(place.run) < list->size() ? list->get(at(place.run))->as_table() : nullptr;
}

const toml::table* tableAt(const toml::table& root, const TextPlace& place) {
  const toml::table* outer = outerAt(root, place);
  return outer == nullptr || place.table.empty() ? outer : (*outer)[place.table].as_table();
}

struct EntryPlace {
  std::size_t keyBegin = 0, begin = 0, end = 0;
};

std::optional<EntryPlace> find(const std::string& text, const TextPlace& place) {
  const auto root = parsed(text);
  const toml::table* table = root ? tableAt(*root, place) : nullptr;
  if (!table) return {};
  for (const auto& [key, value] : *table)
    if (key.str() == place.key)
      return EntryPlace{offsetOf(text, key.source().begin), offsetOf(text, value.source().begin),
                        offsetOf(text, value.source().end)};
  return {};
}

/// Where lines of the table's own end: behind its last line with something on it, before the next header.
std::optional<std::size_t> endOfTable(const std::string& text, const TextPlace& place) {
  const auto root = parsed(text);
  const toml::table* table = root ? tableAt(*root, place) : nullptr;
  if (!table) return {};
  const bool top = place.run < 0 && place.table.empty();
  std::size_t at = top ? 0 : offsetOf(text, table->source().begin);
  std::size_t end = top ? 0 : std::min(text.find('\n', at), text.size());
  if (!top) at = end + 1;
  while (at < text.size()) {
    const std::size_t next = std::min(text.find('\n', at), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r", at);
    if (first < next && text[first] == '[') break;
    if (first < next && !(top && text[first] == '#')) end = next;
    at = next + 1;
  }
  return end;
}

/// The lines that hold [begin, end), with the line's end.
void eraseLines(std::string& text, std::size_t begin, std::size_t end) {
  const std::size_t newline = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
  const std::size_t first = newline == std::string::npos ? 0 : newline + 1;
  const std::size_t last = text.find('\n', end);
  text.erase(first, last == std::string::npos ? std::string::npos : last + 1 - first);
}

/// What the text would say with the value there, or without one where `value` is empty; nothing if either is
/// no TOML.
std::optional<toml::table> tableWith(const std::string& text, const TextPlace& place,
                                     const std::string& value) {
  auto root = parsed(text);
  const auto assignment = parsed(value.empty() ? "" : "v = " + value);
  if (!root || !assignment) return {};
  toml::table* outer = const_cast<toml::table*>(outerAt(*root, place));
  toml::table* table = const_cast<toml::table*>(tableAt(*root, place));
  if (table == nullptr && outer != nullptr && !outer->contains(place.table) && !value.empty())
    table = outer->insert(place.table, toml::table{}).first->second.as_table();
  if (table == nullptr) return {};
  if (value.empty()) {
    table->erase(place.key);
    if (place.run >= 0 && !place.table.empty() && table->empty()) outer->erase(place.table);
  } else {
    table->insert_or_assign(place.key, *assignment->get("v"));
  }
  return root;
}

/// The first of the texts that says what `target` does and nothing else. So no edit of one key can take
/// another with it, whatever form a file is written in.
std::optional<std::string> firstThatReads(const std::vector<std::string>& texts, const toml::table& target) {
  for (const std::string& text : texts)
    if (const auto root = parsed(text); root && *root == target) return text;
  return {};
}

/// Where a key is added to a table in braces, behind its last; and whether it is the first.
std::optional<std::pair<std::size_t, bool>> inlineEnd(const std::string& text, const TextPlace& place) {
  const auto root = parsed(text);
  const toml::table* table = root ? tableAt(*root, place) : nullptr;
  if (table == nullptr || !table->is_inline()) return {};
  const std::size_t brace = text.rfind('}', std::min(offsetOf(text, table->source().end), text.size()) - 1);
  const std::size_t last = brace == std::string::npos ? brace : text.find_last_not_of(" \t", brace - 1);
  if (last == std::string::npos) return {};
  return std::pair{last + 1, table->empty()};
}

std::string header(const TextPlace& place) {
  return place.run >= 0 ? "[[" + place.list + "]]" : "[" + place.table + "]";
}

/// Of a key of a table of a list: as a line of that table.
std::string lineIn(const TextPlace& place, const std::string& value) {
  return (place.run >= 0 && !place.table.empty() ? place.table + "." : "") + place.key + " = " + value;
}

}  // namespace

bool isToml(const std::string& text) { return parsed(text).has_value(); }

std::optional<std::string> valueIn(const std::string& text, const TextPlace& place) {
  const auto location = find(text, place);
  if (!location) return {};
  return text.substr(location->begin, location->end - location->begin);
}

std::optional<std::string> withValue(const std::string& text, const TextPlace& place,
                                     const std::string& value) {
  const auto targetTable = tableWith(text, place, value);
  if (!targetTable) return {};
  std::vector<std::string> candidates;
  if (const auto location = find(text, place)) {
    candidates.push_back(text);
    candidates.back().replace(location->begin, location->end - location->begin, value);
  } else {
    const std::string line = place.key + " = " + value;
    const TextPlace outer{place.run >= 0 ? "" : place.table, place.run, place.key, place.list};
    if (const auto end = endOfTable(text, outer); end && place.run >= 0 && !place.table.empty())
      candidates.push_back(std::string(text).insert(*end, "\n" + lineIn(place, value)));
    if (const auto end = endOfTable(text, place)) {
      candidates.push_back(std::string(text).insert(*end, *end == 0 ? line + "\n" : "\n" + line));
      if (const auto brace = inlineEnd(text, place))
        candidates.push_back(std::string(text).insert(brace->first, (brace->second ? " " : ", ") + line));
      // a table that stands as dotted keys above all headers takes one more of them
      const std::size_t top = endOfTable(text, {"", -1, ""}).value_or(0);
      candidates.push_back(std::string(text).insert(top, "\n" + place.table + "." + line));
    } else {
      std::string below = text;
      if (!below.empty() && below.back() != '\n') below += '\n';
      candidates.push_back(below + (below.empty() ? "" : "\n") + header(place) + "\n" + line + "\n");
    }
  }
  return firstThatReads(candidates, *targetTable);
}

std::optional<std::string> withoutValue(const std::string& text, const TextPlace& place) {
  const auto location = find(text, place);
  if (!location) return text;
  const auto targetTable = tableWith(text, place, "");
  if (!targetTable) return {};
  std::vector<std::string> candidates{text, text, text};
  eraseLines(candidates[0], location->keyBegin, location->end);
  // one of several in braces goes with the comma before or behind it
  const std::size_t before =
      text.find_last_not_of(" \t\r\n", location->keyBegin == 0 ? 0 : location->keyBegin - 1);
  const std::size_t behind = text.find_first_not_of(" \t", location->end);
  const bool comma = before != std::string::npos && text[before] == ',';
  const std::size_t first = comma ? before : location->keyBegin;
  std::size_t last = location->end;
  if (!comma && behind != std::string::npos && text[behind] == ',')
    last = std::min(text.find_first_not_of(" \t", behind + 1), text.size());
  candidates[1].erase(first, last - first);
  candidates[2].erase(location->keyBegin, location->end - location->keyBegin);
  return firstThatReads(candidates, *targetTable);
}

int tablesIn(const std::string& text, const std::string& list) {
  const auto root = parsed(text);
  const toml::array* tables = root ? (*root)[list].as_array() : nullptr;
  return tables ? static_cast<int>(tables->size()) : 0;
}

std::string withTable(const std::string& text, const std::string& list, const std::string& key,
                      const std::string& value) {
  if (!isToml(text)) return text;
  const std::string lines = "[[" + list + "]]\n" + key + " = " + halo::quoted(value) + "\n";
  std::string result = text;
  const int tables = tablesIn(text, list);
  const auto end = tables > 0 ? endOfTable(text, {"", tables - 1, "", list}) : std::nullopt;
  if (end) {
    result.insert(*end, "\n" + lines.substr(0, lines.size() - 1));
  } else {
    if (!result.empty() && result.back() != '\n') result += '\n';
    result += (result.empty() ? "" : "\n") + lines;
  }
  return tablesIn(result, list) == tables + 1 ? result : text;
}

std::string withoutTable(const std::string& text, const std::string& list, int table) {
  const TextPlace place{"", table, "", list};
  const auto root = parsed(text);
  const toml::table* source = root ? tableAt(*root, place) : nullptr;
  if (!source) return text;
  std::string result = text;
  const std::size_t begin = offsetOf(text, source->source().begin);
  eraseLines(result, begin, *endOfTable(text, place));
  return tablesIn(result, list) == tablesIn(text, list) - 1 ? result : text;
}

std::optional<std::string> withNameInTable(const std::string& text, const TextPlace& place) {
  const auto location = find(text, place);
  const auto root = parsed(text);
  const toml::table* outer = root ? outerAt(*root, place) : nullptr;
  if (!location || outer == nullptr) return {};
  const auto* name = (*outer)[place.key].as_string();
  if (name == nullptr) return text;
  std::string result = text;
  result.insert(location->keyBegin + place.key.size(), ".name");
  const auto value = valueIn(result, {place.key, place.run, "name", place.list});
  if (!value || unquoted(*value) != name->get()) return {};
  return result;
}

std::optional<std::string> unquoted(const std::string& value) {
  const auto root = parsed("v = " + value);
  const auto words = root ? (*root)["v"].value<std::string>() : std::nullopt;
  return words;
}

std::string quoted(std::string_view words) {
  std::string result = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + '"';
}

}  // namespace halo
