#pragma once

#include <cstdint>
#include <vector>

#include "simulator/cluster/machine.h"

namespace halo::cluster {

/// How many links a machine of so many nodes has at most, in and out of nodes and between switches.
double linkCount(const Topology& topology, std::int64_t nodes);

/// The links of a machine's first nodes and the ways between them. Every node has a link in and one out of
/// its own bandwidth; between switches:
///
///   crossbar   none that could be busy
///   fat tree   `levels` of switches; at each level a group of nodes has, up and down, as much as its nodes
///              together over the oversubscription; the top is not blocking
///   torus      a link to either neighbour in each dimension; ways go dimension by dimension, the shorter way
///              round
///   dragonfly  routers of a group joined pair by pair, groups by global links; ways take the group's router
///              that has the global link, shortest ways only
class Network {
 public:
  Network(const Machine& machine, std::int64_t nodes);

  std::size_t links() const { return gbPerS_.size(); }
  double gbPerS(std::size_t link) const { return gbPerS_[link]; }
  /// Links from one node to another, in order; none within a node.
  std::vector<std::int32_t> way(std::int64_t from, std::int64_t to) const;

 private:
  std::int32_t add(double gbPerS);
  void addTree();
  void addTorus();
  void addDragonfly();
  void treeWay(std::int64_t from, std::int64_t to, std::vector<std::int32_t>& way) const;
  void torusWay(std::int64_t from, std::int64_t to, std::vector<std::int32_t>& way) const;
  void dragonflyWay(std::int64_t from, std::int64_t to, std::vector<std::int32_t>& way) const;
  /// Of the switch level, nodes below one switch.
  std::int64_t below(std::int64_t level) const;

  Topology topology_;
  std::int64_t nodes_;
  double nodeGbPerS_;
  std::vector<double> gbPerS_;
  std::int32_t first_ = 0;                // link between switches
  std::vector<std::int32_t> levelFirst_;  // fat tree: of each level
};

}  // namespace halo::cluster
