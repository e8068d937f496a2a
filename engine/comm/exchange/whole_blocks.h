#pragma once

#include <vector>

#include "engine/comm/communicator/communicator.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// What a rank knows of another rank's rows where whole row blocks travel.
struct RemoteBlock {
  Index rows = 0;              // how many it owns
  std::vector<Vertex> needed;  // those this rank aggregates, as its own row numbers, in halo order
  Index haloBegin = 0;         // where these stand among this rank's halo rows
  Csr transposed;              // Pᵀ[own, its rows]: whom of them this rank's rows reach
};

/// Collective, before the epochs. By rank; of this rank itself the number of rows alone. Every other rank
/// stands there, whether or not an edge leads to it.
std::vector<RemoteBlock> exchangeBlocks(Communicator& comm, const LocalGraph& graph);

/// The numbers of rows.
std::vector<Index> rowsOf(const std::vector<RemoteBlock>& blocks);

/// Sends one rank's whole row block to all others of a group. Counted as a message to each of them (of no
/// elements: none), which is what a broadcast delivers, whatever tree it takes.
class BlockBroadcast {
 public:
  /// rows: of the block that each rank sends.
  BlockBroadcast(Communicator& communicator, std::vector<Index> rows);  // the group: all ranks
  BlockBroadcast(Communicator& communicator, std::vector<Index> rows, std::vector<int> group)
      : comm_(communicator), rows_(std::move(rows)), group_(std::move(group)) {}

  /// Collective over the group. `own` (the root's rows) becomes `block` on every other rank, which gives an
  /// `own` of the same width. At the root `block` stays as it is. Complete on return.
  void run(int root, int tag, const Matrix& own, Matrix& block);

 private:
  Communicator& comm_;
  std::vector<Index> rows_;
  std::vector<int> group_;
  std::vector<Transfer> transfers_;
};

}  // namespace halo
