#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/run/host_links.h"

namespace halo {

/// Measures the network between every two of `hosts`, by one `worker` started on each, over ssh. Some seconds
/// a pair. Throws InputError for a host name that is none, EnvironmentError where a host cannot be used.
std::vector<HostLink> measureLinks(const std::vector<std::string>& hosts,
                                   const std::filesystem::path& worker);

}  // namespace halo
