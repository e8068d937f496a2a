#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/formats/vertex_numbers.h"
#include "datasets/text.h"

namespace halo {

/// Formats whose lines may look alike.
inline constexpr const char* kEdgeListFormat = "edge-list";
inline constexpr const char* kCountedEdgeListFormat = "counted-edge-list";
inline constexpr const char* kAdjacencyListFormat = "adjacency-list";
inline constexpr const char* kMetisFormat = "metis";

/// Names of columns, as a first line.
bool isEdgeHeader(std::string_view line);

/// Whether the first edge of a list is rather a line of counts, from the numbers as they go by.
class FirstEdge {
 public:
  /// `wide`: more stands on the line.
  void pass(Index source, Index target, bool wide) {
    if (edges_++ == 0) {
      source_ = source;
      target_ = target;
      wide_ = wide;
      return;
    }
    if (edges_ == 2) next_ = source;
    least_ = std::min({least_, source, target});
    most_ = std::max({most_, source, target});
  }
  /// It is no edge.
  void drop() {
    --edges_;
    source_ = -1;
  }
  Index edges() const { return edges_; }
  /// Of the numbers after it.
  Index least() const { return least_; }
  /// Adds what a person is told where it looks like counts. `numbers`: as they stand in the file.
  void remark(const VertexNumbers& numbers, std::vector<std::string>& remarks) const;

 private:
  bool counts(Index vertices, Index edges) const;
  bool countsVertices() const;

  bool wide_ = false;
  Index source_ = 0, target_ = 0, edges_ = 0;
  Index next_ = 0;                                               // the source of the second edge
  Index least_ = std::numeric_limits<Index>::max(), most_ = -1;  // of the numbers after it
};

/// What comments before the edges say how many there are; −1: they do not.
struct PromisedCounts {
  Index edges = -1, edgesAt = 0;  // the line
  Index vertices = -1, verticesAt = 0;
  Index firstSide = -1, secondSide = -1, sidesAt = 0;  // of a bipartite graph
};

/// What an edge list tells beside its edges.
struct EdgeListRest {
  FirstEdge first;
  std::size_t columns = 0;                  // of the first edge
  std::vector<std::string> ofColumns = {};  // what is said of others than the ends of an edge
  std::string header;                       // a first line of names
  bool undirected = false;  // as KONECT says (sym): an edge is two arcs, also of a directed set
  bool bipartite = false;   // as KONECT says: the second column numbers other vertices than the first
  PromisedCounts promised;
  /// Adds what a person is told of it. `numbers`: as they stand in the file.
  void remark(const VertexNumbers& numbers, std::vector<std::string>& remarks) const;
  /// The same of vertices, once it is known how many there are and how many of them have edges.
  void remarkVertices(Index vertices, Index occurring, std::vector<std::string>& remarks) const;
};

/// Calls use(u, v) for every edge of the file in order, with the numbers as `numbers` has them. Throws
/// DamagedInput, also for a file without edges.
EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use);

}  // namespace halo
