// Interconnects as tables of an experiment file and of links.toml.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/plain_text.h"
#include "engine/experiment/keys.h"
#include "engine/experiment/read_value.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

constexpr std::string_view kPer[] = {"rank", "host"};
constexpr LinkKey kLinkKeys[] = {
    {{"bandwidth_gbit", "that a card carries each way; needed", Real{0.0, 1e-6, 1e6}},
     &LinkSettings::bandwidthGbit,
     true},
    {{"latency_us", "of a message, from its start to its first byte", Real{0.0, 0.0, 1e9}},
     &LinkSettings::latencyUs,
     true},
    {{"staging_gbit", "of the copies between a device and its host; left out: there are none",
      Real{0.0, 1e-6, 1e6}},
     &LinkSettings::stagingGbit},
    {{"per", "who has a card: each rank, or each host", Choice{"rank", kPer}}},
    {{"ranks_per_host",
      "consecutive ranks that share a host's card, fewer than the workers; with per = \"host\"",
      Integer{1, 1, 65'536}},
     &LinkSettings::ranksPerHost},
};

}  // namespace

std::span<const LinkKey> linkKeys() { return kLinkKeys; }

std::optional<LinkSettings> readLink(const toml::table& table, std::string& wrong) {
  LinkSettings link;
  bool ofHosts = false;
  std::multimap<std::pair<toml::source_index, toml::source_index>, std::string> faults;  // by line and column
  const auto fault = [&](const toml::source_region& place, const std::string& message) {
    const bool elsewhere = place.begin.line != table.source().begin.line;
    faults.emplace(std::pair(place.begin.line, place.begin.column),
                   elsewhere ? fmt::format("line {}: {}", place.begin.line, message) : message);
  };
  for (const auto& [key, node] : table) {
    const auto linkKey = std::ranges::find(kLinkKeys, key.str(), &LinkKey::name);
    if (linkKey == std::end(kLinkKeys)) {
      const auto names = namesOf(kLinkKeys, &LinkKey::name);
      fault(key.source(),
            fmt::format("unknown key '{}'; {}", shortened(key.str()),
                        suggestion(std::string(key.str()), names, "known are " + listed(names))));
      continue;
    }
    std::string why;
    const auto value = readValue(linkKey->parameter, node, why);
    if (!value) {
      fault(key.source(), fmt::format("{}: {}", key.str(), why));
      continue;
    }
    std::visit(Overloaded{[&](std::monostate) { ofHosts = std::get<std::string>(*value) == "host"; },
                          [&](double LinkSettings::*figure) { link.*figure = std::get<double>(*value); },
                          [&](std::int64_t LinkSettings::*figure) {
                            link.*figure = std::get<std::int64_t>(*value);
                          }},
               linkKey->member);
  }
  if (!faults.empty()) {
    wrong.clear();
    for (const auto& [place, message] : faults) wrong += (wrong.empty() ? "" : "; and ") + message;
    return std::nullopt;
  }
  if (link.bandwidthGbit <= 0) {
    wrong = "bandwidth_gbit is missing; write { bandwidth_gbit = 10.0, latency_us = 20.0 }";
    return std::nullopt;
  }
  if (ofHosts != (link.ranksPerHost > 0)) {
    wrong = ofHosts ? "per = \"host\" needs ranks_per_host, how many consecutive ranks share a host's card"
                    : "ranks_per_host is of cards that ranks share; write per = \"host\" beside it";
    return std::nullopt;
  }
  link.name = linkText(link);
  return link;
}

std::vector<std::pair<std::string, std::string>> linkFigures(const LinkSettings& link) {
  std::vector<std::pair<std::string, std::string>> figures;
  for (const LinkKey& key : kLinkKeys) {
    const auto add = [&](bool isSet, const Value& value) {
      if (isSet || key.always) figures.emplace_back(key.name(), toText(value));
    };
    std::visit(Overloaded{[&](std::monostate) { add(link.ranksPerHost > 0, std::string("host")); },
                          [&](auto figure) { add(link.*figure > 0, link.*figure); }},
               key.member);
  }
  return figures;
}

std::string linkText(const LinkSettings& link) {
  if (!link.name.empty() && link.name.front() != '{' && (link.name != "none" || !link.emulated()))
    return link.name;
  std::vector<std::string> keys;
  for (const auto& [key, value] : linkFigures(link)) keys.push_back(key + " = " + value);
  return fmt::format("{{ {} }}", fmt::join(keys, ", "));
}

std::map<std::string, LinkSettings> readLinks(const std::filesystem::path& file) {
  std::map<std::string, LinkSettings> links;
  const std::string name = file.string();
  std::vector<Problem> problems;
  const toml::table document = parseToml(readTomlFile(file, "a file of interconnects"), name);
  for (const auto& [key, node] : document) {
    const std::string preset(key.str());
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      problems.push_back(
          placed(name, node.source(), preset, shown(node) + " is not a table of an interconnect"));
      continue;
    }
    toml::table figures = *table;
    figures.erase("source");  // where the figures come from: for readers of the file
    std::string wrong;
    auto link = readLink(figures, wrong);
    if (!link) {
      problems.push_back(placed(name, node.source(), preset, wrong));
      continue;
    }
    link->name = preset;
    links.emplace(preset, *link);
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return links;
}

}  // namespace halo
