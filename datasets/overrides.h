#pragma once

#include "datasets/contract/format.h"

namespace halo {

// Numbers of vertices in these files are those of the graph's own file (vertex_names.h).

/// The features of a file, n × f: .npy, .npz with one array, or text with one row a vertex. A first column of
/// text that is just the vertex number is left out. Throws DamagedInput naming file and place.
Matrix readFeatureFile(const std::filesystem::path& file, const GraphVertices& graph,
                       std::vector<std::string>& remarks);

/// Whether a file is an array of numpy, packed or not.
bool isNpy(const std::filesystem::path& file);
/// Whether labels are JSON, packed or not: what begins with a brace is nothing else.
bool isLabelJson(const std::filesystem::path& file);
/// The labels of a file: .npy, JSON { "vertex": class }, or text. Lines of text hold a class (an empty one
/// for none), `vertex class`, or a row of 0 and 1. Throws DamagedInput naming file and place.
LabelFile readLabelFile(const std::filesystem::path& file, const GraphVertices& graph,
                        std::vector<std::string>& remarks);

/// The split of a folder, an .npz or a text. A folder has train, valid and test .csv(.gz), and an .npz has
/// masks or lists of vertices. Text has train, valid, test or none on every line, by any name of split.h.
/// Throws DamagedInput naming file and place.
std::vector<Split> readSplitFile(const std::filesystem::path& file, const GraphVertices& graph,
                                 std::vector<std::string>& remarks);

/// Replaces what `request` names files for; marks that speak of these parts ("generated split") go with them.
void replaceParts(const DatasetRequest& request, RawDataset& raw);

}  // namespace halo
