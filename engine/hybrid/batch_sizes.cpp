#include "engine/hybrid/batch_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_set>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"
#include "engine/sampling/neighbour.h"

namespace halo {
namespace {

/// a · x + b · y, part by part.
BatchSize combined(double a, const BatchSize& x, double b, const BatchSize& y) {
  BatchSize sum = x;
  for (std::size_t l = 0; l < x.vertices.size(); ++l) sum.vertices[l] = a * x.vertices[l] + b * y.vertices[l];
  for (std::size_t l = 0; l < x.edges.size(); ++l) sum.edges[l] = a * x.edges[l] + b * y.edges[l];
  return sum;
}

void check(const SampleRequest& request) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, const std::string& message) {
    problems.push_back({.key = key, .message = message});
  };
  if (request.fanouts.empty()) wrong("sample.fanouts", "empty; one for each layer");
  for (const std::int32_t fanout : request.fanouts)
    if (fanout < 1 || (fanout > kMostFanout && fanout != kAllNeighbours))
      wrong("sample.fanouts", fmt::format("{} cannot be used; 1 to {}", fanout, kMostFanout));
  if (request.batchSizes.empty()) wrong("sample.batch_sizes", "empty; one or more");
  if (!std::ranges::is_sorted(request.batchSizes, std::less_equal<>()))
    wrong("sample.batch_sizes", "not ascending");
  if (!request.batchSizes.empty() && request.batchSizes.front() < 1)
    wrong("sample.batch_sizes", fmt::format("{} cannot be used; 1 or more", request.batchSizes.front()));
  if (request.draws < 1) wrong("sample.draws", fmt::format("{} cannot be used; 1 or more", request.draws));
  if (!(request.scale >= 1) || std::isinf(request.scale))
    wrong("sample.scale", fmt::format("{} cannot be used; 1 or more", request.scale));
  // what tells draws apart has 32 bits
  const double last = request.batchSizes.empty() ? 0 : static_cast<double>(request.batchSizes.back());
  if (last * request.draws * static_cast<double>(request.batchSizes.size() * request.fanouts.size()) >=
      0x1p32)
    wrong("sample.draws", fmt::format("{} of {} sizes up to {} are too many to be told apart", request.draws,
                                      request.batchSizes.size(), last));
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// `count` distinct vertices, in the order drawn (Floyd).
std::vector<Vertex> drawSeeds(Index vertices, std::int64_t count, std::uint64_t seed,
                              std::uint64_t iteration) {
  PhiloxStream random(seed, Purpose::shuffle, iteration);
  std::unordered_set<Vertex> seedSet;
  std::vector<Vertex> seeds;
  for (std::int64_t last = vertices - count; last < vertices; ++last) {
    auto drawn = static_cast<Vertex>(random.below(static_cast<std::uint64_t>(last) + 1));
    if (!seedSet.insert(drawn).second) seedSet.insert(drawn = static_cast<Vertex>(last));
    seeds.push_back(drawn);
  }
  return seeds;
}

/// How a batch of the full graph is drawn on the replica: so many batches of so many seeds.
struct Portions {
  std::int64_t count = 1, seeds = 0;
};
Portions portionsOf(double batch, double scale, Index vertices) {
  const std::int64_t seeds = std::min(std::max<std::int64_t>(std::llround(batch / scale), 1), vertices);
  if (seeds == 0) return {};
  return {std::max<std::int64_t>(std::llround(batch / static_cast<double>(seeds)), 1), seeds};
}

}  // namespace

BatchSize sizeOf(const Blocks& blocks) {
  BatchSize size;
  for (int l = 0; l <= blocks.layers(); ++l)
    size.vertices.push_back(static_cast<double>(blocks.at(l).size()));
  for (const Csr& block : blocks.arcs) size.edges.push_back(static_cast<double>(block.nonzeros()));
  return size;
}

double BatchSize::sampled() const { return std::accumulate(edges.begin(), edges.end(), 0.0); }

BatchSizes::BatchSizes(const Csr& replica, const SampleRequest& request, int threads) {
  check(request);
  const auto draws = static_cast<std::int64_t>(request.draws);
  for (const std::int64_t batch : request.batchSizes) {
    batchSizes_.push_back(static_cast<double>(batch));
    sizes_.emplace_back(at(draws));
  }
  const std::int64_t most = portionsOf(batchSizes_.back(), request.scale, replica.rows()).count;
  HALO_CHECK(replica.rows() == replica.cols);
  const SampledGraph graph{CsrRows(replica)};
  const auto drawBatch = [&](NeighbourSampler& sampler, Blocks& blocks, std::int64_t number) {
    const double batch = batchSizes_[at(number / draws)];
    const Portions portions = portionsOf(batch, request.scale, replica.rows());
    BatchSize sum;
    for (std::int64_t portion = 0; portion < portions.count; ++portion) {
      const auto iteration = static_cast<std::uint64_t>(number * most + portion);
      const auto seeds = drawSeeds(replica.rows(), portions.seeds, request.seed, iteration);
      sampler.sample(seeds, {request.seed, iteration}, blocks);
      const BatchSize drawn = sizeOf(blocks);
      sum = portion == 0 ? drawn : combined(1, sum, 1, drawn);
    }
    const auto drawnSeeds = static_cast<double>(portions.count * portions.seeds);
    sizes_[at(number / draws)][at(number % draws)] =
        combined(drawnSeeds > 0 ? batch / drawnSeeds : 0, sum, 0, sum);
  };
  parallelBlocks(
      static_cast<std::int64_t>(request.batchSizes.size()) * draws, 4,
      [&](std::int64_t begin, std::int64_t end) {
        NeighbourSampler sampler(graph, {request.fanouts, /*replace=*/false});
        Blocks blocks;
        for (std::int64_t number = begin; number < end; ++number) drawBatch(sampler, blocks, number);
      },
      threads);
}

BatchSizes::BatchSizes(BatchSize atOne) : batchSizes_{1}, sizes_{{std::move(atOne)}} {}

BatchSize BatchSizes::sizeAt(double seeds, std::uint64_t number) const {
  HALO_CHECK(seeds >= 0);
  const std::size_t draw = number % sizes_.front().size();
  const auto above = std::ranges::lower_bound(batchSizes_, seeds);
  if (above == batchSizes_.begin() || above == batchSizes_.end()) {
    const std::size_t end = above == batchSizes_.begin() ? 0 : batchSizes_.size() - 1;
    return combined(seeds / batchSizes_[end], sizes_[end][draw], 0, sizes_[end][draw]);
  }
  const auto high = at(above - batchSizes_.begin());
  const double share = (seeds - batchSizes_[high - 1]) / (batchSizes_[high] - batchSizes_[high - 1]);
  return combined(1 - share, sizes_[high - 1][draw], share, sizes_[high][draw]);
}

BatchSize BatchSizes::mean(double seeds) const {
  BatchSize sum = sizeAt(seeds, 0);
  for (int draw = 1; draw < draws(); ++draw)
    sum = combined(1, sum, 1, sizeAt(seeds, static_cast<std::uint64_t>(draw)));
  return combined(1.0 / draws(), sum, 0, sum);
}

}  // namespace halo
