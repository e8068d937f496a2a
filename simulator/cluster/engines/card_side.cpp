#include "simulator/cluster/engines/card_side.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {

double CardSide::readyNs(const Rank& rank) {
  const Message& next = rank.messages.front();
  return std::max(next.comesNs, rank.freeNs + next.startNs);
}

std::optional<double> CardSide::add(int rank, const Message& message, double nowNs) {
  Rank& sender = rankAt(rank);
  sender.messages.push_back(message);
  sender.messages.back().number = added_++;
  sender.takesNs += message.takesNs;
  if (sender.messages.size() > 1) return std::nullopt;
  return std::max(nowNs, readyNs(sender));
}

void CardSide::ready(int rank, double nowNs) {
  HALO_CHECK(!rankAt(rank).messages.empty());
  const Message& message = rankAt(rank).messages.front();
  waiting_.push({message.startNs > 0 ? nowNs : message.comesNs, message.number, rank});
}

std::optional<CardSide::Service> CardSide::serve(double nowNs) {
  if (served_ || waiting_.empty()) return std::nullopt;
  const int rank = waiting_.top().rank;
  waiting_.pop();
  const Message& message = rankAt(rank).messages.front();
  const double begins = std::max({nowNs, freeNs_, heldNs_});
  freeNs_ = begins + message.takesNs;
  served_ = Service{rank, message, begins, freeNs_};
  return served_;
}

std::optional<CardSide::Freed> CardSide::freed(double nowNs) {
  if (!served_ || nowNs < freeNs_) return std::nullopt;
  Freed freed{*served_, std::nullopt};
  freed.service.endsNs = freeNs_;
  served_.reset();
  Rank& rank = rankAt(freed.service.rank);
  rank.takesNs -= freed.service.message.takesNs;
  rank.messages.pop_front();
  rank.freeNs = freeNs_;
  if (!rank.messages.empty()) freed.readyNs = readyNs(rank);
  return freed;
}

std::optional<double> CardSide::sum(double enteredNs, double onWireNs) {
  if (onWireNs == 0) return std::nullopt;
  if (served_ && freeNs_ <= enteredNs) {  // that message is through before
    heldNs_ = std::max(enteredNs, heldNs_) + onWireNs;
    return std::nullopt;
  }
  freeNs_ = std::max({enteredNs, freeNs_, heldNs_}) + onWireNs;
  return served_ ? std::optional(freeNs_) : std::nullopt;
}

double CardSide::busyUntilNs(int number) const {
  const Rank& rank = ranks_[at(number - firstRank_)];
  if (rank.messages.empty()) return rank.freeNs;
  const bool served = served_ && served_->rank == number;
  return freeNs_ + rank.takesNs - (served ? served_->message.takesNs : 0);
}

}  // namespace halo::cluster
