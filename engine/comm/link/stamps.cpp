#include "engine/comm/link/stamps.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/base/index.h"

namespace halo {

bool departsBefore(const Stamps::Stamp& a, const Stamps::Stamp& b) {
  return std::tie(a.departsNs, a.peer, a.number) < std::tie(b.departsNs, b.peer, b.number);
}

int firstToServe(std::span<const Stamps::Stamp* const> stamps) {
  int first = -1;
  for (std::size_t i = 0; i < stamps.size(); ++i)
    if (stamps[i] != nullptr && (first < 0 || departsBefore(*stamps[i], *stamps[at(first)])))
      first = static_cast<int>(i);
  return first;
}

Stamps::Stamp& Stamps::add(const Stamp& stamp) {
  if (free_.empty()) {
    free_.push_back(stamps_.emplace_back(std::make_unique<Stamp>()).get());
    free_.reserve(stamps_.capacity());
  }
  Stamp& slot = *free_.back();
  free_.pop_back();
  slot = stamp;
  slot.number = added_++;
  if (slot.receives) unserved_[{slot.peer, slot.tag}].push_back(&slot);
  return slot;
}

void Stamps::serve(Link& link, Stamp& last, const IsHere& isHere) {
  if (last.arrivesNs != 0) return;
  std::vector<Stamp*>& due = due_;
  due.clear();
  for (const auto& [key, queue] : unserved_)
    for (Stamp* stamp : queue) {
      if (stamp == &last) {
        due.push_back(stamp);
        continue;
      }
      if (!isHere(*stamp) || departsBefore(last, *stamp)) break;
      due.push_back(stamp);
    }
  // the wire may let it overtake an older one, behind which it was not looked for
  if (std::ranges::find(due, &last) == due.end()) due.push_back(&last);
  std::ranges::sort(due, [](const Stamp* a, const Stamp* b) { return departsBefore(*a, *b); });
  for (Stamp* stamp : due) {
    stamp->arrivesNs = link.receive(stamp->departsNs, stamp->bytes);
    auto& queue = unserved_[{stamp->peer, stamp->tag}];
    queue.erase(std::ranges::find(queue, stamp));  // the front, but for one that overtook
  }
}

}  // namespace halo
