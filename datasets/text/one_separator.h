#pragma once

#include "datasets/text/text.h"

namespace halo {

/// What separates the fields on every line of a file. A comma on some lines alone may stand before decimals.
class OneSeparator {
 public:
  /// Names of the columns stand above. Any separator may stand below blanks, and blanks or tabs below any.
  void below(char separatorOfNames) { names_ = separatorOfNames; }
  /// For a line whose fields are read. Throws DamagedInput where it has another separator than those above.
  void require(const TextFile& text, const Fields& fields) {
    const char separator = fields.separator();
    if (separator != above_) change(text, fields, separator);
  }

 private:
  void change(const TextFile& text, const Fields& fields, char separator);

  char names_ = 0, above_ = 0;  // 0: there was none
};

}  // namespace halo
