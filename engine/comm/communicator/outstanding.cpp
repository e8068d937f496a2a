#include "engine/comm/communicator/outstanding.h"

#include <algorithm>

#include "engine/base/check.h"

namespace halo {

std::size_t Outstanding::expect(int peer, int tag, bool receives) {
  const auto [place, isNew] = queueOf_.try_emplace({peer, tag, receives}, queues_.size());
  constexpr std::size_t kAtFirst = 64;  // for messages that travel for epochs, and evaluations in between
  if (isNew) queues_.emplace_back().watched.reserve(kAtFirst);
  return place->second;
}

Outstanding::Watch Outstanding::watch(MPI_Request request, int peer, int tag, bool receives) {
  const std::size_t place = expect(peer, tag, receives);
  Queue& queue = queues_[place];
  queue.watched.push_back({request});
  return {place, queue.end() - 1};
}

int Outstanding::look(std::int64_t nowNs) {
  for (Queue& queue : queues_)
    for (; queue.unknown < queue.end(); ++queue.unknown) {
      Watched& oldest = queue.at(queue.unknown);
      if (oldest.settled) continue;
      int done = 0;
      if (const int code = MPI_Request_get_status(oldest.request, &done, MPI_STATUS_IGNORE);
          code != MPI_SUCCESS)
        return code;
      if (done == 0) break;
      oldest.completedNs = nowNs;
    }
  return MPI_SUCCESS;
}

bool Outstanding::any() const {
  return std::ranges::any_of(queues_, [](const Queue& queue) { return queue.unknown < queue.end(); });
}

std::int64_t Outstanding::settle(Watch watch, std::int64_t nowNs) {
  Queue& queue = queues_[watch.queue];
  HALO_CHECK(watch.number >= queue.first && watch.number < queue.end());
  Watched& settled = queue.at(watch.number);
  settled.settled = true;
  const std::int64_t noticed = settled.completedNs;
  queue.dropSettled();
  queue.unknown = std::max(queue.unknown, queue.first);
  return noticed != 0 ? noticed : nowNs;
}

void Outstanding::Queue::dropSettled() {
  for (; begin < watched.size() && watched[begin].settled; ++first) ++begin;
  if (2 * begin < watched.size()) return;
  watched.erase(watched.begin(), watched.begin() + static_cast<std::ptrdiff_t>(begin));
  begin = 0;
}

}  // namespace halo
