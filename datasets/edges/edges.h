#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/edges/comment_counts.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_numbers.h"

namespace halo {

/// Formats whose lines may look alike.
inline constexpr const char* kEdgeListFormat = "edge-list";
inline constexpr const char* kCountedEdgeListFormat = "counted-edge-list";
inline constexpr const char* kAdjacencyListFormat = "adjacency-list";
inline constexpr const char* kMetisFormat = "metis";

/// Whether a file is called one of METIS.
bool namesMetis(const std::filesystem::path& file);

/// Names of columns, as a first line; perhaps behind an index that has none.
bool isEdgeHeader(std::string_view line);

/// What an edge list tells beside its edges.
struct EdgeListRest {
  bool undirected =
      false;  // as the file says (stated_direction.h): an edge is two arcs, also of a directed set
  bool bipartite = false;  // as KONECT says: the second column numbers other vertices than the first
  bool konect = false;     // vertices are numbered from 1 to as many as are promised
  PromisedCounts promised;
  std::vector<std::string> remarks = {};  // what a person is told of it

  /// The number of vertices that a KONECT file promises. Any of them may have no edges, also the first ones.
  /// Gives −1 if none is promised or the numbers from `smallest` to `largest` are others than 1 … so many.
  Index verticesOfKonect(Index smallest, Index largest) const;
};

/// Whether the comments above the edges say that they are bipartite.
bool saysBipartite(const std::filesystem::path& edgeList);

/// Calls use(u, v) for every edge of the file in order, with the numbers as `numbers` has them. Throws
/// DamagedInput, also for a file without edges.
EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use);

}  // namespace halo
