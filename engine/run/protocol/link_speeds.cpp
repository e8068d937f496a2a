#include "engine/run/protocol/link_speeds.h"

#include <nlohmann/json.hpp>

namespace halo {

std::string linkSpeedsToJson(const std::vector<LinkSpeed>& speeds) {
  nlohmann::json all = nlohmann::json::array();
  for (const LinkSpeed& speed : speeds)
    all.push_back({speed.one, speed.other, speed.latencyUs, speed.oneWayGbit, speed.bothWaysGbit});
  return all.dump();
}

std::vector<LinkSpeed> linkSpeedsFromJson(const std::string& text) {
  std::vector<LinkSpeed> speeds;
  for (const nlohmann::json& of : nlohmann::json::parse(text))
    speeds.push_back({of.at(0), of.at(1), of.at(2), of.at(3), of.at(4)});
  return speeds;
}

}  // namespace halo
