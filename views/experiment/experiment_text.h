#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halo {

/// A key of an experiment file: [table] key, key above all tables (table empty), key of the run-th [[run]],
/// or table.key of it.
struct TextPlace {
  std::string table;
  int run = -1;  // from 0
  std::string key;
  std::string list = "run";  // whose run-th table: run or simulate
  bool operator==(const TextPlace&) const = default;
};

// Reading and changing the text of an experiment file one key at a time. Comments, order and whatever else
// stands there stay as they are. Text that cannot be read as TOML has no values.

bool isToml(const std::string& text);
/// The value as it is written ("\"adam\"", "0.5", "[1, 2]").
std::optional<std::string> valueIn(const std::string& text, const TextPlace& place);
/// The text with the value written there, replacing one or opening the key, and the table, at their place.
/// What it then says differs from before in that key alone. Nothing where the text is no TOML or is written
/// so that this cannot be done.
std::optional<std::string> withValue(const std::string& text, const TextPlace& place,
                                     const std::string& value);
std::optional<std::string> withoutValue(const std::string& text, const TextPlace& place);

/// Tables [[list]].
int tablesIn(const std::string& text, const std::string& list = "run");
/// With one more of them behind the last, that says `key` = "value".
std::string withTable(const std::string& text, const std::string& list, const std::string& key,
                      const std::string& value);
std::string withoutTable(const std::string& text, const std::string& list, int table);
/// Writes `key = "spu"` of a table in a list as `key.name = "spu"`, so that other keys of that table can
/// stand beside it. Text that is written so already stays as it was.
std::optional<std::string> withNameInTable(const std::string& text, const TextPlace& place);

/// "a \"b\"" → a "b": what a string value says; nothing for another type.
std::optional<std::string> unquoted(const std::string& value);
std::string quoted(std::string_view words);

}  // namespace halo
