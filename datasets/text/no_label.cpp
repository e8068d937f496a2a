#include "datasets/text/no_label.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "datasets/text/text.h"

namespace halo {
namespace {

/// Without the blanks and the pair of quotes around it.
std::string_view bare(std::string_view cell) {
  const auto trim = [&cell] {
    cell.remove_prefix(std::min(cell.find_first_not_of(" \t"), cell.size()));
    cell = cell.substr(0, cell.find_last_not_of(" \t") + 1);
  };
  trim();
  if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') {
    cell = cell.substr(1, cell.size() - 2);
    trim();
  }
  return cell;
}

bool isMissingWord(std::string_view word) {
  if (word.size() > 4) return false;
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "nan" || lower == "na" || lower == "n/a" || lower == "none" || lower == "null";
}

}  // namespace

bool saysNoLabel(double number) { return std::isnan(number) || number == -1; }

bool saysMinusOne(std::string_view cell) {
  const std::string_view word = bare(cell);
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number == -1;
}

bool saysNoLabel(std::string_view cell) {
  const std::string_view word = bare(cell);
  if (word.empty()) return true;
  if (word.front() >= '0' && word.front() <= '9') return false;  // as of most cells
  if (isMissingWord(word)) return true;
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && saysNoLabel(number);
}

bool NoLabelWords::take(std::string_view cell) {
  if (!saysNoLabel(cell)) return false;
  const std::string_view word = bare(cell);
  minusOne_ = minusOne_ || saysMinusOne(word);
  if (!isMissingWord(word)) return true;
  if (words_++ == 0) first_ = word;
  return true;
}

void NoLabelWords::remark(bool classesAreNames, const std::string& file,
                          std::vector<std::string>& remarks) const {
  if (words_ == 0 || !classesAreNames) return;
  remarks.push_back(file + ": " + shown(first_) + " is read as no label (" + std::to_string(words_) +
                    (words_ == 1 ? " vertex" : " vertices") + "); a class needs another name");
}

void remarkWithoutLine(const std::string& file, Index missing, Index vertices,
                       std::vector<std::string>& remarks) {
  if (missing > 0)
    remarks.push_back(file + " has no line for " + std::to_string(missing) + " of " +
                      std::to_string(vertices) + " vertices; they have no label");
}

}  // namespace halo
