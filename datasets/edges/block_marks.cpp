#include "datasets/edges/block_marks.h"

#include <algorithm>
#include <cctype>

#include "datasets/edges/file_head.h"

namespace halo {
namespace {

/// The number that stands alone behind `#`; "": something else does.
std::string_view numberAlone(std::string_view line) {
  const std::size_t mark = line.find_first_not_of(" \t");
  if (mark == std::string_view::npos || line[mark] != '#') return "";
  const std::size_t begin = line.find_first_not_of(" \t", mark + 1), end = line.find_last_not_of(" \t\r") + 1;
  if (begin == std::string_view::npos || begin >= end) return "";
  const std::string_view word = line.substr(begin, end - begin);
  return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; }) ? word : "";
}

bool namesLgl(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".lgl") || name.find(".lgl.") != std::string::npos;
}

std::string lglSays(const std::string& number) {
  return "`# " + number +
         "` above a block of lines, as in LGL, where it names a vertex and the lines its neighbours; write "
         "each edge as `u v` on a line, or take such lines out if all others are whole";
}

}  // namespace

bool numbersGraph(std::string_view comment) {
  constexpr std::string_view kGraph = "graph";
  comment.remove_prefix(std::min(comment.find_first_not_of("#% \t"), comment.size()));
  const bool named =
      comment.size() > kGraph.size() && std::ranges::equal(comment.substr(0, kGraph.size()), kGraph, {},
                                                           [](unsigned char c) { return std::tolower(c); });
  if (!named) return false;
  comment.remove_prefix(std::min(comment.find_first_not_of(" \t:#", kGraph.size()), comment.size()));
  comment = comment.substr(0, comment.find_last_not_of(" \t\r:") + 1);
  return !comment.empty() && std::ranges::all_of(comment, [](char c) { return c >= '0' && c <= '9'; });
}

void CountedBlocks::pass(Index source, Index target) {
  if (!fit_) return;
  if (left_ > 0) {
    fit_ = std::max(source, target) <= vertices_;
    --left_;
    return;
  }
  vertices_ = source, left_ = target;
  fit_ = target > 0;
  ++blocks_;
}

void CountedBlocks::remark(std::vector<std::string>& remarks) const {
  if (fit_ && left_ == 0 && blocks_ > 1)
    remarks.push_back(
        "the lines fit " + std::to_string(blocks_) +
        " graphs one after the other, each below its counts of vertices and edges; all are read as "
        "edges of one graph");
}

void BlockMarks::pass(const TextFile& text, std::string_view line) {
  if (isBlankLine(line)) return;
  if (!below_ && (line.starts_with("# type: sparse matrix") || line.starts_with("# type: matrix")))
    text.damaged(
        "a matrix in Octave's text form, which is not read; write it as MatrixMarket, or `u v` on a line",
        line);
  if (const std::string_view number = numberAlone(line); !number.empty()) {
    if (below_ && lglAt_ > 0) text.damagedAt(text.line(), lglSays(std::string(number)));
    if (!below_) {
      lglAt_ = text.line();
      lgl_ = number;
    }
  }
  if (!below_) return;
  const bool alone = line.find_first_not_of(" \t") == line.find_last_not_of(" \t\r");
  const bool first = commentsBelow_++ == 0;
  tgfAt_ = alone && first && line.find('#') != std::string_view::npos ? text.line() : 0;
}

void BlockMarks::refuseMarks(const TextFile& text) {
  if (tgfAt_ > 0)
    text.damagedAt(tgfAt_,
                   "`#` alone between two blocks of lines, as in TGF, which names vertices above it and "
                   "lists edges below; keep the lines below it, or take this one out if all are edges");
  if (lglAt_ > 0 && namesLgl(text.path())) text.damagedAt(lglAt_, lglSays(lgl_));
  below_ = true;
}

void BlockMarks::remark(std::vector<std::string>& remarks) const {
  if (lglAt_ > 0)
    remarks.push_back("line " + std::to_string(lglAt_) + " (# " + lgl_ +
                      ") is read as a comment; it may count vertices, or name one whose neighbours follow, "
                      "as in LGL");
}

}  // namespace halo
