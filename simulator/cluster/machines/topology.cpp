#include "simulator/cluster/machines/topology.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
double linkCount(const Topology& topology, std::int64_t nodes) {
  const auto n = static_cast<double>(nodes), routers = static_cast<double>(topology.routersPerGroup);
  const double leaves = std::ceil(n / static_cast<double>(topology.nodesPerSwitch));
  switch (topology.kind) {
    case TopologyKind::crossbar:
      return 2 * n;
    case TopologyKind::fatTree:
      return 2 * n + 2 * leaves * static_cast<double>(topology.levels);
    case TopologyKind::torus:
      return 2 * n +
             2 * static_cast<double>(topology.dims.size()) *
                 std::accumulate(topology.dims.begin(), topology.dims.end(), 1.0, std::multiplies<>());
    case TopologyKind::dragonfly: {
      const double groups = std::ceil(leaves / routers);
      return 2 * n + groups * routers * routers + groups * groups;
    }
  }
  return 0;
}

Network::Network(const Machine& machine, std::int64_t nodes)
    : topology_(machine.topology),
      nodes_(nodes),
      nodeGbPerS_(machine.between.gbPerS),
      first_(2 * nodes),  // those before: out of and into each node
      links_(first_) {
  HALO_CHECK(nodes >= 1);
  const std::int64_t routers = topology_.routersPerGroup;
  if (topology_.kind == TopologyKind::fatTree) countTree();
  if (topology_.kind == TopologyKind::torus)
    links_ += std::accumulate(topology_.dims.begin(), topology_.dims.end(),
                              2 * static_cast<std::int64_t>(topology_.dims.size()), std::multiplies<>());
  if (topology_.kind == TopologyKind::dragonfly) {
    const std::int64_t perGroup = routers * topology_.nodesPerSwitch;
    groups_ = (nodes + perGroup - 1) / perGroup;
    global_ = first_ + groups_ * routers * routers;
    links_ = global_ + groups_ * groups_;
  }
}

double Network::gbPerS(Link link) const {
  HALO_CHECK(link >= 0 && link < links_);
  if (link < first_) return nodeGbPerS_;
  if (topology_.kind == TopologyKind::fatTree)
    return std::ranges::find_if(levels_.rbegin(), levels_.rend(),
                                [&](const Level& l) { return l.first <= link; })
        ->gbPerS;
  const bool global = topology_.kind == TopologyKind::dragonfly && link >= global_;
  return topology_.linkGbPerS * (global ? static_cast<double>(topology_.globalLinks) : 1);
}

std::vector<Link> Network::way(std::int64_t from, std::int64_t to) const {
  if (from == to) return {};
  std::vector<Link> links = {2 * from};
  if (topology_.kind == TopologyKind::fatTree) treeWay(from, to, links);
  if (topology_.kind == TopologyKind::torus) torusWay(from, to, links);
  if (topology_.kind == TopologyKind::dragonfly) dragonflyWay(from, to, links);
  links.push_back(2 * to + 1);
  return links;
}

// --- fat tree: level 1 are leaves; each further level joins as many switches as a leaf has nodes

std::int64_t Network::below(std::int64_t level) const {
  std::int64_t nodes = 1;
  for (std::int64_t l = 0; l < level; ++l) nodes *= topology_.nodesPerSwitch;
  return nodes;
}

void Network::countTree() {
  double factor = 1;
  for (std::int64_t level = 1; level < topology_.levels; ++level) {
    factor *= topology_.oversubscription;
    const std::int64_t size = below(level), switches = (nodes_ + size - 1) / size;
    levels_.push_back({links_, topology_.linkGbPerS * static_cast<double>(size) / factor});
    links_ += 2 * switches;  // up, down
  }
}

void Network::treeWay(std::int64_t from, std::int64_t to, std::vector<Link>& way) const {
  std::vector<Link> down;
  for (std::int64_t level = 1; level < topology_.levels; ++level) {
    const std::int64_t size = below(level);
    if (from / size == to / size) break;
    way.push_back(levels_[at(level - 1)].first + 2 * (from / size));
    down.push_back(levels_[at(level - 1)].first + 2 * (to / size) + 1);
  }
  way.insert(way.end(), down.rbegin(), down.rend());
}

// --- torus: link 2·(place·dims + dim) goes up in the dimension, the next one down

void Network::torusWay(std::int64_t from, std::int64_t to, std::vector<Link>& way) const {
  const auto& dims = topology_.dims;
  std::int64_t stride = 1, place = from;
  for (std::size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
    const std::int64_t size = dims[d];
    std::int64_t a = place / stride % size;
    const std::int64_t b = to / stride % size;
    const bool up = (b - a + size) % size <= (a - b + size) % size;
    while (a != b) {
      const std::int64_t dim = static_cast<std::int64_t>(d), count = static_cast<std::int64_t>(dims.size());
      way.push_back(first_ + 2 * (place * count + dim) + (up ? 0 : 1));
      const std::int64_t next = (a + (up ? 1 : size - 1)) % size;
      place += (next - a) * stride;
      a = next;
    }
  }
}

// --- dragonfly: within a group, router to router; between groups, as many links as said, together

void Network::dragonflyWay(std::int64_t from, std::int64_t to, std::vector<Link>& way) const {
  const std::int64_t routers = topology_.routersPerGroup, perGroup = routers * topology_.nodesPerSwitch;
  const std::int64_t fromGroup = from / perGroup, toGroup = to / perGroup;
  const auto router = [&](std::int64_t node) { return node % perGroup / topology_.nodesPerSwitch; };
  const auto local = [&](std::int64_t group, std::int64_t a, std::int64_t b) {
    if (a != b) way.push_back(first_ + (group * routers + a) * routers + b);
  };
  if (fromGroup == toGroup) return local(fromGroup, router(from), router(to));
  // the router with the link to another group is the one of that group's number, dealt out in turn
  const std::int64_t leaves = toGroup % routers, enters = fromGroup % routers;
  local(fromGroup, router(from), leaves);
  way.push_back(global_ + fromGroup * groups_ + toGroup);
  local(toGroup, enters, router(to));
}

}  // namespace halo::cluster
