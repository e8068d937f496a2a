#include "datasets/overrides.h"

#include <algorithm>
#include <cmath>

#include "datasets/json_file.h"
#include "datasets/npz.h"
#include "datasets/table.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& message) {
  throw DamagedInput({file.string(), 0, 0, "", message});
}

void requireRows(const std::filesystem::path& file, Index rows, Index vertices) {
  if (rows != vertices)
    damaged(file, "holds " + std::to_string(rows) + " rows; " + std::to_string(vertices) +
                      " vertices need one each");
}

bool isNpy(const std::filesystem::path& file) { return headOf(file, 6) == "\x93NUMPY"; }

/// Text or .npy; a label is a class or a vertex number, so nothing is rounded.
NumberTable labelNumbers(const std::filesystem::path& file) {
  if (!isNpy(file)) return readNumbers(file);
  const NpyArray array = readNpy(file);
  const auto [rows, cols] = array.extent(file.string());
  return {rows, cols, array.reals(file.string())};
}

std::int32_t classOf(double value, const std::filesystem::path& file, Index row) {
  if (std::isnan(value)) return -1;
  if (value < -1 || value > 1e6 || value != std::floor(value))
    damaged(file, "row " + std::to_string(row) + ": a label is a whole number from 0, or −1 for none");
  return static_cast<std::int32_t>(value);
}

/// `vertex class` on a line: no vertex twice, which two columns of 0 and 1 cannot keep up for long.
bool arePairs(const NumberTable& table) {
  if (table.cols != 2) return false;
  std::vector<double> first;
  for (Index r = 0; r < table.rows; ++r) first.push_back(table(r, 0));
  std::sort(first.begin(), first.end());
  return std::adjacent_find(first.begin(), first.end()) == first.end();
}

LabelFile labelsFromPairs(const NumberTable& table, Index vertices, const std::filesystem::path& file,
                          std::vector<std::string>& remarks) {
  LabelFile result;
  result.labels.assign(static_cast<std::size_t>(vertices), -1);
  double smallest = 1, largest = 0;
  for (Index r = 0; r < table.rows; ++r) {
    smallest = std::min(smallest, table(r, 0));
    largest = std::max(largest, table(r, 0));
  }
  const bool fromOne = smallest == 1 && largest == static_cast<double>(vertices);
  if (fromOne) remarks.push_back(file.filename().string() + " numbers the vertices from 1");
  for (Index r = 0; r < table.rows; ++r) {
    const double vertex = table(r, 0) - (fromOne ? 1 : 0);
    // also what is no number
    if (!(vertex >= 0 && vertex < static_cast<double>(vertices) && vertex == std::floor(vertex)))
      damaged(file, "row " + std::to_string(r) + ": no such vertex; 0 to " + std::to_string(vertices - 1));
    result.labels[static_cast<std::size_t>(vertex)] = classOf(table(r, 1), file, r);
  }
  return result;
}

Matrix multiLabelsOf(const NumberTable& table, const std::filesystem::path& file) {
  Matrix labels(table.rows, table.cols);
  for (Index r = 0; r < table.rows; ++r)
    for (Index c = 0; c < table.cols; ++c) {
      const double value = table(r, c);
      if (value != 0 && value != 1)
        damaged(file, "row " + std::to_string(r) + ", column " + std::to_string(c) +
                          ": several labels a vertex are columns of 0 and 1");
      labels(r, c) = static_cast<Scalar>(value);
    }
  return labels;
}

}  // namespace

Matrix readFeatureFile(const std::filesystem::path& file, Index vertices, std::vector<std::string>& remarks) {
  Matrix features;
  if (isNpy(file)) {
    features = readNpy(file).matrix(file.string());
  } else if (file.extension() == ".npz") {
    const auto arrays = readNpz(file);
    if (arrays.size() != 1)
      damaged(file, "holds " + std::to_string(arrays.size()) + " arrays; one, of one row a vertex");
    features = arrays.begin()->second.matrix(file.string() + ": " + arrays.begin()->first);
  } else {
    bool numbered = false;
    features = readFeatureTable(file, vertices, numbered);
    if (numbered)
      remarks.push_back("the first column of " + file.filename().string() +
                        " is the vertex number and no feature");
  }
  requireRows(file, features.rows(), vertices);
  return features;
}

LabelFile readLabelFile(const std::filesystem::path& file, Index vertices,
                        std::vector<std::string>& remarks) {
  if (file.extension() == ".json") {
    LabelMap map =
        readLabelMap(file, vertices, [&](const std::string& key) { return rowNumber(key, vertices); });
    return {std::move(map.labels), std::move(map.multiLabels), map.classes};
  }
  const NumberTable table = labelNumbers(file);
  if (table.rows == 0) damaged(file, "is empty; a label a vertex");
  if (arePairs(table)) return labelsFromPairs(table, vertices, file, remarks);
  requireRows(file, table.rows, vertices);
  LabelFile result;
  if (table.cols > 1) {
    result.classes = static_cast<std::int32_t>(table.cols);
    result.multiLabels = multiLabelsOf(table, file);
    return result;
  }
  for (Index r = 0; r < table.rows; ++r) result.labels.push_back(classOf(table(r, 0), file, r));
  return result;
}

std::vector<Split> readSplitFile(const std::filesystem::path& file, Index vertices) {
  if (std::filesystem::is_directory(file)) return readSplitFolder(file, vertices);
  if (file.extension() == ".npz") {
    auto split = splitMasks(readNpz(file), vertices, file);
    if (split.empty()) damaged(file, "holds none of train_mask, val_mask and test_mask");
    return split;
  }
  TextFile text(file);
  std::vector<Split> split;
  std::string_view line;
  while (text.next(line)) {
    const std::string_view word = Fields(text, line).word();
    if (word.empty()) continue;
    const Split all[] = {Split::none, Split::train, Split::valid, Split::test};
    const auto* part =
        std::find_if(std::begin(all), std::end(all), [&](Split p) { return word == nameOf(p); });
    if (part == std::end(all))
      text.damaged(shown(word) + " is no part of a split; train, valid, test or none", word);
    split.push_back(*part);
  }
  requireRows(file, static_cast<Index>(split.size()), vertices);
  return split;
}

void replaceParts(const DatasetRequest& request, RawDataset& raw) {
  const auto forget = [&](const char* part) {
    std::erase_if(raw.marks, [&](const std::string& mark) { return mark.ends_with(part); });
  };
  if (!request.features.empty()) {
    raw.features = readFeatureFile(request.features, raw.vertices, raw.remarks);
    forget(" features");
  }
  if (!request.labels.empty()) {
    LabelFile file = readLabelFile(request.labels, raw.vertices, raw.remarks);
    raw.labels = std::move(file.labels);
    raw.multiLabels = std::move(file.multiLabels);
    raw.classes = file.classes;
    forget(" labels");
  }
  if (!request.split.empty()) {
    raw.split = readSplitFile(request.split, raw.vertices);
    forget(" split");
  }
}

}  // namespace halo
