#pragma once

#include <string>
#include <vector>

#include "engine/comm/link/link_speed.h"

namespace halo {

// How the two ends of a measurement between hosts put it, as JSON. Ranks are places in the list of hosts.
std::string linkSpeedsToJson(const std::vector<LinkSpeed>& speeds);
std::vector<LinkSpeed> linkSpeedsFromJson(const std::string& text);

}  // namespace halo
