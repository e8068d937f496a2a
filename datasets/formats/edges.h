#pragma once

#include <functional>
#include <string>
#include <string_view>

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
};

/// Calls use(u, v) for every edge of the file in order, with the numbers as `numbers` has them. Throws
/// DamagedInput, also for a file without edges.
EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use);

}  // namespace halo
