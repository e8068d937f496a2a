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

/// What stands in an edge list beside edges.
struct EdgeListRest {
  bool furtherColumns = false;
  std::string header;  // a first line of names
  /// Adds what a person is told of it.
  void remark(std::vector<std::string>& remarks) const;
};

/// Whether the first edge of a list is rather a line of counts, from the numbers as they go by.
class FirstEdge {
 public:
  void pass(Index source, Index target) {
    if (edges_++ == 0) {
      source_ = source;
      target_ = target;
      return;
    }
    least_ = std::min({least_, source, target});
    most_ = std::max({most_, source, target});
  }
  /// Adds what a person is told where it looks like counts. `numbers`: as they stand in the file.
  void remark(const VertexNumbers& numbers, std::vector<std::string>& remarks) const;

 private:
  bool counts(Index vertices, Index edges) const;

  Index source_ = 0, target_ = 0, edges_ = 0;
  Index least_ = std::numeric_limits<Index>::max(), most_ = -1;  // of the numbers after it
};

/// Calls use(u, v) for every edge of the file in order, with the numbers as `numbers` has them. Throws
/// DamagedInput, also for a file without edges.
EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use);

}  // namespace halo
