#include "engine/comm/outstanding.h"

#include <algorithm>

#include "engine/base/check.h"

namespace halo {

Outstanding::Watch Outstanding::watch(MPI_Request request, int peer, int tag, bool receives) {
  const auto [place, isNew] = queueOf_.try_emplace({peer, tag, receives}, queues_.size());
  if (isNew) queues_.emplace_back();
  Queue& queue = queues_[place->second];
  queue.watched.push_back({request});
  return {place->second, queue.first + queue.watched.size() - 1};
}

int Outstanding::look(std::int64_t nowNs) {
  for (Queue& queue : queues_)
    for (; queue.unknown < queue.first + queue.watched.size(); ++queue.unknown) {
      Watched& oldest = queue.watched[queue.unknown - queue.first];
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
  return std::ranges::any_of(
      queues_, [](const Queue& queue) { return queue.unknown < queue.first + queue.watched.size(); });
}

std::int64_t Outstanding::settle(Watch watch, std::int64_t nowNs) {
  Queue& queue = queues_[watch.queue];
  HALO_CHECK(watch.number >= queue.first && watch.number < queue.first + queue.watched.size());
  Watched& settled = queue.watched[watch.number - queue.first];
  settled.settled = true;
  const std::int64_t noticed = settled.completedNs;
  for (; !queue.watched.empty() && queue.watched.front().settled; ++queue.first) queue.watched.pop_front();
  queue.unknown = std::max(queue.unknown, queue.first);
  return noticed != 0 ? noticed : nowNs;
}

}  // namespace halo
