#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/text.h"

namespace halo {

/// Comments that divide the lines of formats which look like edges: `#` alone between the vertices and the
/// edges of TGF, `# 5` above the neighbours of vertex 5 in LGL.
class BlockMarks {
 public:
  /// For a comment or an empty line, the one that was read last. Throws DamagedInput at a second mark of LGL.
  void pass(const TextFile& text, std::string_view line);
  /// Before a line that is none of them. Throws DamagedInput behind a mark of TGF, and of LGL where the
  /// file's name says so.
  void requireNone(const TextFile& text);
  /// Adds what is to be said of a number alone above all lines.
  void remark(std::vector<std::string>& remarks) const;

 private:
  bool below_ = false;  // lines
  Index commentsBelow_ = 0;
  Index tgfAt_ = 0;  // `#` alone, the first comment below a line
  Index lglAt_ = 0;  // a number alone, the last one above all lines
  std::string lgl_;
};

}  // namespace halo
