#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"

namespace halo {

/// Seeds a trainer takes: of its own training vertices, or its share of a permutation of all.
enum class SeedChoice { own, global };

/// What says which seeds an iteration has.
struct SeedSettings {
  std::uint64_t seed = 1;
  SeedChoice seeds = SeedChoice::own;
  std::int64_t batch = 1024;     // of one trainer and iteration
  std::int64_t globalBatch = 0;  // of all trainers; 0: batch × trainers
  bool shuffle = true;           // false: by id
  bool dropLast = false;         // leaves out a batch that is not full
};

/// Seeds of all trainers in a full iteration.
std::int64_t globalBatch(const SeedSettings& settings, int trainers);
/// Seeds of one trainer in a full iteration, where it takes its own: those of the global batch dealt evenly,
/// the remainder to low trainers.
std::int64_t ownBatch(const SeedSettings& settings, int trainers, int trainer);

/// Iterations of an epoch; 0: none is left.
///
/// trained  training vertices of each trainer
/// own:     max over trainers of n_i / b_i, rounded up, with dropLast down. Who has none left goes on with
///          empty batches.
/// global:  the same of Σ n_i and the global batch.
std::int64_t iterationsOf(const SeedSettings& settings, std::span<const std::int64_t> trained);

/// What is wrong with `settings` for these training vertices; empty where nothing is. `prefix` stands before
/// the keys: "run.". A batch larger than all training vertices is refused, and a global one.
std::vector<Problem> seedProblems(const SeedSettings& settings, std::span<const std::int64_t> trained,
                                  std::string_view prefix);

/// Of a square block's draws: more distinct vertices than the graph has are refused.
std::vector<Problem> budgetProblems(std::int64_t budget, std::int64_t vertices, std::string_view key);

/// Keys of draws have 32 bits for iterations · epochs · layers.
std::vector<Problem> stepProblems(std::int64_t iterations, std::int64_t epochs, int layers,
                                  std::string_view key);

}  // namespace halo
