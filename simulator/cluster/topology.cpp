#include "simulator/cluster/topology.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

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
    : topology_(machine.topology), nodes_(nodes), nodeGbPerS_(machine.between.gbPerS) {
  HALO_CHECK(nodes >= 1);
  for (std::int64_t node = 0; node < 2 * nodes; ++node) add(nodeGbPerS_);  // out, in
  first_ = static_cast<std::int32_t>(gbPerS_.size());
  if (topology_.kind == TopologyKind::fatTree) addTree();
  if (topology_.kind == TopologyKind::torus) addTorus();
  if (topology_.kind == TopologyKind::dragonfly) addDragonfly();
}

std::int32_t Network::add(double gbPerS) {
  gbPerS_.push_back(gbPerS);
  return static_cast<std::int32_t>(gbPerS_.size()) - 1;
}

std::vector<std::int32_t> Network::way(std::int64_t from, std::int64_t to) const {
  if (from == to) return {};
  std::vector<std::int32_t> links = {static_cast<std::int32_t>(2 * from)};
  if (topology_.kind == TopologyKind::fatTree) treeWay(from, to, links);
  if (topology_.kind == TopologyKind::torus) torusWay(from, to, links);
  if (topology_.kind == TopologyKind::dragonfly) dragonflyWay(from, to, links);
  links.push_back(static_cast<std::int32_t>(2 * to + 1));
  return links;
}

// --- fat tree: level 1 are leaves; each further level joins as many switches as a leaf has nodes

std::int64_t Network::below(std::int64_t level) const {
  std::int64_t nodes = 1;
  for (std::int64_t l = 0; l < level; ++l) nodes *= topology_.nodesPerSwitch;
  return nodes;
}

void Network::addTree() {
  double factor = 1;
  for (std::int64_t level = 1; level < topology_.levels; ++level) {
    levelFirst_.push_back(static_cast<std::int32_t>(gbPerS_.size()));
    factor *= topology_.oversubscription;
    const std::int64_t size = below(level), switches = (nodes_ + size - 1) / size;
    const double up = topology_.linkGbPerS * static_cast<double>(size) / factor;
    for (std::int64_t s = 0; s < 2 * switches; ++s) add(up);  // up, down
  }
}

void Network::treeWay(std::int64_t from, std::int64_t to, std::vector<std::int32_t>& way) const {
  std::vector<std::int32_t> down;
  for (std::int64_t level = 1; level < topology_.levels; ++level) {
    const std::int64_t size = below(level);
    if (from / size == to / size) break;
    way.push_back(levelFirst_[at(level - 1)] + static_cast<std::int32_t>(2 * (from / size)));
    down.push_back(levelFirst_[at(level - 1)] + static_cast<std::int32_t>(2 * (to / size) + 1));
  }
  way.insert(way.end(), down.rbegin(), down.rend());
}

// --- torus: link 2·(place·dims + dim) goes up in the dimension, the next one down

void Network::addTorus() {
  std::int64_t places = 1;
  for (const std::int64_t size : topology_.dims) places *= size;
  for (std::int64_t link = 0; link < 2 * places * static_cast<std::int64_t>(topology_.dims.size()); ++link)
    add(topology_.linkGbPerS);
}

void Network::torusWay(std::int64_t from, std::int64_t to, std::vector<std::int32_t>& way) const {
  const auto& dims = topology_.dims;
  std::int64_t stride = 1, here = from;
  for (std::size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
    const std::int64_t size = dims[d];
    std::int64_t a = here / stride % size;
    const std::int64_t b = to / stride % size;
    const bool up = (b - a + size) % size <= (a - b + size) % size;
    while (a != b) {
      const std::int64_t dim = static_cast<std::int64_t>(d), count = static_cast<std::int64_t>(dims.size());
      way.push_back(first_ + static_cast<std::int32_t>(2 * (here * count + dim) + (up ? 0 : 1)));
      const std::int64_t next = (a + (up ? 1 : size - 1)) % size;
      here += (next - a) * stride;
      a = next;
    }
  }
}

// --- dragonfly: within a group, router to router; between groups, as many links as said, together

void Network::addDragonfly() {
  const std::int64_t routers = topology_.routersPerGroup, perGroup = routers * topology_.nodesPerSwitch;
  const std::int64_t groups = (nodes_ + perGroup - 1) / perGroup;
  for (std::int64_t link = 0; link < groups * routers * routers; ++link) add(topology_.linkGbPerS);
  for (std::int64_t link = 0; link < groups * groups; ++link)
    add(topology_.linkGbPerS * static_cast<double>(topology_.globalLinks));
}

void Network::dragonflyWay(std::int64_t from, std::int64_t to, std::vector<std::int32_t>& way) const {
  const std::int64_t routers = topology_.routersPerGroup, perGroup = routers * topology_.nodesPerSwitch;
  const std::int64_t groups = (nodes_ + perGroup - 1) / perGroup;
  const std::int64_t fromGroup = from / perGroup, toGroup = to / perGroup;
  const auto router = [&](std::int64_t node) { return node % perGroup / topology_.nodesPerSwitch; };
  const auto local = [&](std::int64_t group, std::int64_t a, std::int64_t b) {
    if (a != b) way.push_back(first_ + static_cast<std::int32_t>((group * routers + a) * routers + b));
  };
  if (fromGroup == toGroup) return local(fromGroup, router(from), router(to));
  // the router with the link to another group is the one of that group's number, dealt out in turn
  const std::int64_t leaves = toGroup % routers, enters = fromGroup % routers;
  local(fromGroup, router(from), leaves);
  way.push_back(first_ +
                static_cast<std::int32_t>(groups * routers * routers + fromGroup * groups + toGroup));
  local(toGroup, enters, router(to));
}

}  // namespace halo::cluster
