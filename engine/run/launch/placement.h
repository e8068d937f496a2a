#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace halo {

/// A host and how many ranks start there.
struct HostRanks {
  std::string host;  // its name alone
  std::int64_t ranks = 0;
  bool operator==(const HostRanks&) const = default;
};

/// How many ranks the hosts of the list take together: "node1:8" takes 8, "node1" one.
std::int64_t slotsOf(const std::vector<std::string>& hosts);

/// Where mpirun starts the ranks of launcher `hosts`, as it fills one host after the other in the order of
/// the list. Empty where there are more ranks than the hosts take, which mpirun spreads by itself.
std::vector<HostRanks> ranksByHost(const ClusterSettings& cluster);

/// For the log of a run: named hosts on which no rank starts, and an emulated link that no message takes
/// because all ranks are one host's.
std::vector<std::string> placementRemarks(const ClusterSettings& cluster);

}  // namespace halo
