#include "engine/methods/laws/idleness.h"

#include "engine/base/index.h"

namespace halo {

void Idleness::note(Communicator& comm, int group, std::int64_t tookNs, std::int64_t waitedNs) {
  if (epochs_++ == 1) longestNs_ = busyNs_[0] = busyNs_[1] = 0;
  std::array<std::int64_t, 2> busy{};
  busy[at(group)] = tookNs - waitedNs;
  comm.sum(busy);
  longestNs_ += comm.max(tookNs);
  for (std::size_t g = 0; g < busy.size(); ++g) busyNs_[g] += busy[g];
}

double Idleness::shareOf(int group) const {
  const double possible = static_cast<double>(longestNs_) * members_;
  return possible > 0 ? 1 - static_cast<double>(busyNs_[at(group)]) / possible : 0.0;
}

}  // namespace halo
