#pragma once

#include <functional>
#include <string_view>

#include "datasets/text.h"

namespace halo {

/// The name of the format of lines `u v`.
inline constexpr const char* kEdgeListFormat = "edge-list";

/// Lines that are no edges: a comment, or nothing; names of columns, as a first line.
bool isEdgeComment(std::string_view line);
bool isEdgeHeader(std::string_view line);

/// Calls use(u, v) for every edge of the file in order, numbers as they stand there. Returns whether lines
/// have further columns. Throws DamagedInput, also for a file without edges.
bool eachEdge(TextFile& text, const std::function<void(Index source, Index target)>& use);

}  // namespace halo
