#pragma once

#include <vector>

#include "engine/comm/communicator.h"

namespace halo {

/// Neighbouring columns of a matrix.
struct Slice {
  Index begin = 0, count = 0;
};

/// Slice `part` of `parts` of `width` columns: [⌊width · part / parts⌋, ⌊width · (part + 1) / parts⌋).
inline Slice sliceOf(Index width, int part, int parts) {
  const Index begin = width * part / parts;
  return {begin, width * (part + 1) / parts - begin};
}

/// Of `count` things in `chunks` chunks, each dealt out to all members in blocks: the block of `member` in
/// `chunk`. A chunk's first block goes to the member after the one that had the last chunk's, so that
/// rounding does not favour the same one.
inline Slice dealtBlock(Index count, int chunk, int chunks, int member, int members) {
  const Slice whole = sliceOf(count, chunk, chunks);
  const int block = (member - chunk % members + members) % members;
  const Slice part = sliceOf(whole.count, block, members);
  return {whole.begin + part.begin, part.count};
}

/// Turns a matrix that is split by rows over a group of ranks into one that is split by columns, and back
/// (methods.md A4). By rows: a member has its rows, all columns. By columns: it has its slice of the columns,
/// all rows, those of the first member first. One message a pair, none of no elements.
class Transposition {
 public:
  /// `ranks`: the members, this rank is one of them; `rows`: how many each has.
  Transposition(Communicator& comm, std::vector<int> ranks, std::vector<Index> rows);

  int members() const { return static_cast<int>(ranks_.size()); }
  Index totalRows() const { return first_.back(); }
  /// Where the rows of a member begin.
  Index firstRow(int member) const { return first_[static_cast<std::size_t>(member)]; }
  Index rowsOf(int member) const { return firstRow(member + 1) - firstRow(member); }
  /// This rank's slice of `width` columns.
  Slice slice(Index width) const { return sliceOf(width, me_, members()); }

  // Collective over the group.

  /// rows (own × width) to columns (all × slice).
  void toColumns(int tag, const Matrix& rows, Matrix& columns);
  /// columns (all × slice) to rows (own × width).
  void toRows(int tag, const Matrix& columns, Index width, Matrix& rows);

  /// Gives its buffer back, until it is needed again.
  void release() { packed_ = Buffer<Scalar>(); }
  std::size_t bufferBytes() const { return heldBytes(packed_); }

 private:
  std::span<Scalar> packedFor(int member, Index width);
  std::span<Scalar> rowsIn(Matrix& columns, int member) const;

  Communicator& comm_;
  std::vector<int> ranks_;
  std::vector<Index> first_;  // by member, and the total
  int me_ = 0;
  Buffer<Scalar> packed_;  // own rows, one slice after another
  std::vector<Transfer> transfers_;
};

}  // namespace halo
