#pragma once

#include <vector>

#include "engine/comm/communicator/communicator.h"

namespace halo {

/// Rows [begin, begin + count) of a matrix, to or from one rank.
struct RowBlock {
  int rank = 0;
  Index begin = 0, count = 0;
};

/// Sends blocks of one matrix's rows and receives into blocks of another's: for who packs rows itself. One
/// exchange at a time.
class RowExchange {
 public:
  /// Blocks without rows do not stand in the lists; each list's blocks follow one another from row 0.
  RowExchange(Communicator& communicator, std::vector<RowBlock> sent, std::vector<RowBlock> received)
      : comm_(communicator), sent_(std::move(sent)), received_(std::move(received)) {}

  /// Posts the blocks of `rows`, which must live until finish.
  void start(int tag, const Matrix& rows);
  /// The rows that arrived; valid until the next start.
  const Matrix& finish();

  /// Gives the memory of the rows back until the next start.
  void release() { arrived_ = Matrix(); }

  std::size_t bufferBytes() const { return arrived_.heldBytes(); }

 private:
  Communicator& comm_;
  std::vector<RowBlock> sent_, received_;
  Matrix arrived_;
  std::vector<Transfer> transfers_;
};

}  // namespace halo
