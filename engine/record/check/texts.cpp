#include <string>
#include <vector>

#include "engine/record/check/checks.h"

namespace halo {
namespace {

/// Rows 0, 1, … name what spans are; another version may know fewer or more.
void checkNames(Database& database, const std::string& table, const std::string& key, Findings& findings) {
  Statement rows(database, "SELECT " + key + ", text FROM " + table + " ORDER BY 1");
  std::int64_t next = 0;
  for (; rows.step(); ++next) {
    if (rows.integer(0) != next) break;
    if (rows.text(1).empty())
      return findings.addDamage("table " + table + ", row " + std::to_string(next) +
                                ": its text is empty; what it names would be right");
  }
  Statement count(database, "SELECT count(*) FROM " + table);
  if (next == 0 || (count.step() && count.integer(0) != next))
    findings.addDamage("table " + table + ": row " + std::to_string(next) + " is missing");
}

/// A name of a stranger's recording, as SQL takes it.
std::string identifier(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// SQLite puts other things into columns of text, if told.
void checkColumns(Database& database, const std::string& table, Findings& findings) {
  std::vector<std::string> columns;
  Statement info(database, "SELECT name FROM pragma_table_info('" + table + "') WHERE type = 'TEXT'");
  while (info.step()) columns.push_back(info.text(0));
  for (const std::string& column : columns) {
    const std::string type = "typeof(" + identifier(column) + ")";
    Statement wrong(database, "SELECT id, " + type + " FROM " + table + " WHERE " + type +
                                  " <> 'text' ORDER BY 1 LIMIT 1");
    if (wrong.step())
      findings.addDamage("table " + table + ", row " + wrong.text(0) + ": " + column + " is a " +
                         wrong.text(1) + ", not text");
  }
}

/// Without help what is right is not known.
void checkExperiments(Database& database, const CheckHelp& help, Findings& findings) {
  if (!help.unreadableExperiment) return;
  Statement rows(database, "SELECT id, text FROM experiment WHERE typeof(text) = 'text' ORDER BY id");
  while (rows.step()) {
    const std::string text = rows.text(1), place = "table experiment, row " + rows.text(0) + ": text ";
    if (text.empty())
      findings.addDamage(place + "is empty; the experiment that its runs are of would be right");
    else if (const std::string fault = help.unreadableExperiment(text); !fault.empty())
      findings.addDamage(place + "cannot be read: " + fault);
  }
}

}  // namespace

void checkTexts(Database& database, const CheckHelp& help, Findings& findings) {
  checkNames(database, "span_kind", "kind", findings);
  checkNames(database, "span_name", "name", findings);
  for (const char* table : {"run", "experiment"}) checkColumns(database, table, findings);
  checkExperiments(database, help, findings);
}

}  // namespace halo
