#include "engine/record/export/csv_text.h"

#include "engine/base/plain_text.h"

namespace halo {

std::string csvText(std::string_view text, CsvFor reader) {
  std::string field = validUtf8(text);
  // a tab or line end before the sign is skipped by some spreadsheets
  const bool formula =
      !field.empty() && std::string_view("=+-@\t\r\n").find(field.front()) != std::string::npos;
  if (reader == CsvFor::spreadsheet && formula) field.insert(field.begin(), '\'');
  if (field.find_first_of("\",\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace halo
