#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/buffer.h"
#include "engine/base/stop_asks.h"
#include "engine/sampling/limits.h"

namespace halo {

/// `vertices` in the order of (the first 64 bits of philox(seed, seedOrder; vertex, epoch), id): a
/// permutation that any part of the vertices agrees on. `vertices` are distinct.
///
/// Time: O(n log n), in pieces between which `askStop` is asked. Holds 16 n bytes.
class KeyedShuffle {
 public:
  void operator()(std::uint64_t seed, std::uint32_t epoch, std::span<Vertex> vertices,
                  const AskStop& askStop = {});
  std::size_t heldBytes() const;

 private:
  struct Keyed {
    std::uint64_t key;
    Vertex vertex;
  };
  Buffer<Keyed> keyed_;
  std::vector<Index> begin_;
};

/// Which seeds one trainer takes in which iteration of an epoch. No vertex is a seed twice or missing, but
/// for those of batches that dropLast leaves out.
///
/// own (DistDGL): the trainer permutes its own training vertices. It takes b of them an iteration.
/// global: one permutation of all training vertices is cut into global batches. A trainer takes the seeds
/// that it owns, in the permutation's order. A global batch then does not depend on the number of trainers.
///
/// Settings are taken as checked (seedProblems). Nothing is allocated after the first epoch.
class SeedOrder {
 public:
  /// vertices  the trainer's training vertices, ascending
  /// trained   the number of those of each trainer
  static SeedOrder own(const SeedSettings& settings, int trainer, std::vector<Vertex> vertices,
                       std::vector<std::int64_t> trained);
  /// vertices  all training vertices, ascending; owners  which trainer each belongs to
  static SeedOrder global(const SeedSettings& settings, int trainer, int trainers,
                          std::vector<Vertex> vertices, std::span<const std::int32_t> owners);

  /// Of an epoch, the same for all trainers.
  Index iterations() const { return iterations_; }
  /// Orders the seeds of an epoch; O(n_train log n_train).
  void begin(std::uint32_t epoch, const AskStop& askStop = {});
  /// May be empty. Valid until the next begin.
  std::span<const Vertex> seeds(Index iteration) const;
  /// B_t: of all trainers together.
  Index globalSeeds(Index iteration) const;
  /// Of them those that have any. Of the epoch that was begun last.
  Index trainersWithSeeds(Index iteration) const;
  std::size_t heldBytes() const;

 private:
  SeedOrder(const SeedSettings& settings, int trainer, std::vector<std::int64_t> trained);
  void takeOwned();
  Index taken(Index all, Index batch, Index iteration) const;

  SeedSettings settings_;
  int trainer_;
  std::vector<std::int64_t> trained_;
  Index iterations_;
  std::vector<Vertex> vertices_;  // ascending
  Buffer<Vertex> order_, owned_;  // the permutation; of it what this trainer takes
  // global alone
  std::vector<std::int32_t> owners_;      // of each of vertices_
  std::vector<Index> begin_, withSeeds_;  // of each iteration: where in owned_, trainersWithSeeds
  std::vector<Index> lastBatch_;          // of each trainer: iteration that it last had seeds in
  KeyedShuffle shuffle_;
};

}  // namespace halo
