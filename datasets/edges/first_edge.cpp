#include "datasets/edges/first_edge.h"

#include "datasets/edges/edges.h"
#include "datasets/text/text.h"

namespace halo {

void FirstEdge::begin(Index source, Index target, std::string_view behind) {
  source_ = source;
  target_ = target;
  wide_ = !behind.empty();
  if (const auto numbers = wholeNumbers(behind); numbers && numbers->size() == 1) third_ = (*numbers)[0];
}

std::string FirstEdge::sizeOfMatrix() const {
  constexpr Index kFewest = 3;
  const bool entries = third_ >= kFewest && third_ == edges_ - 1 && source_ != target_;
  const bool within = least_ >= 0 && mostSource_ <= source_ && mostTarget_ <= target_;
  if (!entries || !within) return "";
  return std::to_string(source_) + " " + std::to_string(target_) + " " + std::to_string(third_);
}

/// As exactly as counts are written: of lines with an edge each or two of them, or with their own line.
bool FirstEdge::counts(Index vertices, Index edges) const {
  const Index listed = edges_ - 1;
  return edges > 0 && (most() < vertices || (least_ == 1 && most() == vertices)) &&
         (edges == listed || edges == listed + 1 || edges == 2 * listed ||
          (listed % 2 == 0 && edges == listed / 2));
}

/// Whether the first number counts all vertices that there are. The second has to be too large for a vertex
/// or equal to the first. Any other will do in a list that neither lacks the first vertices nor begins with
/// its largest ones because it descends.
bool FirstEdge::countsVertices() const {
  if (most() != source_ - 1 && (least_ != 1 || most() != source_)) return false;
  const bool descends = next_ == source_ || next_ == source_ - 1;
  return target_ > most() || target_ == source_ || (least_ <= 1 && !descends && edges_ > 3);
}

/// All edges after it exactly, and the largest vertex number in place of how many there are.
bool FirstEdge::countsToLargest() const {
  const Index largest = least_ == 1 ? most() - 1 : most();  // numbers from 1 that a loop from 0 counted
  return target_ == edges_ - 1 && source_ == largest && edges_ > 3;
}

void FirstEdge::remark(const VertexNumbers& numbers, bool named, std::vector<std::string>& remarks) const {
  if (edges_ == 1 && source_ == 0 && target_ == 0)
    remarks.emplace_back(
        "the only line (0 0) is read as an edge; if it counts no vertices and no edges, the graph is empty");
  if (edges_ < 2 || least_ < 0 || source_ < 0 || target_ < 0) return;
  const bool square = source_ == target_ && source_ > most();  // rows and columns of a matrix
  const bool forward = counts(source_, target_) || countsVertices() || countsToLargest() || square;
  if (!forward && !counts(target_, source_)) return;
  const bool fits = target_ == edges_ - 1 && !wide_ && !named;
  remarks.push_back(
      "the first edge (" + numbers.text(source_) + " " + numbers.text(target_) + ") looks like counts of " +
      (forward ? "vertices and edges" : "edges and vertices") + "; if it is, take its line out" +
      (forward && fits ? std::string(" or choose dataset.format = \"") + kCountedEdgeListFormat + "\"" : ""));
}

}  // namespace halo
