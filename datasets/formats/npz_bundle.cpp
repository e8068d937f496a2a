// The .npz of the gnn-benchmark collection (Shchur et al. 2018) and its descendants, stored or deflated:
//
//   adj_data adj_indices adj_indptr adj_shape      or adj_matrix.data … : the graph, entry (i, j) is the arc
//   i → j attr_data attr_indices attr_indptr attr_shape  or attr_matrix.data …, or dense attr_matrix (may be
//   absent) labels                                         class, or n × c of 0/1 when multi-label (may be
//   absent) train_mask val_mask test_mask                  (may be absent)

#include <zip.h>

#include <algorithm>
#include <memory>

#include "datasets/formats/sparse_arrays.h"
#include "datasets/scalar_range.h"
#include "datasets/table.h"
#include "datasets/unpack.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr const char* kGraphs[] = {"adj_", "adj_matrix.", "adj_matrix_"};
constexpr const char* kFeatures[] = {"attr_", "attr_matrix.", "attr_matrix_"};

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  int code = 0;
  const std::unique_ptr<zip_t, Discard> archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  // a damaged archive cannot be looked into: its name tells what it was meant to be
  if (!archive) return path.extension() == ".npz";
  const zip_int64_t members = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < members; ++i) {
    const char* name = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
    if (name && std::string_view(name).starts_with("adj_")) return true;
  }
  return false;
}

/// The first of `prefixes` under which a sparse matrix stands; nullptr: none.
const char* prefixIn(const Arrays& arrays, std::span<const char* const> prefixes) {
  for (const char* prefix : prefixes)
    for (const char* part : {"data", "indices", "indptr", "shape"})
      if (arrays.contains(std::string(prefix) + part)) return prefix;
  return nullptr;
}

void readFeatures(const Arrays& arrays, const std::filesystem::path& path, RawDataset& raw) {
  if (const char* prefix = prefixIn(arrays, kFeatures)) {
    const SparseArrays sparse = sparseArrays(arrays, prefix, path);
    requireDenseFits(sparse.rows, sparse.cols, static_cast<Index>(sparse.indices.size()), path);
    for (std::size_t i = 0; i < sparse.data.size(); ++i)
      if (exceedsScalar(sparse.data[i]))
        throw DamagedInput({path.string(), 0, 0, std::string(prefix) + "data",
                            "element " + std::to_string(i) + kBeyondScalar});
    raw.features = sparse.dense();
  } else if (const auto dense = arrays.find("attr_matrix"); dense != arrays.end()) {
    raw.features = dense->second.matrix(path.string() + ": attr_matrix");
  }
}

void readLabels(const Arrays& arrays, const std::filesystem::path& path, RawDataset& raw) {
  const auto found = arrays.find("labels");
  if (found == arrays.end()) return;
  const std::string name = path.string() + ": labels";
  if (found->second.shape.size() == 2 && found->second.shape[1] > 1) {
    raw.multiLabels = found->second.matrix(name);
    raw.classes = static_cast<std::int32_t>(raw.multiLabels.cols());
    return;
  }
  for (const std::int64_t label : found->second.integers(name)) {
    if (label < -1 || label > 1'000'000)
      throw DamagedInput(
          {name, 0, 0, "",
           "label " + std::to_string(label) + " is out of range; a class from 0, or -1 for none"});
    raw.labels.push_back(static_cast<std::int32_t>(label));
  }
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  if (progress) progress("reading " + path.filename().string(), 0);
  const Arrays arrays = readNpz(path);
  RawDataset raw;
  const char* graph = prefixIn(arrays, kGraphs);
  if (!graph) {
    if (const auto matrix = arrays.find("adj_matrix"); matrix != arrays.end())
      matrix->second.integers(path.string() + ": adj_matrix");  // throws for pickled ones, with the reason
    throw DamagedInput(
        {path.string(), 0, 0, "", "holds no graph; adj_data, adj_indices, adj_indptr and adj_shape"});
  }
  const SparseArrays adjacency = sparseArrays(arrays, graph, path);
  if (adjacency.rows != adjacency.cols)
    throw DamagedInput({path.string(), 0, 0, std::string(graph) + "shape",
                        std::to_string(adjacency.rows) + " × " + std::to_string(adjacency.cols) +
                            " is no graph; as many columns as rows"});
  raw.vertices = adjacency.rows;
  raw.arcs = adjacency.arcs();
  raw.everyEdgeOnce = false;
  readFeatures(arrays, path, raw);
  readLabels(arrays, path, raw);
  raw.split = splitMasks(arrays, raw.vertices, path);
  if (progress) progress("reading " + path.filename().string(), 1);
  return raw;
}

const Registered<FormatEntry> self{
    {{"npz", ".npz bundle of the gnn-benchmark collection (adj_…, attr_…, labels)", "Shchur et al. 2018"},
     3,
     recognises,
     read}};

}  // namespace
}  // namespace halo
