#pragma once

#include <optional>
#include <vector>

#include "engine/comm/exchange/exchange.h"

namespace halo {

/// Sums over the clones of each vertex, for matrices whose rows are a rank's clones: own vertices (roots),
/// then leaves (DistGNN's tree, of one level). A leaf sends its row to its root. The root adds what it gets
/// to its own, and sends the sum back. Then all clones' rows are the same, bit for bit. It is its own
/// adjoint.
class CloneTree {
 public:
  /// `peers`: the plan by which roots' rows go to leaves; outlives this.
  CloneTree(Communicator& comm, const std::vector<HaloPeer>& peers)
      : exchange_(comm, peers), count_(receiveCount(peers)) {}

  void sum(int tag, Matrix& rows);
  std::size_t bufferBytes() const { return exchange_.bufferBytes() + leaves_.heldBytes(); }

 private:
  HaloExchange exchange_;
  Index count_;
  Matrix leaves_;
};

/// The same in r steps (cd-r). Split vertices are in r bins, of which each epoch sends one. What is sent is
/// used r epochs later, when the bin's turn comes again. In between a root adds what it got last to its own
/// fresh row. A leaf uses the sum that it got last, or before the first its own row.
class DelayedTree {
 public:
  /// One bin's part of the plan; its rows are numbered within roots, and leaves.
  struct Bin {
    std::vector<HaloPeer> peers;
    std::vector<Vertex> roots, leaves;  // rows of a matrix of clones
  };
  /// `peers`: as CloneTree's, of `own` vertices; binOf: by row.
  static std::vector<Bin> bins(const std::vector<HaloPeer>& peers, Index own, std::int64_t count,
                               const std::vector<std::int64_t>& binOf);

  /// `bins` outlive this.
  DelayedTree(Communicator& comm, const std::vector<Bin>& bins);

  /// Takes in what is due, makes `rows` what this epoch uses of them, and sends this epoch's bin.
  void sum(std::int64_t epoch, int tag, Matrix& rows);
  /// rows, own partial sums, as the last `sum` used them.
  void use(Matrix& rows) const;
  /// Epochs since what the last `sum` used was sent, in the mean over the rows that used something that came;
  /// none where nothing has come.
  std::optional<double> meanAge() const;
  void drain();
  /// Rows on their way; sums that came and are used until the next.
  std::size_t bufferBytes() const;
  std::size_t historyBytes() const;

 private:
  struct Slot {
    HaloExchange up, down;
    std::optional<std::int64_t> postedIn, usedFrom;  // epochs: of what is under way, and of what came last
    bool answered = false;                           // a root's sum has come
    Matrix sent;                                     // leaves' rows under way
    Matrix remote;                                   // by root: the sum of what its leaves sent last
    Matrix totals;                                   // by leaf: what its root sent last
  };
  void take(Slot& slot, const Bin& bin);
  void reserve(int tag, Index width);

  Communicator& comm_;
  const std::vector<Bin>& bins_;
  std::vector<Slot> slots_;
  Matrix passing_;
  Index width_ = -1;        // that everything is large enough for
  std::int64_t epoch_ = 0;  // of the last sum
};

}  // namespace halo
