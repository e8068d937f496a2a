#pragma once

#include <vector>

#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"

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

/// Neighbouring columns of rows that are `heads` equally wide heads side by side, and the heads they belong
/// to.
struct HeadSlice {
  Slice columns, heads;
};

/// Slice `part` of `parts` of such columns, cut between heads: heads [⌊heads · part / parts⌋, ⌊heads · (part
/// + 1) / parts⌋) are whole in it. With more parts than heads, head h is cut into parts [⌊parts · h / heads⌋,
/// ⌊parts · (h + 1) / heads⌋) of its own. With one head the same as sliceOf.
inline HeadSlice headSliceOf(Index width, Index heads, int part, int parts) {
  const Index each = width / heads;
  if (parts <= heads) {
    const Slice headRange = sliceOf(heads, part, parts);
    return {{headRange.begin * each, headRange.count * each}, headRange};
  }
  const Index head = (heads * (part + 1) - 1) / parts;
  const Slice sharing = sliceOf(parts, static_cast<int>(head), static_cast<int>(heads));
  const Slice own = sliceOf(each, part - static_cast<int>(sharing.begin), static_cast<int>(sharing.count));
  return {{head * each + own.begin, own.count}, {head, 1}};
}

/// Of `count` things in `chunks` chunks, each dealt out to all members in blocks: the block of `member` in
/// `chunk`. A chunk's first block goes to the member after the one that had the last chunk's, so that
/// rounding does not favour the same one.
inline Slice dealtBlock(Index count, int chunk, int chunks, int member, int members) {
  const Slice chunkSlice = sliceOf(count, chunk, chunks);
  const int block = (member - chunk % members + members) % members;
  const Slice part = sliceOf(chunkSlice.count, block, members);
  return {chunkSlice.begin + part.begin, part.count};
}

/// Turns a matrix that is split by rows over a group of ranks into one that is split by columns, and back
/// (MixGCN 3.1.2). It also turns such a matrix into one that all have, and a sum of such back. By rows: a
/// member has its rows, all columns. By columns: it has its slice of the columns, all rows, those of the
/// first member first. One message a pair, none of no elements.
class Transposition {
 public:
  /// `ranks`: the members, this rank is one of them; `rows`: how many each has; `heads`: between which
  /// columns are cut, see headSliceOf.
  Transposition(Communicator& comm, std::vector<int> ranks, std::vector<Index> rows, Index heads = 1);

  int members() const { return static_cast<int>(ranks_.size()); }
  Index totalRows() const { return first_.back(); }
  /// Where the rows of a member begin.
  Index firstRow(int member) const { return first_[at(member)]; }
  Index rowsOf(int member) const { return firstRow(member + 1) - firstRow(member); }
  /// This rank's slice of `width` columns.
  Slice slice(Index width) const { return headSlice(width).columns; }
  HeadSlice headSlice(Index width) const { return headSliceOf(width, heads_, me_, members()); }
  Index heads() const { return heads_; }

  // Collective over the group.

  /// rows (own × width) to columns (all × slice).
  void toColumns(int tag, const Matrix& rows, Matrix& columns);
  /// columns (all × slice) to rows (own × width).
  void toRows(int tag, const Matrix& columns, Index width, Matrix& rows);
  /// rows (own × width) to all (all × width), everybody's.
  void gather(int tag, const Matrix& rows, Matrix& all);
  /// The adjoint: rows is the sum over the members, in ascending order, of their own matrices `all`.
  void sumRows(int tag, const Matrix& all, Matrix& rows);

  /// Gives its buffer back, until it is needed again.
  void release() { packed_ = Buffer<Scalar>(); }
  std::size_t bufferBytes() const { return heldBytes(packed_); }

 private:
  std::span<Scalar> packedFor(int member, Index width);
  std::span<Scalar> rowsIn(Matrix& columns, int member) const;
  std::span<const Scalar> rowsIn(const Matrix& columns, int member) const;
  Slice sliceFor(int member, Index width) const {
    return headSliceOf(width, heads_, member, members()).columns;
  }
  void receive(int member, int tag, std::span<Scalar> into, Index width);
  void send(int member, int tag, std::span<const Scalar> rows, Index width);
  void finish();

  Communicator& comm_;
  std::vector<int> ranks_;
  std::vector<Index> first_;  // by member, and the total
  Index heads_;
  int me_ = 0;
  Buffer<Scalar> packed_;  // own rows, one slice, or one member's, after another
  std::vector<Transfer> transfers_;
};

}  // namespace halo
