// RankClocks' waits on machines whose processors move messages, all at once or look by look (Looks).
#include <algorithm>

#include "engine/base/index.h"
#include "simulator/cluster/engines/rank_clocks.h"

namespace halo::cluster {

/// What the processor moves of an exchange while its rank waits; false while it does.
bool RankClocks::copyMessages(int number, Rank& rank, const Step& exchange) {
  const double ns = messageCopyNs(plan_.traffics[at(exchange.traffic)], number, machine_);
  if (ns == 0) return true;
  rank.copying = true;
  rank.waitsIn = rank.step;
  rank.sinceNs = rank.nowNs;
  rank.waiting = true;
  release(rank, rank.nowNs);
  rank.awaited = {-1, -1};  // nothing that arrives ends it
  work(number, rank.nowNs, ns);
  return false;
}

/// The first look of a wait comes at once, and costs what it copies; false while the rank waits.
bool RankClocks::lookForMessages(int number, Rank& rank, const Step& wait) {
  const std::int32_t epoch = rank.epoch - wait.depth;
  rank.waiting = true;
  rank.waitsIn = rank.step;
  rank.sinceNs = rank.nowNs;
  rank.awaited = {wait.exchange, epoch};
  look(number, rank, rank.nowNs, 0);
  return false;
}

/// A look of `ownNs` besides what it copies.
void RankClocks::look(int number, Rank& rank, double nowNs, double ownNs) {
  rank.looking = true;
  const std::int64_t copied = host_->beginLook(number);
  work(number, nowNs, ownNs + copyNs(copied));
}

/// Of messages, by a processor.
double RankClocks::copyNs(std::int64_t bytes) const {
  return machine_.messageCopyGbPerS > 0 ? static_cast<double>(bytes) / machine_.messageCopyGbPerS : 0;
}

/// Messages must have been moved, and the link have brought them. Where all are moved, the rank sleeps until
/// the link has; else it looks again soon, also for others that it has posted.
void RankClocks::looked(const Event& event, Rank& rank) {
  rank.looking = false;
  host_->endLook(event.rank);
  const auto [exchange, epoch] = rank.awaited;
  const bool moved = host_->complete(event.rank, exchange, epoch);
  const Traffic& traffic = trafficAt(exchange);
  const bool incoming = !traffic.offLink && traffic.inMessages[event.rank] > 0;
  const double doneNs = incoming ? inboxOf(event.rank, exchange, epoch).doneNs : 0;
  if (moved && doneNs >= 0 && doneNs <= event.timeNs) {
    rank.copied = true;
    return resume(event);
  }
  const double soonNs = event.timeNs + machine_.looks.sleepUs * 1e3;
  if (!moved || (doneNs < 0 && host_->any(event.rank))) return push(soonNs, event.rank, Kind::look);
  if (doneNs < 0) {
    rank.asleep = true;
    return;
  }
  push(host_->any(event.rank) ? std::min(soonNs, doneNs) : doneNs, event.rank, Kind::look);
}

}  // namespace halo::cluster
