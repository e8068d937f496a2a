#pragma once

#include <array>
#include <vector>

#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// Row blocks of a sparse matrix, one a rank, that travel round the ring of all ranks. Each rank sees every
/// block and holds at most three. A block that has nonzeros travels as its offsets, its columns and, if it
/// has any, its values: two or three messages.
class BlockRing {
 public:
  /// Collective. `weighted`: whether the blocks have values.
  BlockRing(Communicator& comm, Csr own, bool weighted);

  /// Collective. Calls visit(rank, block) with this rank's block, then those of the ranks after it, each
  /// while the next is on its way.
  template <class Visit>
  void turn(int tag, const Visit& visit);

  /// Of the own block, and of the room for others', which is taken at the beginning.
  std::size_t bytes() const;

 private:
  void makeRoom();
  void startReceive(int from, int tag, int owner, Csr& block);
  void startSend(int to, int tag, const Csr& block);

  Communicator& comm_;
  Csr own_;
  bool weighted_;
  std::vector<Index> rows_, nonzeros_;  // by rank
  std::array<Csr, 2> passing_;
  std::vector<Transfer> transfers_;
};

template <class Visit>
void BlockRing::turn(int tag, const Visit& visit) {
  const int size = comm_.size(), me = comm_.rank();
  const int next = (me + 1) % size, previous = (me + size - 1) % size;
  const Csr* block = &own_;
  for (int step = 0; step < size; ++step) {
    Csr& coming = passing_[at(step % 2)];
    if (step + 1 < size) {
      startReceive(next, tag, (me + step + 1) % size, coming);
      startSend(previous, tag, *block);
    }
    visit((me + step) % size, *block);
    comm_.waitAll(transfers_);
    transfers_.clear();
    block = &coming;
  }
}

/// What travels of a block at each step: the closed form of startSend. `valueBytes`: 0 where it has no
/// values.
struct BlockCost {
  std::int64_t messages = 0, bytes = 0;
};
BlockCost blockCost(std::int64_t rows, std::int64_t nonzeros, std::int64_t valueBytes);

}  // namespace halo
