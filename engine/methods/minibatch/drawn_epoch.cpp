#include "engine/methods/minibatch/drawn_epoch.h"

#include <algorithm>
#include <numeric>

#include "engine/base/index.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "engine/sampling/seed_order.h"

namespace halo {
namespace {

/// Of each rank something, as where its part of all begins.
std::vector<Index> begins(std::vector<Index> counts) {
  counts.push_back(0);
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), Index{0});
  return counts;
}

/// Adds what rank `self` asks of others for V^block, and for block 1 and later ones what they answer.
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

/// Who trains on what, and which seeds each rank takes when.
class Seeds {
 public:
  explicit Seeds(const DrawRequest& request) {
    std::vector<std::vector<Vertex>> own(at(request.parts));
    std::vector<Vertex> all;
    std::vector<std::int32_t> owners;
    for (std::size_t v = 0; v < request.split.size(); ++v) {
      if (request.split[v] != Split::train) continue;
      all.push_back(static_cast<Vertex>(v));
      owners.push_back(request.owners[v]);
      own[at(owners.back())].push_back(all.back());
    }
    std::vector<std::int64_t> trained;
    for (const std::vector<Vertex>& vertices : own) trained.push_back(std::ssize(vertices));
    const Index vertices = request.arcs.rows();
    if (auto problems = batchProblems(request.run, trained, vertices); !problems.empty())
      throw InputError(std::move(problems));
    settings_ = batchSettings(request.run, trained, vertices);
    for (int rank = 0; rank < request.parts; ++rank) {
      orders_.push_back(settings_.seeds.seeds == SeedChoice::own
                            ? SeedOrder::own(settings_.seeds, rank, std::move(own[at(rank)]), trained)
                            : SeedOrder::global(settings_.seeds, rank, request.parts, all, owners));
      orders_.back().begin(static_cast<std::uint32_t>(request.epoch));
    }
  }

  const BatchSettings& settings() const { return settings_; }
  Index iterations() const { return orders_.front().iterations(); }
  std::span<const Vertex> seedsOf(int rank, Index iteration) const {
    return orders_[at(rank)].seeds(iteration);
  }

 private:
  BatchSettings settings_;
  std::vector<SeedOrder> orders_;
};

DrawnIteration numbersOf(const DrawnBatches& iteration) {
  const auto ranks = iteration.batches.size();
  const int layers = iteration.batches.front().layers();
  DrawnIteration drawn;
  for (int l = 0; l <= layers; ++l) {
    std::vector<std::int64_t> vertices;
    for (const Blocks& batch : iteration.batches) vertices.push_back(std::ssize(batch.at(l)));
    drawn.vertices.push_back(std::move(vertices));
    if (l == 0) continue;
    std::vector<std::int64_t> arcs(ranks, 0), served(ranks, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const Blocks& batch = iteration.batches[rank];
      const Csr& block = batch.block(l);
      arcs[rank] = block.nonzeros();
      for (Index i = 0; i < block.rows(); ++i)
        served[at(iteration.owners[at(batch.at(l)[at(i)])])] += block.degree(i);
    }
    drawn.arcs.push_back(std::move(arcs));
    drawn.served.push_back(std::move(served));
  }
  return drawn;
}

/// By rank and vertex; empty where that is not asked.
std::vector<std::vector<std::uint8_t>> keptBy(int ranks, int layers, const KeptOf& keptOf) {
  std::vector<std::vector<std::uint8_t>> kept;
  for (int rank = 0; keptOf && rank < ranks; ++rank) kept.push_back(keptOf(rank, layers));
  if (std::ranges::all_of(kept, [](const auto& vertices) { return vertices.empty(); })) kept.clear();
  return kept;
}

std::vector<std::int64_t> missedOf(const DrawnBatches& iteration,
                                   const std::vector<std::vector<std::uint8_t>>& kept) {
  std::vector<std::int64_t> missed;
  for (std::size_t rank = 0; rank < kept.size(); ++rank)
    missed.push_back(std::ranges::count_if(iteration.batches[rank].at(0),
                                           [&](Vertex v) { return kept[rank][at(v)] == 0; }));
  return missed;
}

}  // namespace

std::vector<RowTable> decidePulls(const DrawnBatches& iteration) {
  const int ranks = static_cast<int>(iteration.batches.size()), layers = iteration.batches.front().layers();
  PullCounts counts(layers, ranks);
  for (int rank = 0; rank < ranks; ++rank)
    for (int block = 0; block < layers; ++block)
      addLevel(iteration.batches[at(rank)], block, rank, iteration.owners, ranks, counts);
  return counts.tables(/*iterations=*/1);
}

DrawnEpoch drawEpoch(const DrawRequest& request,
                     std::vector<RowTable> (*decide)(const DrawnBatches& iteration), const KeptOf& keptOf) {
  const Seeds seeds(request);
  const SampledGraph graph(CsrRows(request.arcs));
  NeighbourSampler sampler(graph, seeds.settings().neighbours);
  DrawnEpoch epoch;
  epoch.iterations = seeds.iterations();
  const Index count = std::min<Index>(epoch.iterations, request.most);
  std::vector<Blocks> batches(at(request.parts));
  const std::vector<std::vector<std::uint8_t>> kept =
      keptBy(request.parts, static_cast<int>(seeds.settings().neighbours.fanouts.size()), keptOf);
  for (Index i = 0; i < count; ++i) {
    const Index t = i * epoch.iterations / count;
    const DrawKey key{request.run.training.seed,
                      static_cast<std::uint64_t>(request.epoch * epoch.iterations + t)};
    for (int rank = 0; rank < request.parts; ++rank)
      sampler.sample(seeds.seedsOf(rank, t), key, batches[at(rank)]);
    const DrawnBatches iteration{batches, request.owners};
    epoch.drawn.push_back(numbersOf(iteration));
    epoch.drawn.back().decided = decide(iteration);
    epoch.drawn.back().missed = missedOf(iteration, kept);
  }
  return epoch;
}

}  // namespace halo
