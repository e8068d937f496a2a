#pragma once

#include "datasets/dataset.h"

namespace halo {

/// The features of a file: .npy, .npz with one array, or text with one row a vertex (a first column that is
/// just the vertex number is left out). n × f; throws DamagedInput naming file and place.
Matrix readFeatureFile(const std::filesystem::path& file, Index vertices, std::vector<std::string>& remarks);

struct LabelFile {
  std::vector<std::int32_t> labels;
  Matrix multiLabels;
  std::int32_t classes = 0;  // of multi-label sets
};
/// The labels of a file: .npy, .json { "vertex": class }, or text: a class a line, `vertex class` on a line,
/// or a row of 0 and 1 a line. Throws DamagedInput naming file and place.
LabelFile readLabelFile(const std::filesystem::path& file, Index vertices, std::vector<std::string>& remarks);

/// The split of a folder with train, valid and test .csv(.gz), an .npz with masks, or text with train, valid,
/// test or none on every line. Throws DamagedInput naming file and place.
std::vector<Split> readSplitFile(const std::filesystem::path& file, Index vertices);

/// Replaces what `request` names files for. `Parts` is a RawDataset or a Dataset.
template <class Parts>
void replaceParts(const DatasetRequest& request, Index vertices, Parts& parts) {
  if (!request.features.empty()) parts.features = readFeatureFile(request.features, vertices, parts.remarks);
  if (!request.labels.empty()) {
    LabelFile file = readLabelFile(request.labels, vertices, parts.remarks);
    parts.labels = std::move(file.labels);
    parts.multiLabels = std::move(file.multiLabels);
    parts.classes = file.classes;
  }
  if (!request.split.empty()) parts.split = readSplitFile(request.split, vertices);
}

}  // namespace halo
