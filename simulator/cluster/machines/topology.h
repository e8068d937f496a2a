#pragma once

#include <cstdint>
#include <vector>

#include "simulator/cluster/machines/machine.h"

namespace halo::cluster {

/// How many links a machine of so many nodes has at most, in and out of nodes and between switches.
double linkCount(const Topology& topology, std::int64_t nodes);

using Link = std::int64_t;

/// The links of a machine's first nodes and the ways between them. Every node has a link in and one out of
/// its own bandwidth; between switches:
///
///   crossbar   none that could be busy
///   fat tree   `levels` of switches; at each level a group of nodes has, up and down, as much as its nodes
///              together, were it full, over the oversubscription; the top is not blocking
///   torus      a link to either neighbour in each dimension; ways go dimension by dimension, the shorter way
///              round
///   dragonfly  routers of a group joined pair by pair, groups by global links; ways take the group's router
///              that has the global link, shortest ways only
///
/// Links are numbers and nothing is kept of any, for a dragonfly has as many as pairs of groups; linkCount is
/// at most 1e15.
class Network {
 public:
  Network(const Machine& machine, std::int64_t nodes);

  Link links() const { return links_; }
  double gbPerS(Link link) const;
  /// Links from one node to another, in order; none within a node.
  std::vector<Link> way(std::int64_t from, std::int64_t to) const;

 private:
  void countTree();
  void treeWay(std::int64_t from, std::int64_t to, std::vector<Link>& way) const;
  void torusWay(std::int64_t from, std::int64_t to, std::vector<Link>& way) const;
  void dragonflyWay(std::int64_t from, std::int64_t to, std::vector<Link>& way) const;
  /// Of the switch level, nodes below one switch.
  std::int64_t below(std::int64_t level) const;

  /// A level of a fat tree: the number of its first link, and what each of its links carries.
  struct Level {
    Link first;
    double gbPerS;
  };

  Topology topology_;
  std::int64_t nodes_, groups_ = 0;  // of a dragonfly
  double nodeGbPerS_;
  Link first_, links_, global_ = 0;  // link between switches; of all; between groups
  std::vector<Level> levels_;
};

}  // namespace halo::cluster
