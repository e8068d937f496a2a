#pragma once

#include <string>
#include <vector>

namespace halo {

/// The network between two hosts, by their places in the list that was asked for, as measured (LinkSpeed).
struct HostLink {
  int one = 0, other = 0;
  double latencyUs = 0, oneWayGbit = 0, bothWaysGbit = 0;
};

// How the two ends put it, as JSON.
std::string hostLinksToJson(const std::vector<HostLink>& links);
std::vector<HostLink> hostLinksFromJson(const std::string& text);

}  // namespace halo
