#include "engine/run/protocol/link_speeds.h"

#include <nlohmann/json.hpp>

namespace halo {
namespace {

nlohmann::json toJson(const Rounds& figure) { return {figure.median, figure.low, figure.high}; }

Rounds fromJson(const nlohmann::json& json) { return {json.at(0), json.at(1), json.at(2)}; }

}  // namespace

std::string linkSpeedsToJson(const std::vector<LinkSpeed>& speeds) {
  nlohmann::json all = nlohmann::json::array();
  for (const LinkSpeed& speed : speeds)
    all.push_back({speed.first, speed.second, toJson(speed.latencyUs), toJson(speed.oneWayGbit),
                   toJson(speed.bothWaysGbit)});
  return all.dump();
}

std::vector<LinkSpeed> linkSpeedsFromJson(const std::string& text) {
  std::vector<LinkSpeed> speeds;
  for (const nlohmann::json& link : nlohmann::json::parse(text))
    speeds.push_back(
        {link.at(0), link.at(1), fromJson(link.at(2)), fromJson(link.at(3)), fromJson(link.at(4))});
  return speeds;
}

}  // namespace halo
