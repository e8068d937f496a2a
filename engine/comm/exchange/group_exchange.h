#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/comm/communicator/communicator.h"

namespace halo {

/// What one rank sends to another, or where what it gets goes: whole rows, one after the other.
template <class Element>
struct RowsOf {
  std::span<Element> values;
  Index width = 0;
};

/// Exchanges within a group of ranks, each with each other: all-gathers, reduce-scatters and transpositions
/// of a part of the ranks. Counted as the messages they are; nothing is sent where there is nothing.
class GroupExchange {
 public:
  /// members: ranks, in an order that all of them know; this rank is among them.
  GroupExchange(Communicator& communicator, std::vector<int> members)
      : comm_(communicator), members_(std::move(members)) {}

  const std::vector<int>& members() const { return members_; }

  /// Collective over the group. `sent(i)`: what goes to members()[i], RowsOf<const Scalar>; `received(i)`:
  /// where what comes from it goes, RowsOf<Scalar>. Asked for other ranks only. Complete on return.
  template <class Sent, class Received>
  void run(int tag, const Sent& sent, const Received& received) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i] == comm_.rank()) continue;
      if (const RowsOf<Scalar> rows = received(i); !rows.values.empty())
        transfers_.push_back(comm_.startReceive(members_[i], tag, rows.values, rows.width));
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i] == comm_.rank()) continue;
      if (const RowsOf<const Scalar> rows = sent(i); !rows.values.empty())
        transfers_.push_back(comm_.startSend(members_[i], tag, rows.values, rows.width));
    }
    comm_.waitAll(transfers_);
    transfers_.clear();
  }

 private:
  Communicator& comm_;
  std::vector<int> members_;
  std::vector<Transfer> transfers_;
};

}  // namespace halo
