#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/comm/link/link_speed.h"

namespace halo {

/// The network between every two of `hosts`, by their places in the list, measured by one `worker` started on
/// each, over ssh. Some seconds a pair. Throws InputError for a host name that is none, EnvironmentError
/// where a host cannot be used.
std::vector<LinkSpeed> measureHosts(const std::vector<std::string>& hosts,
                                    const std::filesystem::path& worker);

}  // namespace halo
