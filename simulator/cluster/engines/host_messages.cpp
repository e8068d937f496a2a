#include "simulator/cluster/engines/host_messages.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
HostMessages::HostMessages(const Plan& plan, const Looks& looks)
    : plan_(plan), looks_(looks), ranks_(at(plan.ranks)) {
  for (const Traffic& traffic : plan.traffics) {
    auto& flowsOfRank = flowsAt_.emplace_back(at(plan.ranks));
    for (std::size_t f = 0; f < traffic.flows.size(); ++f) {
      flowsOfRank[at(traffic.flows[f].source)].push_back(static_cast<std::int32_t>(f));
      flowsOfRank[at(traffic.flows[f].target)].push_back(static_cast<std::int32_t>(f));
    }
  }
}

std::int64_t HostMessages::post(int rank, int step, std::int32_t epoch) {
  const int traffic = plan_.steps[at(step)].traffic;
  Rank& own = ranks_[at(rank)];
  std::int64_t copied = 0;
  for (const std::int32_t number : flowsAt_[at(traffic)][at(rank)]) {
    const Flow& flow = plan_.traffics[at(traffic)].flows[at(number)];
    const Key key{step, epoch, number};
    const auto [entry, isNew] = messages_.try_emplace(key);
    Message& message = entry->second;
    if (isNew) {
      message = {flow.source, flow.target, {step, epoch}};
      message.left = flow.bytes;
      message.answered = flow.bytes <= looks_.smallBytes;
    }
    own.messages.push_back(key);
    ++own.open[message.exchange];
    (rank == flow.source ? message.sent : message.awaited) = true;
    if (rank == flow.target || !message.answered) continue;
    copied += message.left;
    message.buffered = message.left;
    message.left = 0;
    through(message, /*sender=*/true);
  }
  std::erase_if(own.messages, [&](const Key& key) {
    const Message& message = messages_.at(key);
    return rank == message.source && message.sendDone;
  });
  return copied;
}

std::int64_t HostMessages::beginLook(int rank) {
  std::int64_t copied = 0;
  for (const Key& key : ranks_[at(rank)].messages) {
    Message& message = messages_.at(key);
    if (rank == message.target) {
      message.answers = message.sent && !message.answered;
      message.takes = looks_.singleCopy && message.answers ? message.left : message.buffered;
      copied += message.takes;
    } else {
      message.learns = message.back;
      const std::int64_t room = looks_.fragmentBytes * looks_.fragments - message.underWay + message.learns;
      message.puts = message.answered ? std::min(message.left, room) : 0;
      copied += message.puts;
    }
  }
  return copied;
}

void HostMessages::endLook(int rank) {
  std::vector<Key>& messages = ranks_[at(rank)].messages;
  for (const Key& key : messages) {
    Message& message = messages_.at(key);
    if (rank == message.target) {
      if (looks_.singleCopy && message.answers) {  // read, as if the sender had copied it in
        message.left -= message.takes;
        message.buffered += message.takes;
        message.underWay += message.takes;
      }
      message.answered = message.answered || message.answers;
      message.buffered -= message.takes;
      message.back += message.takes;
      if (message.sent && message.answered && message.left == 0 && message.buffered == 0)
        through(message, /*sender=*/false);
    } else {
      message.back -= message.learns;
      message.underWay += message.puts - message.learns;
      message.left -= message.puts;
      message.buffered += message.puts;
      message.puts = 0;
      if (message.answered && message.left == 0 && message.underWay == 0) through(message, /*sender=*/true);
    }
  }
  std::erase_if(messages, [&](const Key& key) {
    const auto entry = messages_.find(key);
    const Message& message = entry->second;
    if (!(rank == message.source ? message.sendDone : message.receiveDone)) return false;
    if (message.sendDone && message.receiveDone) messages_.erase(entry);
    return true;
  });
}

void HostMessages::through(Message& message, bool sender) {
  (sender ? message.sendDone : message.receiveDone) = true;
  auto& open = ranks_[at(sender ? message.source : message.target)].open;
  const auto exchange = open.find(message.exchange);
  HALO_CHECK(exchange != open.end());
  if (--exchange->second == 0) open.erase(exchange);
}

bool HostMessages::complete(int rank, int step, std::int32_t epoch) const {
  return !ranks_[at(rank)].open.contains({step, epoch});
}

}  // namespace halo::cluster
