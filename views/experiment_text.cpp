#include "views/experiment_text.h"

#include <toml++/toml.h>

#include <vector>

namespace halo {

namespace {

std::optional<toml::table> parsed(const std::string& text) {
  try {
    return toml::parse(std::string_view(text), std::string_view("text"));
  } catch (const toml::parse_error&) {
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

const toml::table* tableAt(const toml::table& root, const TextPlace& place) {
  if (place.run >= 0) {
    const toml::array* runs = root["run"].as_array();
    return runs && static_cast<std::size_t>(place.run) < runs->size()
               ? runs->get(static_cast<std::size_t>(place.run))->as_table()
               : nullptr;
  }
  return place.table.empty() ? &root : root[place.table].as_table();
}

struct Found {
  std::size_t keyBegin = 0, begin = 0, end = 0;
};

std::optional<Found> find(const std::string& text, const TextPlace& place) {
  const auto root = parsed(text);
  const toml::table* table = root ? tableAt(*root, place) : nullptr;
  if (!table) return {};
  for (const auto& [key, value] : *table)
    if (key.str() == place.key)
      return Found{offsetOf(text, key.source().begin), offsetOf(text, value.source().begin),
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

std::string header(const TextPlace& place) { return place.run >= 0 ? "[[run]]" : "[" + place.table + "]"; }

}  // namespace

bool isToml(const std::string& text) { return parsed(text).has_value(); }

std::optional<std::string> valueIn(const std::string& text, const TextPlace& place) {
  const auto found = find(text, place);
  if (!found) return {};
  return text.substr(found->begin, found->end - found->begin);
}

std::string withValue(const std::string& text, const TextPlace& place, const std::string& value) {
  if (!isToml(text)) return text;
  std::string result = text;
  if (const auto found = find(text, place)) {
    result.replace(found->begin, found->end - found->begin, value);
  } else if (const auto end = endOfTable(text, place)) {
    const std::string line = place.key + " = " + value;
    result.insert(*end, *end == 0 ? line + "\n" : "\n" + line);
  } else {
    if (!result.empty() && result.back() != '\n') result += '\n';
    result += (result.empty() ? "" : "\n") + header(place) + "\n" + place.key + " = " + value + "\n";
  }
  // a table written in an unusual way (inline, dotted) may not take the line: then nothing is changed
  return valueIn(result, place) == value ? result : text;
}

std::string withoutValue(const std::string& text, const TextPlace& place) {
  const auto found = find(text, place);
  if (!found) return text;
  std::string result = text;
  eraseLines(result, found->keyBegin, found->end);
  return isToml(result) ? result : text;
}

int runsIn(const std::string& text) {
  const auto root = parsed(text);
  const toml::array* runs = root ? (*root)["run"].as_array() : nullptr;
  return runs ? static_cast<int>(runs->size()) : 0;
}

std::string withRun(const std::string& text, const std::string& method) {
  if (!isToml(text)) return text;
  const std::string lines = "[[run]]\nmethod = " + quoted(method) + "\n";
  std::string result = text;
  const int runs = runsIn(text);
  if (runs > 0) {
    const auto end = endOfTable(text, {"", runs - 1, ""});
    result.insert(*end, "\n" + lines.substr(0, lines.size() - 1));
  } else {
    if (!result.empty() && result.back() != '\n') result += '\n';
    result += (result.empty() ? "" : "\n") + lines;
  }
  return runsIn(result) == runs + 1 ? result : text;
}

std::string withoutRun(const std::string& text, int run) {
  const auto root = parsed(text);
  const toml::table* table = root ? tableAt(*root, {"", run, ""}) : nullptr;
  if (!table) return text;
  std::string result = text;
  const std::size_t begin = offsetOf(text, table->source().begin);
  eraseLines(result, begin, *endOfTable(text, {"", run, ""}));
  return runsIn(result) == runsIn(text) - 1 ? result : text;
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
