#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// The one rule of all readers. No label are −1 or nan as a number of any spelling, and nothing at all. So
/// are nan, na, n/a, none and null in any case. Blanks and double quotes around it do not count.
bool saysNoLabel(std::string_view cell);
bool saysNoLabel(double number);
/// Whether it says so by −1, which others write for a class.
bool saysMinusOne(std::string_view cell);

/// What stood for no label among classes that are names, of which such a word may be one.
class NoLabelWords {
 public:
  /// Whether `cell` says that there is no label.
  bool take(std::string_view cell);
  /// Whether −1 was among what says so.
  bool minusOne() const { return minusOne_; }
  /// Remarks the words, for `file`, where classes are names; where they are numbers a word is none of them.
  void remark(bool classesAreNames, const std::string& file, std::vector<std::string>& remarks) const;

 private:
  std::size_t words_ = 0;
  std::string first_;
  bool minusOne_ = false;
};

/// Remarks vertices for which a file of labels has no line, if there are any.
void remarkWithoutLine(const std::string& file, Index missing, Index vertices,
                       std::vector<std::string>& remarks);

}  // namespace halo
