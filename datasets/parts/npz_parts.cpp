#include "datasets/parts/npz_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "datasets/parts/split.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::initializer_list<const char*> kSparseGraphs = {"adj_", "adj_matrix.", "adj_matrix_", ""};
constexpr std::initializer_list<const char*> kEdges = {"edge_index", "edges", "edge_list"};

/// The two vertices of every edge: two rows, or a row an edge.
struct Ends {
  std::vector<std::int64_t> numbers;
  std::size_t count = 0, step = 1, apart = 1;  // edge e: numbers[e * step], numbers[e * step + apart]
};

Ends endsOf(const NamedArrays& arrays, const NamedArrays::Entry& entry, RawDataset& raw) {
  const auto& shape = entry.array->shape;
  if (shape.size() != 2 || (shape[0] != 2 && shape[1] != 2))
    arrays.damaged(entry.name,
                   "is not 2 × E or E × 2; two rows, of the sources and of the targets of E edges");
  const bool inRows = shape[0] == 2 && (shape[1] != 2 || entry.name == "edge_index");
  if (shape[0] == 2 && shape[1] == 2)
    raw.remarks.push_back(entry.name + " is 2 × 2; read as a row " +
                          (inRows ? "of sources and one of targets" : "an edge"));
  const auto edges = static_cast<std::size_t>(inRows ? shape[1] : shape[0]);
  return {entry.array->integers(arrays.place(entry.name)), edges, inRows ? std::size_t{1} : 2,
          inRows ? edges : 1};
}

Index declaredVertices(NamedArrays& arrays) {
  const auto entry = arrays.first({"num_nodes", "num_vertices"});
  if (entry.array == nullptr) return -1;
  const auto numbers = entry.array->integers(arrays.place(entry.name));
  if (numbers.size() != 1 || numbers[0] < 0) arrays.damaged(entry.name, "is not the number of vertices");
  return numbers[0];
}

void readEdges(NamedArrays& arrays, const NamedArrays::Entry& entry, const KnownRows& rows, RawDataset& raw) {
  const Ends ends = endsOf(arrays, entry, raw);
  const Index declared = declaredVertices(arrays);
  raw.vertices = declared >= 0 ? declared : rows.count;
  const auto [least, largest] = std::minmax_element(ends.numbers.begin(), ends.numbers.end());
  const bool fromOne = least != ends.numbers.end() && *least == 1;
  std::string because;
  if (declared < 0 && rows.count >= 0) {
    because = ", as many as `" + rows.array + "` has rows; one of both is wrong";
    if (fromOne && *largest == rows.count) because += ", or `" + entry.name + "` counts from 1: subtract 1";
  }
  if (raw.vertices < 0) {
    raw.vertices = largest == ends.numbers.end() ? 0 : std::max<Index>(*largest, -1) + 1;
    raw.remarks.push_back("the number of vertices does not stand in the file; taken from the largest in " +
                          entry.name);
    if (fromOne)
      raw.remarks.push_back(entry.name +
                            " counts from 0, and no edge of the file has vertex 0: it is a "
                            "vertex without edges; if the file counts from 1, subtract 1");
  }
  requireVertexCount(raw.vertices, arrays.file());
  for (std::size_t i = 0; i < ends.numbers.size(); ++i)
    if (ends.numbers[i] < 0 || ends.numbers[i] >= raw.vertices)
      arrays.damaged(entry.name, "element " + std::to_string(i) + " is " + std::to_string(ends.numbers[i]) +
                                     "; vertices are 0 to " + std::to_string(raw.vertices - 1) + because);
  entry.array->requireBeside(static_cast<double>(ends.count * sizeof(Arc)), "its edges",
                             {.file = arrays.file().string(), .key = entry.name});
  raw.arcs.reserve(ends.count);
  for (std::size_t e = 0; e < ends.count; ++e)
    raw.arcs.push_back({static_cast<Vertex>(ends.numbers[e * ends.step]),
                        static_cast<Vertex>(ends.numbers[e * ends.step + ends.apart])});
}

void readMatrix(NamedArrays& arrays, const std::string& prefix, RawDataset& raw) {
  const SparseArrays adjacency = arrays.sparse(prefix);
  if (adjacency.rows != adjacency.cols)
    arrays.damaged(prefix + "shape", std::to_string(adjacency.rows) + " × " + std::to_string(adjacency.cols) +
                                         " is no graph; as many columns as rows");
  raw.vertices = adjacency.rows;
  raw.arcs = adjacency.arcs();
  adjacency.remarkValues(raw.remarks);
}

/// One part of a split, as several people name it.
struct PartNames {
  Split part;
  std::initializer_list<const char*> masks, lists;
};
const PartNames kParts[] = {
    {Split::train, {"train_mask", "train_masks"}, {"train_idx", "idx_train", "train_index"}},
    {Split::valid,
     {"val_mask", "valid_mask", "val_masks", "valid_masks"},
     {"val_idx", "valid_idx", "idx_val", "val_index", "valid_index"}},
    {Split::test, {"test_mask", "test_masks"}, {"test_idx", "idx_test", "test_index"}},
};

/// The vertices that a mask marks; of several splits in one array the first is taken.
std::vector<Index> marked(const NamedArrays& arrays, const NamedArrays::Entry& entry, Index vertices,
                          std::vector<std::string>& remarks) {
  const auto& shape = entry.array->shape;
  const auto mask = entry.array->reals(arrays.place(entry.name));
  const bool byRows = shape.size() == 2 && shape[0] != vertices && shape[1] == vertices;
  if (!byRows && (shape.empty() || shape.size() > 2 || shape[0] != vertices))
    arrays.damaged(entry.name, fmt::format("has shape {}; {} vertices need one element each",
                                           fmt::join(shape, " × "), vertices));
  const Index splits = shape.size() < 2 ? 1 : shape[byRows ? 0 : 1];
  if (splits == 0) arrays.damaged(entry.name, "holds no split; one element a vertex");
  if (splits > 1)
    remarks.push_back(entry.name + " holds " + std::to_string(splits) + " splits; the first is taken");
  std::vector<Index> members;
  for (Index v = 0; v < vertices; ++v) {
    const double value = mask[static_cast<std::size_t>(byRows ? v : v * splits)];
    if (value != 0 && value != 1)
      arrays.damaged(entry.name, "marks vertex " + std::to_string(v) + " with neither 0 nor 1");
    if (value == 1) members.push_back(v);
  }
  return members;
}

/// A part of a split that lists its vertices.
struct ListedPart {
  Split part;
  std::string name;
  std::vector<std::int64_t> numbers;
};

/// The numbers of a list, which may be a row or a column; several are those of several splits.
std::vector<std::int64_t> listedIn(const NamedArrays& arrays, const NamedArrays::Entry& entry) {
  const auto& shape = entry.array->shape;
  if (std::ranges::count_if(shape, [](Index size) { return size > 1; }) < 2)
    return entry.array->integers(arrays.place(entry.name));
  std::string sizes;
  for (const Index size : shape) sizes += (sizes.empty() ? "" : " × ") + std::to_string(size);
  arrays.damaged(entry.name, "is " + sizes +
                                 ", as of several splits; one list, with every vertex of the part once, or "
                                 "dataset.split names a file with the split that is meant");
}

/// Numbers that stand there twice are no list, but perhaps flags.
void requireOnce(const NamedArrays& arrays, const ListedPart& list, std::size_t at) {
  const auto first = std::find(list.numbers.begin(), list.numbers.end(), list.numbers[at]);
  if (std::cmp_equal(first - list.numbers.begin(), at)) return;
  arrays.damaged(list.name, "element " + std::to_string(at) + " is " + std::to_string(list.numbers[at]) +
                                ", as element " + std::to_string(first - list.numbers.begin()) +
                                " is; a list has every vertex once, and flags of all vertices are called " +
                                nameOf(list.part) + "_mask");
}

void assignListed(const NamedArrays& arrays, const std::vector<ListedPart>& lists, const GraphVertices& graph,
                  std::vector<Split>& split, std::vector<std::string>& remarks) {
  VertexWords words;
  for (const ListedPart& list : lists)
    words.numbers.insert(words.numbers.end(), list.numbers.begin(), list.numbers.end());
  words.wordAt = [&](Index i) { return std::to_string(words.numbers[static_cast<std::size_t>(i)]); };
  const auto vertices =
      verticesNamed(graph, words, RowCounts::no, arrays.file().filename().string(), remarks);
  auto vertex = vertices.begin();
  for (const ListedPart& list : lists)
    for (std::size_t i = 0; i < list.numbers.size(); ++i, ++vertex) {
      const auto word = [&] { return std::to_string(list.numbers[i]); };
      if (*vertex < 0)
        arrays.damaged(list.name, "element " + std::to_string(i) + ": " + word() + graph.unknown());
      const Split now = split[static_cast<std::size_t>(*vertex)];
      if (now == list.part) requireOnce(arrays, list, i);
      if (!givePart(split, *vertex, list.part)) arrays.damaged(list.name, secondPart(now, word(), list.part));
    }
}

}  // namespace

NamedArrays::NamedArrays(const std::filesystem::path& file) : file_(file), arrays_(readNpz(file)) {}

NamedArrays::Entry NamedArrays::first(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto entry = arrays_.find(name); entry != arrays_.end()) {
      read_.insert(name);
      return {name, &entry->second};
    }
  return {};
}

const char* NamedArrays::sparsePrefix(std::initializer_list<const char*> prefixes) const {
  for (const char* prefix : prefixes)
    for (const char* part : {"indices", "indptr", "row", "col", "data", "shape"})
      if (arrays_.contains(std::string(prefix) + part)) return prefix;
  return nullptr;
}

SparseArrays NamedArrays::sparse(const std::string& prefix) {
  for (const char* part : {"format", "data", "shape", "indices", "indptr", "row", "col", "_is_array"})
    read_.insert(prefix + part);
  return sparseArrays(arrays_, prefix, file_);
}

void NamedArrays::damaged(const std::string& name, const std::string& message) const {
  throw DamagedInput({.file = file_.string(), .key = name, .message = message});
}

std::string NamedArrays::names(bool unreadOnly) const {
  std::string text;
  for (const auto& [name, array] : arrays_)
    if (!unreadOnly || !read_.contains(name)) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void readGraphArrays(NamedArrays& arrays, const KnownRows& rows, RawDataset& raw) {
  raw.everyEdgeOnce = false;
  const char* prefix = arrays.sparsePrefix(kSparseGraphs);
  const auto edges = prefix == nullptr || *prefix == '\0' ? arrays.first(kEdges) : NamedArrays::Entry();
  if (edges.array != nullptr) return readEdges(arrays, edges, rows, raw);
  if (prefix != nullptr) return readMatrix(arrays, prefix, raw);
  if (const auto matrix = arrays.first({"adj_matrix"}); matrix.array != nullptr)
    matrix.array->integers(arrays.place("adj_matrix"));  // throws for pickled ones, with the reason
  const std::string names = arrays.names(false);
  arrays.damaged("",
                 "holds no graph; adj_data, adj_indices, adj_indptr and adj_shape, a matrix of "
                 "scipy.sparse.save_npz, or edge_index. Its arrays are: " +
                     (names.empty() ? "none" : names));
}

GraphIn graphIn(const std::vector<std::string>& names) {
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name + ".npy") != names.end();
  };
  if (std::any_of(names.begin(), names.end(), [](const auto& name) { return name.starts_with("adj_"); }) ||
      std::any_of(kEdges.begin(), kEdges.end(), has))
    return GraphIn::bundle;
  const bool matrix = has("shape") && ((has("indptr") && has("indices")) || (has("row") && has("col")));
  return matrix ? GraphIn::matrixAlone : GraphIn::none;
}

std::vector<Split> readSplitArrays(NamedArrays& arrays, const GraphVertices& graph,
                                   std::vector<std::string>& remarks) {
  std::vector<Split> split;
  std::vector<ListedPart> lists;
  for (const auto& [part, masks, names] : kParts) {
    auto entry = arrays.first(masks);
    const bool byMaskName = entry.array != nullptr;
    if (!byMaskName) entry = arrays.first(names);
    if (entry.array == nullptr) continue;
    for (const auto& alternatives : {masks, names})
      for (const char* name : alternatives)
        if (name != entry.name && arrays.first({name}).array != nullptr)
          remarks.push_back("both " + entry.name + " and " + name + " are there; " + entry.name + " is read");
    split.resize(static_cast<std::size_t>(graph.count), Split::none);
    if (byMaskName || entry.array->type == "b1")  // truth values are flags, whatever they are called
      assignSplit(split, marked(arrays, entry, graph.count, remarks), part, arrays.file(), entry.name);
    else
      lists.push_back({part, entry.name, listedIn(arrays, entry)});
  }
  assignListed(arrays, lists, graph, split, remarks);
  return split;
}

std::vector<Split> readSplitNpz(const std::filesystem::path& file, const GraphVertices& graph,
                                std::vector<std::string>& remarks) {
  NamedArrays arrays(file);
  std::vector<Split> split = readSplitArrays(arrays, graph, remarks);
  if (split.empty())
    arrays.damaged("",
                   "holds no split; masks train_mask, val_mask and test_mask, or lists train_idx, val_idx "
                   "and test_idx. Its arrays are: " +
                       arrays.names(false));
  if (const std::string unread = arrays.names(true); !unread.empty())
    remarks.push_back(file.filename().string() + ": arrays that are not read: " + unread);
  return split;
}

}  // namespace halo
