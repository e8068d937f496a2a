#include "datasets/edges/decimal_marks.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "datasets/edges/file_head.h"
#include "datasets/text/class_form.h"
#include "datasets/text/columns.h"
#include "datasets/text/text.h"

namespace halo {
namespace {

bool isDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

/// What a row says that may be one number and is read as two.
struct Row {
  bool decimals = false;                 // it looks like one
  bool below1 = false, isWhole = false;  // as one it is below 1, or whole
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

std::string_view stripped(std::string_view cell) {
  const std::size_t begin = std::min(cell.find_first_not_of(" \t\r"), cell.size());
  cell.remove_prefix(begin);
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  return cell.substr(0, cell.find_last_not_of(" \t\r") + 1);
}

constexpr Index kFewLines = 3;     // show no custom
constexpr std::size_t kGroup = 3;  // digits of thousands

/// What cells of whole numbers with a comma between them show, line by line.
class CommaCells {
 public:
  /// Whether the line holds such cells alone, as many as the lines above.
  bool take(std::string_view line) {
    const auto cells = rawCells(line);
    if (lines_++ == 0) {
      always3_.assign(cells.size(), true);
      alwaysZero_.assign(cells.size(), true);
    }
    if (cells.size() != always3_.size()) return false;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string_view digits = stripped(cells[c]);
      if (!isDigits(digits)) return false;
      const bool padded = digits.size() > 1 && digits[0] == '0';
      if (c == 0 && padded) return false;  // so numbers of one width are written
      if (padded && padded_.empty()) padded_ = digits;
      always3_[c] = always3_[c] && digits.size() == 3;
      alwaysZero_[c] = alwaysZero_[c] && isZeros(digits);
    }
    return true;
  }
  /// A number that begins with 0, behind others that do not; "": there is none.
  const std::string& padded() const { return padded_; }
  /// Whether of several pairs of columns the first ones, or the second ones, are 0 on every line, and no
  /// others.
  bool decimals() const {
    if (lines_ < kFewLines || alwaysZero_.size() < 4 || alwaysZero_.size() % 2 != 0) return false;
    for (std::size_t c = 2; c < alwaysZero_.size(); ++c)
      if (alwaysZero_[c] != alwaysZero_[c - 2]) return false;
    return alwaysZero_[0] != alwaysZero_[1];
  }
  /// Whether all columns but every second, or every third, have three digits on every line.
  bool thousands() const { return lines_ >= kFewLines && (grouped(2) || grouped(3)); }

 private:
  bool grouped(std::size_t period) const {
    if (always3_.size() < period || always3_.size() % period != 0) return false;
    bool leads = true;  // a number may well begin with three digits, but not all of them
    for (std::size_t c = 0; c < always3_.size(); ++c) {
      if (c % period > 0 && !always3_[c]) return false;
      leads &= c % period > 0 || always3_[c];
    }
    return !leads;
  }
  std::vector<bool> always3_, alwaysZero_;  // by column
  std::string padded_;
  Index lines_ = 0;
};

/// What numbers show of which some have a point, cell by cell.
class PointedCells {
 public:
  /// Whether points may stand before thousands.
  bool take(std::string_view cell) {
    const std::string_view number = stripped(cell);
    const std::size_t point = number.find('.');
    if (number.substr(0, point).size() > 3) return false;
    if (!isDigits(number.substr(0, point))) return false;
    if (point == std::string_view::npos) {
      hasPlain_ = hasPlain_ || number != "0";
      return true;
    }
    const std::string_view behind = number.substr(point + 1);
    ++pointed_;
    zero_ |= behind.ends_with('0');  // which decimals that are written as short as they can be never do
    return number[0] != '0' && behind.size() == 3 && isDigits(behind);
  }
  bool thousands(PairsOf content) const {
    const Index few = zero_ ? 2 : content == PairsOf::edges ? kMany : 3;  // ends of edges are always whole
    return pointed_ >= (hasPlain_ ? few : kMany);
  }
  /// Of classes, which are whole: whether a point stands before three zeros, twice at least.
  bool thousandsOfClasses() const { return zero_ && pointed_ >= 2; }

 private:
  static constexpr Index kMany = 8;  // decimals are hardly all of one length, and none below 1, by chance
  bool hasPlain_ = false, zero_ = false;
  Index pointed_ = 0;
};

void remarkThreeDigits(const std::string& name, std::vector<std::string>& remarks) {
  remarks.push_back(name +
                    ": every number with a point has three digits behind it and all others are below 1000; "
                    "the point is read as that of decimals: if it groups thousands, leave it out");
}

void remarkThousands(const std::filesystem::path& file, const FileHead& head, PairsOf content,
                     std::vector<std::string>& remarks) {
  constexpr std::string_view kCells = " \t;,\r";  // what separates them
  PointedCells pointed;
  bool first = true;
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line)) continue;
    if (std::exchange(first, false) && columnNames(line)) continue;
    if (content == PairsOf::edges && line.find(',') != std::string_view::npos) return;
    const std::size_t begin = line.find_first_not_of(kCells);
    for (std::size_t i = begin; i != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kCells, i), line.size());
      const std::string_view cell = line.substr(i, end - i);
      const bool vertex = content == PairsOf::labels && i == begin && isDigits(stripped(cell));
      if (!vertex && !pointed.take(cell)) return;
      i = line.find_first_not_of(kCells, end);
    }
  }
  const bool classes = content == PairsOf::labels && pointed.thousandsOfClasses();
  if (pointed.thousands(content) || classes) remarkThreeDigits(file.filename().string(), remarks);
}

}  // namespace

void remarkMarks(const std::filesystem::path& file, Index columns, PairsOf content,
                 std::vector<std::string>& remarks) {
  const std::size_t before = remarks.size();
  if (columns == 2) remarkDecimals(file, content, remarks);
  if (remarks.size() > before) return;
  const FileHead head = headWithLines(file);
  remarkThousands(file, head, content, remarks);
  if (columns < 2) return;
  CommaCells cells;
  for (const std::string_view line : linesOf(head.lines))
    if (!isBlankOrComment(line) && !cells.take(line)) return;
  const std::string name = file.filename().string() + ": ";
  if (cells.thousands())
    remarks.push_back(name +
                      "columns in turn have three digits on every line, and ',' is read as what stands "
                      "between two numbers; if it groups thousands, leave it out");
  else if (cells.decimals() && content == PairsOf::features)
    remarks.push_back(
        name +
        "every second column is 0 on every line, and ',' is read as what stands between two numbers; "
        "if it stands before decimals, write a point there");
  else if (!cells.padded().empty() && content != PairsOf::edges)
    remarks.push_back(name + "'" + cells.padded() +
                      "' begins with 0 and is read as a number of its own, with ',' before it; if the comma "
                      "stands before decimals, write a point there");
}

void remarkBlanks(const std::filesystem::path& file, std::vector<std::string>& remarks) {
  const auto isGrouped = [](std::string_view cell) {  // 1 234
    const std::size_t blank = cell.find(' ');
    if (blank == std::string_view::npos) return false;
    for (std::size_t i = blank; i < cell.size(); i += kGroup + 1)
      if (cell[i] != ' ' || cell.size() - i <= kGroup || !isDigits(cell.substr(i + 1, kGroup))) return false;
    return blank <= kGroup && isDigits(cell.substr(0, blank));
  };
  const auto isDecimal = [](std::string_view cell) {  // a weight
    const std::size_t point = cell.find('.');
    return point != std::string_view::npos && isDigits(cell.substr(0, point)) &&
           isDigits(cell.substr(point + 1));
  };
  const FileHead head = headWithLines(file);
  bool first = true, grouped = false;
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line)) continue;
    if (std::exchange(first, false) && columnNames(line)) continue;
    const auto cells = rawCells(line, '\t');
    if (cells.size() < 2) return;
    for (const std::string_view cell : cells) {
      const bool hasGroups = isGrouped(cell);
      if (!hasGroups && !isDecimal(cell) && (cell.size() > kGroup || !isDigits(cell))) return;
      grouped |= hasGroups;
    }
  }
  if (grouped)
    remarks.push_back(
        file.filename().string() +
        ": cells between tabs have blanks before three digits, and a blank is read as what stands "
        "between two numbers; if it groups thousands, leave it out");
}

void remarkPoints(const std::filesystem::path& file, PairsOf content, std::vector<std::string>& remarks) {
  remarkThousands(file, headWithLines(file), content, remarks);
}

void remarkPoints(const Spellings& classes, const std::string& name, std::vector<std::string>& remarks) {
  PointedCells pointed;
  for (const auto& [spelling, label] : classes)
    if (!pointed.take(spelling)) return;
  if (pointed.thousandsOfClasses()) remarkThreeDigits(name, remarks);
}

namespace {

void remarkPairs(const std::filesystem::path& file, std::vector<std::string>& remarks) {
  remarks.push_back(file.filename().string() +
                    ": every row is read as two columns with ',' between them; if the comma stands before "
                    "decimals, write a point there");
}

}  // namespace

void remarkWholePairs(const std::filesystem::path& file, std::vector<std::string>& remarks) {
  const FileHead head = headWithLines(file);
  const auto isPair = [](std::string_view line) { return isBlankOrComment(line) || rowIn(line).has_value(); };
  if (std::ranges::all_of(linesOf(head.lines), isPair)) remarkPairs(file, remarks);
}

void remarkDecimals(const std::filesystem::path& file, PairsOf content, std::vector<std::string>& remarks) {
  const FileHead head = headWithLines(file);
  bool any = false, decimals = false, below1 = content == PairsOf::features,
       allWhole = content != PairsOf::edges;
  for (const std::string_view line : linesOf(head.lines)) {
    if (isBlankOrComment(line)) continue;
    const auto row = rowIn(line);
    if (!row) return;
    any = true;
    decimals |= row->decimals;
    below1 &= row->below1;
    allWhole &= row->isWhole;
  }
  if (any && (decimals || below1 || allWhole)) remarkPairs(file, remarks);
}

}  // namespace halo
