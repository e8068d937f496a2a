// An .npz, stored or deflated, that holds a graph and perhaps what it is trained on. Of each part, one of
// these names:
//
//   graph     adj_data adj_indices adj_indptr adj_shape, or adj_matrix.data … (gnn-benchmark, Shchur et al.
//   2018)
//             format data shape indices indptr, or row col                    (scipy.sparse.save_npz)
//             edge_index, 2 × E, or edges, E × 2, and perhaps num_nodes       (PyTorch Geometric)
//   features  attr_data …, attr_matrix.data …, or a dense attr_matrix, x, node_features, features
//   labels    labels, y, node_labels: a class a vertex, or n × c of 0 and 1
//   split     train_mask val_mask test_mask, or lists of vertices train_idx val_idx test_idx
//
// Entry (i, j) of a matrix is the arc i → j. All parts but the graph may be absent.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/arrays/scalar_range.h"
#include "datasets/input/archive.h"
#include "datasets/input/limits.h"
#include "datasets/parts/npz_parts.h"
#include "datasets/parts/table.h"
#include "datasets/parts/unsigned_labels.h"
#include "datasets/text/class_number.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// A sparse matrix that stands alone may be features beside a graph, and that of GraphSAINT is its format's.
bool isGraphAlone(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path.parent_path() / "role.json")) return false;
  try {
    const auto shape = readNpzArray(path, "shape").integers(path.string());
    return shape.size() == 2 && shape[0] == shape[1];
  } catch (const DamagedInput&) {  // its reader will say so
    return true;
  }
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const auto names = zipNames(path);
  // a damaged archive cannot be looked into: its name tells what it was meant to be
  if (!names) return path.extension() == ".npz";
  switch (graphIn(*names)) {
    case GraphIn::none:
      return false;
    case GraphIn::matrixAlone:
      return isGraphAlone(path);
    case GraphIn::bundle:
      break;
  }
  return true;
}

/// Returns the name of their array; "": there is none.
std::string readFeatures(NamedArrays& arrays, RawDataset& raw) {
  std::string name;
  if (const char* prefix = arrays.sparsePrefix({"attr_", "attr_matrix.", "attr_matrix_"})) {
    const SparseArrays sparse = arrays.sparse(prefix);
    requireDenseFits(sparse.rows, sparse.cols, static_cast<Index>(sparse.indices.size()), arrays.file());
    name = std::string(prefix) + "data";
    for (std::size_t i = 0; i < sparse.data.size(); ++i)
      if (exceedsScalar(sparse.data[i])) arrays.damaged(name, "element " + std::to_string(i) + kBeyondScalar);
    raw.features = sparse.dense();
  } else {
    const auto dense = arrays.first({"attr_matrix", "x", "node_features", "features", "feats", "feat"});
    if (dense.array == nullptr) return "";
    name = dense.name;
    raw.features = dense.array->matrix(arrays.place(name));
  }
  if (raw.features.cols() == 0) arrays.damaged(name, "has no columns; one or more, or no features at all");
  return name;
}

/// Columns of 0 and 1. A row without a number is one without a label, as a single NaN is.
void settleFlags(const NamedArrays& arrays, const std::string& name, Matrix& flags) {
  const auto isNone = [](Scalar x) { return std::isnan(x); };
  for (Index row = 0; row < flags.rows(); ++row) {
    Scalar* const values = flags.data() + row * flags.cols();
    if (std::all_of(values, values + flags.cols(), isNone)) std::fill_n(values, flags.cols(), Scalar{0});
    Scalar* const wrong =
        std::find_if(values, values + flags.cols(), [](Scalar x) { return x != 0 && x != 1; });
    if (wrong == values + flags.cols()) continue;
    arrays.damaged(name, fmt::format("row {}, column {} is {}; 0 or 1, and all 0 where a vertex has no label",
                                     row, wrong - values, *wrong));
  }
}

/// The same of labels.
std::string readLabels(NamedArrays& arrays, RawDataset& raw) {
  const auto entry = arrays.first({"labels", "y", "node_labels", "label"});
  if (entry.array == nullptr) return "";
  const std::string place = arrays.place(entry.name);
  const auto [rows, columns] = entry.array->extent(place);
  if (columns == 0)
    arrays.damaged(entry.name, "has no columns; a class a vertex, or a column of 0 and 1 a class");
  if (rows == 0) arrays.damaged(entry.name, "has no rows; a label a vertex, or no labels at all");
  if (columns > 1) {
    raw.multiLabels = entry.array->matrix(place);
    settleFlags(arrays, entry.name, raw.multiLabels);
    raw.classes = static_cast<std::int32_t>(columns);
    return entry.name;
  }
  const auto labels = entry.array->reals(place);
  raw.labels.reserve(labels.size());
  for (std::size_t v = 0; v < labels.size(); ++v) {
    const auto label = classIn(labels[v]);
    if (!label)
      arrays.damaged(entry.name, "element " + std::to_string(v) + ": " + numeral(labels[v]) + noClass());
    raw.minusOne = raw.minusOne || labels[v] == -1;
    raw.labels.push_back(*label);
  }
  remarkUnsigned(entry.name, entry.array->type, raw.labels, raw.remarks);
  return entry.name;
}

/// Vertices, where a list of edges leaves them open. One row of several labels is rather all of them.
KnownRows knownVertices(const RawDataset& raw, const std::string& features, const std::string& labels) {
  if (!raw.features.empty()) return {raw.features.rows(), features};
  if (!raw.labels.empty()) return {static_cast<Index>(raw.labels.size()), labels};
  return raw.multiLabels.rows() > 1 ? KnownRows{raw.multiLabels.rows(), labels} : KnownRows();
}

/// A row of labels is no column of them.
void requireLabelRows(const NamedArrays& arrays, const std::string& name, const RawDataset& raw) {
  const Index labels = raw.multiLabels.cols();
  if (raw.multiLabels.rows() != 1 || raw.vertices == 1) return;
  arrays.damaged(name, "is 1 × " + std::to_string(labels) + ", one row for " + std::to_string(raw.vertices) +
                           " vertices; a class a vertex in one dimension, or a row a vertex");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  if (progress) progress("reading " + path.filename().string(), 0);
  NamedArrays arrays(path);
  RawDataset raw;
  const std::string features = readFeatures(arrays, raw), labels = readLabels(arrays, raw);
  if (!features.empty()) raw.featureArray = features;
  if (!labels.empty()) raw.labelArray = labels;
  readGraphArrays(arrays, knownVertices(raw, features, labels), raw);
  requireLabelRows(arrays, labels, raw);
  if (!raw.features.empty() && raw.features.rows() == raw.vertices)
    remarkNumbered(raw.features, "the features of " + path.filename().string(), raw.vertices, raw.remarks);
  raw.split = readSplitArrays(arrays, raw.vertices, raw.remarks);
  if (const std::string unread = arrays.names(true); !unread.empty())
    raw.remarks.push_back("arrays that are not read: " + unread);
  if (progress) progress("reading " + path.filename().string(), 1);
  return raw;
}

const Registered<FormatEntry> self{{{"npz",
                                     ".npz with a graph: gnn-benchmark (adj_…, attr_…, labels), "
                                     "scipy.sparse.save_npz, or edge_index with x and y",
                                     "Shchur et al. 2018"},
                                    3,
                                    recognises,
                                    read}};

}  // namespace
}  // namespace halo
