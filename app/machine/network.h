#pragma once

#include <string>
#include <vector>

#include "app/machine/doctor.h"
#include "engine/run/launch/measure_hosts.h"

namespace halo {

/// Why the figures of this link cannot all be true of one wire, or are too far apart to be its; else "".
std::string doubtOf(const LinkSpeed& speed);

/// What was measured between hosts. The slowest pair is also given as the link that emulates and simulates
/// it, and as the wire that runs on these hosts are on. Both are withheld where some figures are in doubt.
/// `links` has a pair or more, by places in `hosts`.
std::vector<Finding> networkFindings(const std::vector<std::string>& hosts,
                                     const std::vector<LinkSpeed>& links);

}  // namespace halo
