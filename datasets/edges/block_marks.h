#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/text.h"

namespace halo {

/// Comments that divide the lines of formats which look like edges. TGF has `#` alone between the vertices
/// and the edges, and LGL has `# 5` above the neighbours of vertex 5. Octave's text form begins so, too.
class BlockMarks {
 public:
  /// For a comment or an empty line, the one that was read last. Throws DamagedInput at a second mark of LGL,
  /// and where it says Octave.
  void pass(const TextFile& text, std::string_view line);
  /// Before a line that is none of them. Throws DamagedInput behind a mark of TGF, and of LGL where the
  /// file's name says so.
  void requireNone(const TextFile& text) {
    if (tgfAt_ > 0 || !below_) refuseMarks(text);
  }
  /// Adds what is to be said of a number alone above all lines.
  void remark(std::vector<std::string>& remarks) const;

 private:
  void refuseMarks(const TextFile& text);

  bool below_ = false;  // lines
  Index commentsBelow_ = 0;
  Index tgfAt_ = 0;  // `#` alone, the first comment below a line
  Index lglAt_ = 0;  // a number alone, the last one above all lines
  std::string lgl_;
};

/// Whether a comment names a graph by its number and says no more, `# Graph 2`.
bool numbersGraph(std::string_view comment);

/// Lines that fit several graphs one after the other, each below a line that counts its vertices and edges.
class CountedBlocks {
 public:
  /// For the two ends on the next line.
  void pass(Index source, Index target);
  void remark(std::vector<std::string>& remarks) const;

 private:
  bool fit_ = true;
  Index blocks_ = 0, vertices_ = 0, left_ = 0;  // of the block at hand: what its first line counts
};

}  // namespace halo
