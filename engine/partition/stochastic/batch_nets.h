#pragma once

#include <cstdint>

#include "engine/partition/hypergraph/hypergraph.h"
#include "engine/sampling/square_sampler.h"

namespace halo {

struct BatchNets {
  Hypergraph graph;       // over all vertices, equal nets merged
  std::int64_t nets = 0;  // drawn, those of a single vertex too: they cost nothing and are left out
  std::int64_t kept = 0;  // drawn of several vertices, before equal ones were merged
};

/// Column nets of `batches` batches: in each batch a net for each vertex v drawn, of v and of those drawn
/// whose rows need v.
///
/// sampler    of the graph whose row v lists the in-neighbours of v; its keys are (seed, hypergraph, batch)
/// consumers  the same graph transposed
/// Throws InputError for partition.batches where 32 bits do not count the nets.
/// Memory: 32 bytes a pin of distinct nets, and as much again while they are merged.
BatchNets netsOfBatches(const SquareSampler& sampler, const Csr& consumers, std::uint64_t seed,
                        std::int64_t batches, Weights weights);

}  // namespace halo
