#pragma once

#include <cstdint>

#include "engine/partition/hypergraph/multilevel.h"
#include "engine/partition/hypergraph/refine.h"

namespace halo {

/// A partition and the volume of communication that it has.
struct Volume {
  std::int64_t heaviest = -1;  // part, or the limit; -1: none yet
  std::int64_t connectivity = 0;
  Owners owners;
};

/// Refines partitions of a hypergraph on the levels that are made of it, under the limit of what a part may
/// weigh.
class LevelRefiner {
 public:
  static constexpr double kRoom = 0.8;  // of what is spare on a level may be used on the next coarser one
  static constexpr Vertex kNodesPerPart = 100;  // coarsening ends where fewer are left

  LevelRefiner(const Hypergraph& graph, int parts, std::int64_t limit, const RefineEffort& onCoarse)
      : graph_(graph), parts_(parts), limit_(limit), onCoarse_(onCoarse) {}

  /// What a part may weigh on a level. Coarse levels leave room for the moves of finer ones, because no
  /// single move is possible where every part is full. Where not even one of the coarsest nodes would fit,
  /// parts have room for two nodes of the level.
  std::int64_t limitOn(const Levels& levels, std::size_t level, double room = kRoom) const;

  /// On the finest level; where the limit keeps single nodes from moving, first as if it did not.
  void refineFinest(NetParts& state, const RefineEffort& effort, std::uint64_t seed) const;
  /// On the coarsest level.
  Volume refinedOn(const Levels& levels, Owners owners, std::uint64_t seed, double room = kRoom) const;
  /// From the coarsest level to the finest, refined on each.
  Volume uncoarsened(const Levels& levels, Owners owners, const RefineEffort& finest, std::uint64_t seed,
                     double room = kRoom) const;
  Volume measured(NetParts& state) const;

 private:
  bool isTight() const { return limit_ - mean() < mean() / kNodesPerPart; }
  std::int64_t mean() const { return (totalWeight(graph_.nodeWeight) + parts_ - 1) / parts_; }
  std::int64_t limitToMove(const Hypergraph& graph) const;

  const Hypergraph& graph_;
  int parts_;
  std::int64_t limit_;
  RefineEffort onCoarse_;
};

}  // namespace halo
