#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "datasets/parts/sparse_arrays.h"

namespace halo {

/// The arrays of an .npz, which people call by different names; remembers which of them were read.
class NamedArrays {
 public:
  explicit NamedArrays(const std::filesystem::path& file);

  struct Entry {
    std::string name;
    const NpyArray* array = nullptr;  // nullptr: none of the names is there
  };
  /// The first of `names` that is there.
  Entry first(std::initializer_list<const char*> names);
  /// The first of `prefixes` under which a sparse matrix stands; nullptr: none.
  const char* sparsePrefix(std::initializer_list<const char*> prefixes) const;
  SparseArrays sparse(const std::string& prefix);

  /// Where an array stands, for messages.
  std::string place(const std::string& name) const { return file_.string() + ": " + name; }
  [[noreturn]] void damaged(const std::string& name, const std::string& message) const;
  const std::filesystem::path& file() const { return file_; }
  /// "a, b": all, or those that nobody has read.
  std::string names(bool unreadOnly) const;

 private:
  std::filesystem::path file_;
  Arrays arrays_;
  std::set<std::string> read_;
};

/// Rows of an array that has one a vertex.
struct KnownRows {
  Index count = -1;  // −1: there is no such array
  std::string array;
};

/// Arcs and number of vertices: a sparse matrix adj_…, adj_matrix.… or as scipy.sparse.save_npz names its
/// arrays, or edge_index of PyTorch Geometric. `rows`: what else tells how many vertices there are.
void readGraphArrays(NamedArrays& arrays, const KnownRows& rows, RawDataset& raw);
/// What the members of an archive promise: no graph, a sparse matrix under no other name, or more certain
/// signs.
enum class GraphIn { none, matrixAlone, bundle };
GraphIn graphIn(const std::vector<std::string>& names);

/// Masks or lists of vertices of train, valid and test; empty: there are none.
std::vector<Split> readSplitArrays(NamedArrays& arrays, const GraphVertices& graph,
                                   std::vector<std::string>& remarks);

/// The same from a file that holds nothing else; throws DamagedInput where it holds none.
std::vector<Split> readSplitNpz(const std::filesystem::path& file, const GraphVertices& graph,
                                std::vector<std::string>& remarks);

}  // namespace halo
