#pragma once

#include <array>
#include <vector>

#include "engine/base/index.h"
#include "engine/comm/exchange/transposition.h"

namespace halo {

/// Vertices in the order in which they are worked on, cut into batches [⌊n b / s⌋, ⌊n (b + 1) / s⌋). Some
/// ranks hold columns, a slice each, of all vertices; others hold rows: a block of every batch each.
struct BatchPlan {
  Index vertices = 0;
  int batches = 1;
  std::vector<int> columnRanks, rowRanks;

  int slices() const { return static_cast<int>(columnRanks.size()); }
  int holders() const { return static_cast<int>(rowRanks.size()); }
  /// Positions of the vertices of a batch, and of those that a row holder has of it.
  Slice batch(int b) const { return sliceOf(vertices, b, batches); }
  Slice block(int b, int holder) const { return dealtBlock(vertices, b, batches, holder, holders()); }
  /// The batch that a position is in.
  int batchOf(Index position) const;
};

/// Which of two matrices under way at once: while one is worked on the next may arrive.
using Turn = int;
constexpr int kTurns = 2;

/// Transfers under way, by batch.
class PendingBatches {
 public:
  PendingBatches(Communicator& comm, int batches) : comm_(comm), transfers_(at(batches)) {}

  void add(int batch, Transfer transfer) { transfers_[at(batch)].push_back(std::move(transfer)); }
  /// Returns how long that took, ns.
  std::int64_t await(int batch);
  std::int64_t awaitAll();

 private:
  Communicator& comm_;
  std::vector<std::vector<Transfer>> transfers_;
};

// The two sides of a transposition between ranks that hold columns and other ranks that hold rows (MixGCN
// 3.2.2). It goes a batch at a time: batches that were sent travel, and may be used, while the next are still
// made. One message a pair and batch, none of no elements. Both sides expect and send the matrices of a tag
// in the same order, batches ascending.

/// Of a rank that holds columns, slice `me`.
class ColumnHolder {
 public:
  /// `plan` outlives it.
  ColumnHolder(Communicator& comm, const BatchPlan& plan, int me);

  Slice slice(Index width) const { return sliceOf(width, me_, plan_.slices()); }
  /// Prepares for a matrix of `width` columns: this slice of them (vertices × slice) comes into `columns`.
  /// `columns` is resized and must stay where it is until all batches were awaited.
  void expect(Turn turn, int tag, Index width, Matrix& columns);
  /// Until the rows of this batch are there.
  void await(Turn turn, int batch) { waitedNs_ += arriving(turn).await(batch); }
  /// Sends each row holder its rows of a batch (vertices of the batch × slice); they must live until `sent`.
  void send(Turn turn, int tag, int batch, const Matrix& rows);
  void sent(Turn turn, int batch) { waitedNs_ += leaving(turn).await(batch); }
  /// Until nothing is under way.
  void finish();

  /// How long it waited for transfers so far.
  std::int64_t waitedNs() const { return waitedNs_; }

 private:
  PendingBatches& arriving(Turn turn) { return arriving_[at(turn)]; }
  PendingBatches& leaving(Turn turn) { return leaving_[at(turn)]; }

  Communicator& comm_;
  const BatchPlan& plan_;
  int me_;
  std::array<PendingBatches, kTurns> arriving_, leaving_;
  std::int64_t waitedNs_ = 0;
};

/// Of a rank that holds rows, `me` among them.
class RowHolder {
 public:
  /// `plan` outlives it.
  RowHolder(Communicator& comm, const BatchPlan& plan, int me);

  /// Prepares for a matrix of `width` columns.
  void expect(Turn turn, int tag, Index width);
  /// Its rows of a batch (block × width), once they are there.
  void await(Turn turn, int batch, Matrix& rows);
  /// Sends each column holder its slice of these rows of a batch, which are packed before this returns.
  void send(Turn turn, int tag, int batch, const Matrix& rows);
  /// Until nothing is under way.
  void finish();

  std::int64_t waitedNs() const { return waitedNs_; }
  /// Gives its buffers back, until they are needed again; never while anything is under way.
  void release();
  std::size_t bufferBytes() const;

 private:
  /// Rows as they travel: the slices follow one another, each row-major.
  struct Packed {
    Buffer<Scalar> values;
    Index width = 0;
    std::span<Scalar> slice(const BatchPlan& plan, Index rows, int s);
  };
  struct Way {
    PendingBatches pending;
    std::vector<Packed> batches;
  };
  Packed& packed(Way& way, int batch, Index width);
  Way& arriving(Turn turn) { return arriving_[at(turn)]; }
  Way& leaving(Turn turn) { return leaving_[at(turn)]; }

  Communicator& comm_;
  const BatchPlan& plan_;
  int me_;
  std::array<Way, kTurns> arriving_, leaving_;
  std::int64_t waitedNs_ = 0;
};

}  // namespace halo
