#include "engine/partition/stochastic/batch_nets.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr Vertex kNetsToMerge = Vertex{1} << 22;  // at least; else as many as there are distinct ones

/// Nets while batches come: merged whenever as many have come as there were, so that memory goes by distinct
/// nets.
class Collection {
 public:
  explicit Collection(Weights weights) : same_(weights.size()) {
    std::iota(same_.begin(), same_.end(), 0);
    made_.graph.nodeWeight = std::move(weights);
  }

  void add(const SquareBlock& block) {
    made_.nets += std::ssize(block.vertices);
    Hypergraph& graph = made_.graph;
    for (Index i = 0; i < block.arcs.rows(); ++i) {
      const auto consumers = block.arcs.row(i);
      if (consumers.empty()) continue;
      graph.pins.push_back(block.vertices[at(i)]);
      for (const Vertex u : consumers) graph.pins.push_back(block.vertices[at(u)]);
      graph.netBegin.push_back(std::ssize(graph.pins));
      graph.netWeight.push_back(1);
    }
    if (graph.netCount() >= mergeAt_) merge();
  }

  BatchNets finish() {
    merge();
    return std::move(made_);
  }

  std::int64_t kept() const { return made_.kept + made_.graph.netCount() - merged_; }

 private:
  void merge() {
    made_.kept = kept();
    made_.graph = contracted(made_.graph, same_, static_cast<Vertex>(same_.size()));
    merged_ = made_.graph.netCount();
    const std::int64_t most = std::numeric_limits<Vertex>::max() / 2;
    mergeAt_ = static_cast<Vertex>(std::min(most, std::int64_t{merged_} + std::max(merged_, kNetsToMerge)));
  }

  std::vector<Vertex> same_;  // every vertex a cluster
  BatchNets made_;
  Vertex merged_ = 0, mergeAt_ = kNetsToMerge;
};

}  // namespace

BatchNets netsOfBatches(const SquareSampler& sampler, const Csr& consumers, std::uint64_t seed,
                        std::int64_t batches, Weights weights) {
  const SampledGraph needs(consumers);
  Numbering numbering(needs.vertices());
  Collection nets(std::move(weights));
  SquareBlock block;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    sampler.draw({seed, static_cast<std::uint64_t>(batch), Purpose::hypergraph}, numbering, block.vertices);
    induce(needs, numbering, block);
    nets.add(block);
    // weights are sums of 32 bits wherever nets or vertices come together
    if (nets.kept() > std::numeric_limits<std::int32_t>::max() / 2)
      throw InputError(
          {.key = "partition.batches",
           .message = fmt::format("{} batches have more nets than can be counted ({} in the first {}); fewer",
                                  batches, nets.kept(), batch + 1)});
  }
  return nets.finish();
}

}  // namespace halo
