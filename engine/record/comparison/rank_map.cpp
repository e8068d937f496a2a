#include "engine/record/comparison/rank_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/index.h"

namespace halo {
namespace {

std::int64_t sumOf(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Of one graph, and recorded.
bool ownAlike(const RankFacts& first, const RankFacts& second) {
  return sumOf(first.vertices) > 0 && sumOf(first.vertices) == sumOf(second.vertices);
}

/// Whether ranks own stretches of one order of the vertices, in the order of their numbers.
bool ownStretches(const RankFacts& first, const RankFacts& second) {
  const bool stretches = first.partitioner == "block" || first.partitioner == "rcm";
  return stretches && first.partitioner == second.partitioner && ownAlike(first, second);
}

/// Vertices that rank i of one run and rank j of the other own both, as stretches.
struct Overlaps {
  Overlaps(const RankFacts& first, const RankFacts& second)
      : a(ends(first.vertices)), b(ends(second.vertices)) {}
  static std::vector<std::int64_t> ends(const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> ends{0};
    for (const std::int64_t count : counts) ends.push_back(ends.back() + count);
    return ends;
  }
  std::int64_t sharedVertices(std::size_t i, std::size_t j) const {
    return std::max<std::int64_t>(0, std::min(a[i + 1], b[j + 1]) - std::max(a[i], b[j]));
  }
  std::vector<std::int64_t> a, b;
};

/// Hosts in the order of their first ranks; empty where one is not known.
std::vector<std::string> nodesOf(const RankFacts& facts) {
  std::vector<std::string> nodes;
  for (const std::string& host : facts.hosts) {
    if (host.empty()) return {};
    if (std::ranges::find(nodes, host) == nodes.end()) nodes.push_back(host);
  }
  return nodes;
}

bool haveNodes(const RankFacts& first, const RankFacts& second) {
  const std::size_t nodes = nodesOf(first).size();
  return nodes > 1 && nodes == nodesOf(second).size();
}

std::vector<RankGroup> byNode(const RankFacts& first, const RankFacts& second) {
  std::vector<RankGroup> groups(nodesOf(first).size());
  for (const auto& [facts, ranks] :
       {std::pair{&first, &RankGroup::first}, std::pair{&second, &RankGroup::second}}) {
    const std::vector<std::string> nodes = nodesOf(*facts);
    for (std::size_t rank = 0; rank < facts->hosts.size(); ++rank)
      (groups[at(std::ranges::find(nodes, facts->hosts[rank]) - nodes.begin())].*ranks)
          .push_back(static_cast<std::int64_t>(rank));
  }
  return groups;
}

/// A group a rank of the run with fewer; `to(i)`: that rank, of each of the other.
template <class To>
std::vector<RankGroup> groupsOf(std::size_t first, std::size_t second, const To& to) {
  const bool fewer = first <= second;
  const auto few = fewer ? &RankGroup::first : &RankGroup::second;
  const auto many = fewer ? &RankGroup::second : &RankGroup::first;
  std::vector<RankGroup> groups(std::min(first, second));
  for (std::size_t i = 0; i < groups.size(); ++i) (groups[i].*few).push_back(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < std::max(first, second); ++i)
    (groups[to(i)].*many).push_back(static_cast<std::int64_t>(i));
  return groups;
}

std::vector<RankGroup> byNumber(std::size_t first, std::size_t second) {
  const std::size_t few = std::min(first, second), many = std::max(first, second);
  return groupsOf(first, second, [&](std::size_t i) { return i * few / many; });
}

std::vector<RankGroup> byParts(const RankFacts& first, const RankFacts& second) {
  const Overlaps overlaps(first, second);
  const bool fewer = first.count() <= second.count();
  const std::size_t few = std::min(first.count(), second.count());
  return groupsOf(first.count(), second.count(), [&](std::size_t i) {
    std::size_t most = 0;
    const auto shared = [&](std::size_t rank) {
      return fewer ? overlaps.sharedVertices(rank, i) : overlaps.sharedVertices(i, rank);
    };
    for (std::size_t rank = 1; rank < few; ++rank)
      if (shared(rank) > shared(most)) most = rank;
    return most;
  });
}

std::vector<RankGroup> allTogether(std::size_t first, std::size_t second) {
  RankGroup group;
  group.first.resize(first);
  group.second.resize(second);
  std::iota(group.first.begin(), group.first.end(), 0);
  std::iota(group.second.begin(), group.second.end(), 0);
  return {group};
}

/// What stretches of the order share, else what the counts of vertices allow at most.
void addCommon(const RankFacts& first, const RankFacts& second, RankMap& map) {
  if (!ownAlike(first, second)) return;
  map.exact = map.rule == RankRule::together || ownStretches(first, second);
  const Overlaps overlaps(first, second);
  std::int64_t common = 0;
  for (const RankGroup& group : map.groups) {
    std::int64_t ofFirst = 0, ofSecond = 0, both = 0;
    for (const std::int64_t i : group.first) ofFirst += first.vertices[at(i)];
    for (const std::int64_t j : group.second) ofSecond += second.vertices[at(j)];
    for (const std::int64_t i : group.first)
      for (const std::int64_t j : group.second) both += overlaps.sharedVertices(at(i), at(j));
    common += map.exact ? both : std::min(ofFirst, ofSecond);
  }
  map.common = static_cast<double>(common) / static_cast<double>(sumOf(first.vertices));
}

/// "4 to 1", "up to 3 to 1".
std::string ratioOf(const RankMap& map, std::size_t first, std::size_t second) {
  std::size_t most = 0, least = SIZE_MAX;
  for (const RankGroup& group : map.groups) {
    const std::size_t size = first <= second ? group.second.size() : group.first.size();
    most = std::max(most, size), least = std::min(least, size);
  }
  return (most == least ? "" : "up to ") + std::to_string(most) + " to 1";
}

std::string wordsOf(const RankMap& map, const RankFacts& first, const RankFacts& second, RankRule requested) {
  const std::size_t a = first.count(), b = second.count();
  std::string words =
      std::to_string(a) + (a == 1 ? " rank" : " ranks") + " against " + std::to_string(b) + ": ";
  if (map.rule == RankRule::together) return words + "all together";
  if (map.rule == RankRule::node)
    words += "by node, " + std::to_string(map.groups.size()) + " each";
  else
    words += ratioOf(map, a, b) + (map.rule == RankRule::parts ? " by parts" : " by number");
  if (requested == RankRule::parts && map.rule != RankRule::parts)
    words += ", for recordings do not hold who owns which vertex";
  if (requested == RankRule::node && map.rule != RankRule::node)
    words += ", for the runs do not have equally many nodes, and more than one";
  if (std::isnan(map.common)) return words + "; what parts have in common is not known";
  return words + (map.exact ? ", " : ", at most ") + std::to_string(std::lround(100 * map.common)) +
         " % of vertices in common";
}

RankRule ruleFor(const RankFacts& first, const RankFacts& second, RankRule requested) {
  const std::size_t few = std::min(first.count(), second.count());
  const std::size_t many = std::max(first.count(), second.count());
  if (requested == RankRule::parts) return ownStretches(first, second) ? requested : RankRule::number;
  if (requested == RankRule::node) return haveNodes(first, second) ? requested : RankRule::number;
  if (requested != RankRule::automatic) return requested;
  if (few == many) return RankRule::number;
  if (ownStretches(first, second)) return RankRule::parts;
  if (haveNodes(first, second)) return RankRule::node;
  return few > 0 && many % few == 0 ? RankRule::number : RankRule::together;
}

}  // namespace

RankMap rankMap(const RankFacts& first, const RankFacts& second, RankRule rule) {
  RankMap map;
  if (first.count() == 0 || second.count() == 0) {
    map.words = "how many ranks there were is not recorded";
    return map;
  }
  map.rule = ruleFor(first, second, rule);
  switch (map.rule) {
    case RankRule::parts:
      map.groups = byParts(first, second);
      break;
    case RankRule::node:
      map.groups = byNode(first, second);
      break;
    case RankRule::together:
      map.groups = allTogether(first.count(), second.count());
      break;
    default:
      map.groups = byNumber(first.count(), second.count());
  }
  addCommon(first, second, map);
  map.words = wordsOf(map, first, second, rule);
  return map;
}

}  // namespace halo
