#pragma once

#include "datasets/text/text.h"
#include "engine/base/problem.h"

namespace halo {

/// Empty lines above a value that stands alone on its line. Each is an empty cell: passed over it would give
/// the values below to other vertices. Behind the last value they are none.
class EmptyLines {
 public:
  /// The current line is empty.
  void pass(const TextFile& text) {
    if (line_ == 0) line_ = text.line();
  }
  /// The current line has a value. Throws DamagedInput at the first empty line above it.
  void refuse(const TextFile& text) const {
    if (line_ > 0)
      throw DamagedInput({.file = text.path().string(),
                          .line = line_,
                          .column = 1,
                          .message = "an empty cell; every line holds a value"});
  }

 private:
  Index line_ = 0;
};

}  // namespace halo
