#include "engine/run/host_links.h"

#include <nlohmann/json.hpp>

namespace halo {

std::string hostLinksToJson(const std::vector<HostLink>& links) {
  nlohmann::json all = nlohmann::json::array();
  for (const HostLink& link : links)
    all.push_back({link.one, link.other, link.latencyUs, link.oneWayGbit, link.bothWaysGbit});
  return all.dump();
}

std::vector<HostLink> hostLinksFromJson(const std::string& text) {
  std::vector<HostLink> links;
  for (const nlohmann::json& of : nlohmann::json::parse(text))
    links.push_back({of.at(0), of.at(1), of.at(2), of.at(3), of.at(4)});
  return links;
}

}  // namespace halo
