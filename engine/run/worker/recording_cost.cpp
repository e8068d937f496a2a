#include "engine/run/worker/recording_cost.h"

#include <algorithm>
#include <map>

namespace halo {

std::int64_t recordingNs(std::span<const RecordingCost> ranks, bool oversubscribed) {
  std::int64_t longest = 0;
  if (!oversubscribed) {
    for (const RecordingCost& rank : ranks) longest = std::max(longest, rank.wallNs);
    return longest;
  }
  std::map<std::string, RecordingCost> hosts;
  for (const RecordingCost& rank : ranks) {
    longest = std::max(longest, rank.cpuNs);  // one thread's: no other core takes a share of it
    RecordingCost& host = hosts[rank.host];
    host.cores = std::max(host.cores, rank.cores);
    host.cpuNs += rank.cpuNs;
  }
  for (const auto& [name, host] : hosts) longest = std::max(longest, host.cpuNs / host.cores);
  return longest;
}

}  // namespace halo
