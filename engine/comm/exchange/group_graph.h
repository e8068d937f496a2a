#pragma once

#include <vector>

#include "engine/comm/exchange/row_directory.h"

namespace halo {

/// `groups` groups of equally many neighbouring ranks: where this rank stands, and the order of its group's
/// vertices, those of the first member first.
struct GroupOrder {
  int groups = 1, group = 0, members = 1, member = 0;
  std::vector<int> ranks;        // of the members
  std::vector<Index> rows;       // vertices of each member
  std::vector<Vertex> ids;       // global id by position
  std::vector<Vertex> position;  // of every vertex of the graph within its own group, by global id

  int groupOf(int rank) const { return rank / members; }
  int memberOf(int rank) const { return rank % members; }
};
GroupOrder groupOrder(const Communicator& comm, const RowDirectory& directory, int groups);

/// Collective. A group's share of the graph as if it were one rank, own and halo vertices in the order of
/// GroupOrder. Its peers are the ranks that are the same member of other groups. `weighted`: whether the
/// propagation matrix of the whole graph has values.
LocalGraph groupGraph(Communicator& comm, RowDirectory& directory, const GroupOrder& order, bool weighted);

/// This rank's rows of the propagation matrix and of its transpose, columns in the order of the one group
/// that is all ranks.
struct RowBlocks {
  Csr rows, transposed;
};
/// Collective.
RowBlocks ownRowBlocks(Communicator& comm, RowDirectory& directory, const GroupOrder& order,
                       const std::vector<Vertex>& owned, bool weighted);

}  // namespace halo
