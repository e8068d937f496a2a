#include "engine/comm/link/link.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "engine/base/clock.h"

namespace halo {

std::int64_t Link::transferNs(std::int64_t bytes) const {
  return std::llround(static_cast<double>(bytes) * 8.0 / model_.bandwidthGbit);  // Gbit/s = bit/ns
}

std::int64_t Link::copyNs(std::int64_t bytes) const {
  return staged() ? std::llround(static_cast<double>(bytes) * 8.0 / model_.stagingGbit) : 0;
}

std::int64_t Link::latencyNs() const { return std::llround(model_.latencyUs * 1e3); }

void Link::copyOut(std::int64_t nowNs, std::int64_t bytes, std::int64_t times) {
  copyOutFreeNs_ = std::max(nowNs, copyOutFreeNs_) + copyNs(bytes);
  copiedOutBytes_ = bytes * times;
}

std::int64_t Link::ready(std::int64_t postedNs, std::int64_t bytes) {
  if (copiedOutBytes_ < bytes) copyOut(postedNs, bytes);
  copiedOutBytes_ -= bytes;
  return staged() ? std::max(postedNs, copyOutFreeNs_) : postedNs;
}

std::int64_t Link::send(std::int64_t postedNs, std::int64_t bytes) {
  return card_.send(ready(postedNs, bytes), transferNs(bytes));
}

std::int64_t Link::receive(std::int64_t departsNs, std::int64_t bytes) {
  return card_.receive(departsNs + latencyNs(), transferNs(bytes));
}

std::int64_t Link::copyIn(std::int64_t arrivedNs, std::int64_t bytes) {
  if (!staged()) return arrivedNs;
  copyInFreeNs_ = std::max(arrivedNs, copyInFreeNs_) + copyNs(bytes);
  return copyInFreeNs_;
}

std::int64_t Link::sumOnWireNs(std::int64_t bytes, int ranks) const {
  return 2 * (std::int64_t{ranks} - 1) * transferNs((bytes + ranks - 1) / ranks);
}

std::int64_t Link::allReduceNs(std::int64_t bytes, int ranks) const {
  if (ranks < 2) return 0;
  const std::int64_t steps = 2 * (std::int64_t{ranks} - 1);
  return steps * latencyNs() + sumOnWireNs(bytes, ranks) + 2 * copyNs(bytes);
}

std::int64_t Link::allReduce(std::int64_t enteredNs, std::int64_t bytes, int ranks) {
  if (ranks < 2) return enteredNs;
  card_.sum(enteredNs, sumOnWireNs(bytes, ranks));
  return enteredNs + allReduceNs(bytes, ranks);
}

std::int64_t Link::allGatherNs(std::int64_t bytes, int ranks) const {
  return std::max<std::int64_t>(ranks - 1, 0) * (latencyNs() + transferNs(bytes));
}

void sleepExactly() { ::prctl(PR_SET_TIMERSLACK, 1'000, 0, 0, 0); }

void sleepUntil(std::int64_t deadlineNs) {
  const timespec t{static_cast<time_t>(deadlineNs / 1'000'000'000),
                   static_cast<long>(deadlineNs % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

void nap() { sleepUntil(wallNs() + kLookEveryNs); }

}  // namespace halo
