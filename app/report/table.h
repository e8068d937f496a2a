#pragma once

#include <string>
#include <vector>

namespace halo {

/// Text in columns: the first line heads, cells that begin like a number stand right, all others left.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { add(std::move(head)); }
  /// What could break the line or steer the terminal is escaped, and a cell of more than 1000 bytes is cut.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() < 2; }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Four significant digits, no exponent where it can be avoided; "–" for none (NaN).
std::string shortNumber(double value);
/// +1.5 → "+1.5 %"; what rounds to nothing has no sign: "0.0 %".
std::string changePercentText(double percent);
/// 1536 → "1.5 KiB".
std::string byteText(double bytes);
/// 0.00123 → "1.23 ms".
std::string secondsText(double seconds);

}  // namespace halo
