#include "engine/run/launch/measure_hosts.h"

#include "engine/run/launch/answer.h"
#include "engine/run/protocol/link_speeds.h"

namespace halo {

std::vector<LinkSpeed> measureHosts(const std::vector<std::string>& hosts,
                                    const std::filesystem::path& worker) {
  RunSettings place;
  place.cluster.launcher = "hosts";
  for (const std::string& host : hosts)
    place.cluster.hosts.push_back(host.substr(0, host.find(':')) + ":1");  // one rank a host
  place.cluster.workers = static_cast<int>(hosts.size());
  place.cluster.threads = 1;
  return linkSpeedsFromJson(answerOf(place, worker, "--links", {}));
}

}  // namespace halo
