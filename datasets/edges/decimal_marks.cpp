#include "datasets/edges/decimal_marks.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "datasets/edges/line_shapes.h"
#include "datasets/text/class_form.h"
#include "datasets/text/text.h"

namespace halo {
namespace {

bool isDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

/// What a row says that may be one number and is read as two.
struct Row {
  bool decimals = false;               // it looks like one
  bool below1 = false, whole = false;  // as one it is below 1, or whole
};

bool isZeros(std::string_view digits) { return digits.find_first_not_of('0') == std::string_view::npos; }

/// Decimals, where thousands have a point before them, they begin with 0, a power of ten is behind or -0
/// before them: `1.234,5`, `2,05`, `1,5e-1`, `-0,5`. No number has zeros before it: `01,02` are two.
std::optional<Row> rowIn(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view before = line.substr(0, comma);
  const std::string_view all = line.substr(comma + 1), behind = withoutPower(all);
  if (!isDigits(behind)) return std::nullopt;
  const bool minus = before.starts_with('-');
  if (minus || before.starts_with('+')) before.remove_prefix(1);
  if (before.size() > 1 && before[0] == '0') return std::nullopt;
  const bool zero = behind.size() > 1 && behind[0] == '0', power = behind.size() < all.size();
  if (isDigits(before)) return Row{zero || power || (minus && before == "0"), before == "0", isZeros(behind)};
  const std::size_t point = before.find('.');
  const bool grouped = point != std::string_view::npos && point <= 3 && before[0] != '0' &&
                       isDigits(before.substr(0, point)) && before.size() == point + 4 &&
                       isDigits(before.substr(point + 1));
  return grouped ? std::optional(Row{.decimals = true}) : std::nullopt;
}

}  // namespace

void remarkDecimals(const std::filesystem::path& file, PairsOf what, std::vector<std::string>& remarks) {
  const FileHead head = headWithLines(file);
  bool any = false, decimals = false, below1 = what == PairsOf::features, whole = what != PairsOf::edges;
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line)) continue;
    const auto row = rowIn(line);
    if (!row) return;
    any = true;
    decimals |= row->decimals;
    below1 &= row->below1;
    whole &= row->whole;
  }
  if (any && (decimals || below1 || whole))
    remarks.push_back(file.filename().string() +
                      ": every row is read as two columns with ',' between them; if the comma stands before "
                      "decimals, write a point there");
}

}  // namespace halo
