#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "simulator/cluster/machines/machine.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// Messages that the ranks of one host move themselves, through memory that two of them share. Nothing moves
/// but in a look (Looks), in which a rank does what is its turn in each of its messages.
///
///   small   copied in when it is posted, and out at a look of the receiver
///   large   announced when it is posted; a look of the receiver answers once its receive is posted too; then
///           each look of the sender copies in as many fragments as are not under way, and each look of the
///           receiver copies those out and gives them back, until all are back at the sender
///   or      announced when it is posted; the first look of the receiver after both have posted it reads all
///           of it out of the sender's memory, and the sender's next look learns that (Looks::whole)
///
/// What a look does others see when it is over. Not modelled: order among a rank's messages, and limits on
/// the fragments of all messages together. Memory: linear in messages under way.
class HostMessages {
 public:
  /// Both outlive this.
  HostMessages(const Plan& plan, const Looks& looks);

  /// The rank's sends and receives of an exchange begin; returns the bytes that it copies for that.
  std::int64_t post(int rank, int step, std::int32_t epoch);
  /// A look of the rank begins; returns the bytes that it copies in it.
  std::int64_t beginLook(int rank);
  void endLook(int rank);
  /// Whether all messages of an exchange that the rank has posted, in and out, are through.
  bool complete(int rank, int step, std::int32_t epoch) const;
  /// Whether any that the rank has posted is not.
  bool any(int rank) const { return !ranks_[at(rank)].open.empty(); }

 private:
  using Exchange = std::pair<int, std::int32_t>;            // step, epoch
  using Key = std::tuple<int, std::int32_t, std::int32_t>;  // its traffic's flow: step, epoch, flow
  struct Message {
    int source = 0, target = 0;
    Exchange exchange;
    bool sent = false, awaited = false;  // posted by the sender, by the receiver
    bool answered = false;               // the sender may copy in
    std::int64_t left = 0;               // bytes to be copied in
    std::int64_t buffered = 0;           // copied in, and not out
    std::int64_t back = 0;               // copied out, which the sender does not know yet
    std::int64_t underWay = 0;           // copied in, and not known to be out
    bool sendDone = false, receiveDone = false;
    std::int64_t puts = 0, learns = 0, takes = 0;  // of the looks under way: the sender's, the receiver's
    bool answers = false;
  };
  struct Rank {
    std::vector<Key> messages;              // posted, and not through
    std::map<Exchange, std::int64_t> open;  // how many of each exchange
  };

  void through(Message& message, bool sender);

  const Plan& plan_;
  const Looks& looks_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<std::vector<std::int32_t>>> flowsAt_;  // by traffic and rank, in and out
  std::map<Key, Message> messages_;
};

}  // namespace halo::cluster
