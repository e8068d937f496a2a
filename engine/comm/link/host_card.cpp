#include "engine/comm/link/host_card.h"

#include <algorithm>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

bool HostCard::departsAfter(std::int32_t a, std::int32_t b) const {
  const auto order = [this](std::int32_t place) {
    const Message& message = messages_[at(place)];
    return std::tuple(message.departsNs, message.source, message.number);
  };
  return order(a) > order(b);
}

std::int64_t HostCard::enter(std::int64_t departsNs, std::int64_t latencyNs, std::int64_t transferNs,
                             int source) {
  if (freeCount_ == 0 && used_ == kPlaces) return kNoPlace;
  const auto place = freeCount_ > 0 ? free_[at(--freeCount_)] : static_cast<std::int32_t>(used_++);
  messages_[at(place)] = {departsNs, departsNs + latencyNs, transferNs, kNotServed, entered_++, source};
  due_[at(dueCount_++)] = place;
  std::push_heap(due_.begin(), due_.begin() + dueCount_,
                 [this](std::int32_t a, std::int32_t b) { return departsAfter(a, b); });
  return place;
}

void HostCard::serveFirst() {
  std::pop_heap(due_.begin(), due_.begin() + dueCount_,
                [this](std::int32_t a, std::int32_t b) { return departsAfter(a, b); });
  Message& first = messages_[at(due_[at(--dueCount_)])];
  first.arrivesNs = card_.receive(first.reachesNs, first.transferNs);
}

std::int64_t HostCard::take(std::int64_t place) {
  HALO_CHECK(place >= 0 && place < used_);
  Message& message = messages_[at(place)];
  while (message.arrivesNs == kNotServed) {
    HALO_CHECK(dueCount_ > 0);
    serveFirst();
  }
  free_[at(freeCount_++)] = static_cast<std::int32_t>(place);
  return message.arrivesNs;
}

void HostCard::sum(std::int64_t number, std::int64_t enteredNs, std::int64_t onWireNs) {
  if (number <= sums_) return;
  HALO_CHECK(number == sums_ + 1);
  sums_ = number;
  card_.sum(enteredNs, onWireNs);
}

}  // namespace halo
