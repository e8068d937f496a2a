#include "engine/run/launch/placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace halo {
namespace {

std::string nameOf(const std::string& host) { return host.substr(0, host.find(':')); }

/// A run of fewer workers in a sweep is no mistake, so nothing is refused.
void remarkOnHosts(const ClusterSettings& cluster, std::vector<std::string>& remarks) {
  std::vector<std::string> unused;
  for (const HostRanks& each : ranksByHost(cluster))
    if (each.ranks == 0) unused.push_back(each.host);
  if (unused.empty()) return;
  remarks.push_back(fmt::format(
      "cluster.hosts: no rank starts on {}: {} {} fill the hosts before; to use every host give each fewer "
      "ranks (\"name:ranks\"), or raise cluster.workers",
      fmt::join(unused, ", "), cluster.workers, cluster.workers == 1 ? "worker" : "workers"));
}

void remarkOnLink(const ClusterSettings& cluster, std::vector<std::string>& remarks) {
  const std::int64_t together = cluster.link.ranksPerHost;
  if (together < cluster.workers || cluster.workers < 2) return;
  remarks.push_back(
      fmt::format("cluster.link: ranks_per_host = {} makes all {} workers one emulated host's, so no message "
                  "takes the link; make it less than cluster.workers, or write per = \"rank\"",
                  together, cluster.workers));
}

}  // namespace

std::int64_t slotsOf(const std::vector<std::string>& hosts) {
  std::int64_t total = 0;
  for (const std::string& host : hosts) {
    const std::size_t colon = host.find(':');
    total += colon == std::string::npos ? 1 : std::stoll(host.substr(colon + 1));
  }
  return total;
}

std::vector<HostRanks> ranksByHost(const ClusterSettings& cluster) {
  if (slotsOf(cluster.hosts) < cluster.workers) return {};
  std::vector<HostRanks> all;
  for (const std::string& host : cluster.hosts) {  // of one that is named twice mpirun adds the ranks
    const auto known = std::ranges::find(all, nameOf(host), &HostRanks::host);
    const std::int64_t slots = slotsOf({host});
    if (known == all.end())
      all.push_back({nameOf(host), slots});
    else
      known->ranks += slots;
  }
  std::int64_t left = cluster.workers;
  for (HostRanks& each : all) {
    each.ranks = std::min(each.ranks, left);
    left -= each.ranks;
  }
  return all;
}

std::vector<std::string> placementRemarks(const ClusterSettings& cluster) {
  std::vector<std::string> remarks;
  if (cluster.launcher == "hosts") remarkOnHosts(cluster, remarks);
  remarkOnLink(cluster, remarks);
  return remarks;
}

}  // namespace halo
