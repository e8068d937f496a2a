#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/dataset.h"
#include "datasets/text/vertex_names.h"

namespace halo {

/// The part of a split that a flag, a list or a file is named for, by any of the usual names. Such names are
/// "train", "is_val", "validation", "test_mask", "idx_train" and "te". Nothing: for none.
std::optional<Split> partNamed(std::string_view name);

/// "train", "valid", "test" or "none".
const char* nameOf(Split part);

/// Gives a vertex its part; false if it has one already.
bool givePart(std::vector<Split>& split, Index vertex, Split part);
/// What is wrong then: the vertex, listed as `word`, has `now`.
std::string secondPart(Split now, const std::string& word, Split part);
/// Gives many vertices their part; throws DamagedInput naming `file` and `key`.
void assignSplit(std::vector<Split>& split, const std::vector<Index>& vertices, Split part,
                 const std::filesystem::path& file, const std::string& key = "");

/// A split from a folder with train, valid and test .csv(.gz), of vertices as vertex_names.h reads them.
/// Throws DamagedInput naming file and line.
std::vector<Split> readSplitFolder(const std::filesystem::path& folder, const GraphVertices& graph,
                                   std::vector<std::string>& remarks);

}  // namespace halo
