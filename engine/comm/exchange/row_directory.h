#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// Who owns which vertex, and rows of any vertices from their owners. It serves the set-up of methods that
/// hold more of the graph, or other parts of it, than their share. Control traffic: neither timed nor
/// counted.
class RowDirectory {
 public:
  /// Collective. Both arguments outlive it. Keeps 8 bytes a vertex of the whole graph.
  RowDirectory(Communicator& comm, const LocalGraph& graph);

  const Owners& owners() const { return owners_; }
  int owner(Vertex v) const { return owners_[at(v)]; }
  /// v's row among those of its owner.
  Vertex rowAtOwner(Vertex v) const { return rowAtOwner_[at(v)]; }

  // Collective, each rank with vertices of its own choice: global ids, in any order, own ones included.

  /// Rows of the propagation matrix: vertices × all vertices, columns as global ids, ascending.
  Csr propagationRows(std::span<const Vertex> vertices);
  /// Rows of a matrix that is distributed as the vertices are; `own`: this rank's part (own × width).
  Matrix rows(const Matrix& own, std::span<const Vertex> vertices);
  /// The same for an array of one element a vertex.
  template <class T>
  std::vector<T> elements(const std::vector<T>& own, std::span<const Vertex> vertices);

  /// How to exchange the rows of `vertices` with their owners, again and again, as a halo: others' vertices,
  /// each once, in byOwner's order.
  std::vector<HaloPeer> plan(std::span<const Vertex> vertices);
  /// Sorts vertices by owner, then by id, as halo rows stand.
  void byOwner(std::span<Vertex> vertices) const;

 private:
  /// For each of `vertices`, in order: the bytes that its owner's `encode(row)` gave.
  void fetch(std::span<const Vertex> vertices, const std::function<std::string(Vertex row)>& encode,
             const std::function<void(std::size_t position, std::string_view bytes)>& decode);

  Communicator& comm_;
  const LocalGraph& graph_;
  Owners owners_;
  std::vector<Vertex> rowAtOwner_;
};

template <class T>
std::vector<T> RowDirectory::elements(const std::vector<T>& own, std::span<const Vertex> vertices) {
  std::vector<T> values(vertices.size());
  fetch(
      vertices,
      [&](Vertex row) { return std::string(reinterpret_cast<const char*>(&own[at(row)]), sizeof(T)); },
      [&](std::size_t position, std::string_view bytes) {
        std::memcpy(&values[position], bytes.data(), sizeof(T));
      });
  return values;
}

}  // namespace halo
