#include "datasets/edges/stated_direction.h"

#include <algorithm>

#include "datasets/text/columns.h"

namespace halo {
namespace {

constexpr const char* kInverse = "; inverse arcs are added all the same unless dataset.directed = true";

/// Whether the first word of a comment, without its mark, is this one in any case.
bool says(std::string_view comment, std::string_view word) {
  const auto lower = [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); };
  const std::size_t end = std::min(comment.find_first_of(" \t,;:.()\r"), comment.size());
  return std::ranges::equal(comment.substr(0, end), word, {}, lower);
}

}  // namespace

void StatedDirection::takeComment(std::string_view comment, Index line) {
  if (comment.empty()) return;
  const bool konect = commentAt_ == 0 && comment.front() == '%';
  comment.remove_prefix(std::min(comment.find_first_not_of("#%/! \t"), comment.size()));
  Stated stated = Stated::nothing;
  if (says(comment, "undirected") || (konect && (says(comment, "sym") || says(comment, "bip"))))
    stated = Stated::undirected;
  else if (says(comment, "directed") || (konect && says(comment, "asym")))
    stated = Stated::directed;
  if (comment_ == Stated::nothing) {
    comment_ = stated;
    commentAt_ = line;
  } else if (contradictedAt_ == 0 && stated != Stated::nothing && stated != comment_) {
    contradictedAt_ = line;
  }
}

void StatedDirection::takeType(std::string_view cell) {
  const std::string type = plainName(cell);
  Index& count = type == "directed" ? typesDirected_ : type == "undirected" ? typesUndirected_ : typesOther_;
  ++count;
}

bool StatedDirection::undirected() const {
  return comment_ == Stated::undirected || (typesAgree() && typesUndirected_ > 0);
}

void StatedDirection::remark(std::vector<std::string>& remarks) const {
  if (comment_ == Stated::directed)
    remarks.push_back("line " + std::to_string(commentAt_) + " says that the graph is directed" + kInverse);
  if (contradictedAt_ > 0)
    remarks.push_back("line " + std::to_string(commentAt_) + " says that the graph is " +
                      (comment_ == Stated::directed ? "directed, line " : "undirected, line ") +
                      std::to_string(contradictedAt_) + " the opposite; line " + std::to_string(commentAt_) +
                      " is taken, dataset.directed says it for certain");
  if (typesAgree() && typesDirected_ > 0)
    remarks.push_back(std::string("the column Type says that all edges are directed") + kInverse);
  if (typesAgree() || typesDirected_ + typesUndirected_ == 0) return;
  remarks.push_back("the column Type calls " + std::to_string(typesDirected_) + " edges directed, " +
                    std::to_string(typesUndirected_) + " undirected and " + std::to_string(typesOther_) +
                    " neither: dataset.directed says how all are read");
}

}  // namespace halo
