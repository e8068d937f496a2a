#include "engine/methods/minibatch/drawn_pulls.h"

#include <numeric>

#include "engine/base/index.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "engine/sampling/blocks.h"

namespace halo {
namespace {

/// Of each rank something, as where its part of all begins.
std::vector<Index> begins(std::vector<Index> counts) {
  counts.push_back(0);
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), Index{0});
  return counts;
}

/// Adds what rank `self` asks of others for V^block, and for block >= 1 what they answer.
void addLevel(const Blocks& batch, int block, int self, const Owners& owners, int ranks, PullCounts& counts) {
  std::vector<Index> vertices(at(ranks), 0), arcs(at(ranks), 0);
  const std::span<const Vertex> targets = batch.at(block);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::int32_t owner = owners[at(targets[i])];
    if (owner == self) continue;
    ++vertices[at(owner)];
    if (block > 0) arcs[at(owner)] += batch.block(block).degree(static_cast<Index>(i));
  }
  counts.addAsked(block, self, begins(std::move(vertices)));
  if (block > 0) counts.addArcs(block, self, begins(std::move(arcs)));
}

}  // namespace

std::vector<RowTable> decidePulls(const DrawnRequest& request) {
  const int ranks = static_cast<int>(request.batches.size()), layers = request.batches.front().layers();
  PullCounts counts(layers, ranks);
  for (int rank = 0; rank < ranks; ++rank)
    for (int block = 0; block < layers; ++block)
      addLevel(request.batches[at(rank)], block, rank, request.owners, ranks, counts);
  return counts.tables(/*iterations=*/1);
}

}  // namespace halo
