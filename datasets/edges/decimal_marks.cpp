#include "datasets/edges/decimal_marks.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "datasets/edges/line_shapes.h"
#include "datasets/text/text.h"

namespace halo {
namespace {

bool isDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

/// What a row says of `1.234,5`, read as two numbers.
enum class Row { other, pair, decimals };

/// Decimals, where thousands have a point before them or they begin with 0: `1.234,5` and `2,05`. No number
/// has zeros before it: `01,02` are two.
Row whatIs(std::string_view row) {
  row = row.substr(0, row.find_last_not_of(" \t\r") + 1);
  row.remove_prefix(std::min(row.find_first_not_of(" \t"), row.size()));
  const std::size_t comma = row.find(',');
  if (comma == std::string_view::npos || !isDigits(row.substr(comma + 1))) return Row::other;
  std::string_view whole = row.substr(0, comma), behind = row.substr(comma + 1);
  if (whole.starts_with('-') || whole.starts_with('+')) whole.remove_prefix(1);
  if (whole.size() > 1 && whole[0] == '0') return Row::other;
  const bool zero = behind.size() > 1 && behind[0] == '0';
  if (isDigits(whole)) return zero ? Row::decimals : Row::pair;
  const std::size_t point = whole.find('.');
  const bool grouped = point != std::string_view::npos && point <= 3 && whole[0] != '0' &&
                       isDigits(whole.substr(0, point)) && whole.size() == point + 4 &&
                       isDigits(whole.substr(point + 1));
  return grouped ? Row::decimals : Row::other;
}

}  // namespace

void remarkDecimals(const std::filesystem::path& file, std::vector<std::string>& remarks) {
  const FileHead head = headWithLines(file);
  bool decimals = false;
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line)) continue;
    const Row row = whatIs(line);
    if (row == Row::other) return;
    decimals |= row == Row::decimals;
  }
  if (decimals)
    remarks.push_back(file.filename().string() +
                      ": every row is read as two columns with ',' between them; if the comma stands before "
                      "decimals, write a point there");
}

}  // namespace halo
