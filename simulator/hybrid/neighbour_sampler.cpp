#include "simulator/hybrid/neighbour_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_set>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

constexpr int kMostFanout = 1024;

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
    problems.push_back({"", 0, 0, key, message});
  };
  if (request.fanouts.empty()) wrong("sample.fanouts", "empty; one for each layer");
  for (const int fanout : request.fanouts)
    if (fanout < 1 || fanout > kMostFanout)
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
  std::unordered_set<Vertex> taken;
  std::vector<Vertex> seeds;
  for (std::int64_t last = vertices - count; last < vertices; ++last) {
    auto drawn = static_cast<Vertex>(random.below(static_cast<std::uint64_t>(last) + 1));
    if (!taken.insert(drawn).second) taken.insert(drawn = static_cast<Vertex>(last));
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

double BatchSize::sampled() const { return std::accumulate(edges.begin(), edges.end(), 0.0); }

NeighbourSampler::NeighbourSampler(const Csr& A, std::vector<int> fanouts, std::uint64_t seed)
    : A_(A), fanouts_(std::move(fanouts)), seed_(seed), seenIn_(at(A.rows()), 0) {
  HALO_CHECK(A.rows() == A.cols);
}

BatchSize NeighbourSampler::sample(std::span<const Vertex> seeds, std::uint64_t iteration) {
  ++samples_;
  met_.assign(seeds.begin(), seeds.end());
  for (const Vertex v : seeds) seenIn_[at(v)] = samples_;
  arcs_.assign(fanouts_.size(), {});
  BatchSize size;
  size.vertices.push_back(static_cast<double>(met_.size()));
  for (int hop = 0; hop < static_cast<int>(fanouts_.size()); ++hop) {
    const std::size_t targets = met_.size();
    for (std::size_t i = 0; i < targets; ++i) draw(met_[i], hop, iteration);
    size.vertices.push_back(static_cast<double>(met_.size()));
    size.edges.push_back(static_cast<double>(arcs_[at(hop)].size()));
  }
  // from the inputs on
  std::ranges::reverse(size.vertices);
  std::ranges::reverse(size.edges);
  return size;
}

void NeighbourSampler::draw(Vertex target, int hop, std::uint64_t iteration) {
  const std::span<const Vertex> neighbours = A_.row(target);
  const auto take = [&](std::size_t i) {
    const Vertex u = neighbours[i];
    arcs_[at(hop)].push_back({u, target});
    if (seenIn_[at(u)] == samples_) return;
    seenIn_[at(u)] = samples_;
    met_.push_back(u);
  };
  const auto degree = neighbours.size(), fanout = at(fanouts_[at(hop)]);
  if (degree <= fanout) {
    for (std::size_t i = 0; i < degree; ++i) take(i);
    return;
  }
  // Floyd: position j of the last `fanout` ones, or, if it is there already, the one drawn below it
  PhiloxStream random(seed_, Purpose::neighbourSample,
                      (iteration * fanouts_.size() + static_cast<std::uint64_t>(hop)) << 32 |
                          static_cast<std::uint32_t>(target));
  std::array<std::size_t, kMostFanout> taken;
  for (std::size_t count = 0; count < fanout; ++count) {
    const std::size_t last = degree - fanout + count;
    std::size_t position = random.below(last + 1);
    const auto end = taken.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::find(taken.begin(), end, position) != end) position = last;
    taken[count] = position;
    take(position);
  }
}

BatchSizes::BatchSizes(const Csr& replica, const SampleRequest& request, int threads) {
  check(request);
  const auto draws = static_cast<std::int64_t>(request.draws);
  for (const std::int64_t batch : request.batchSizes) {
    batchSizes_.push_back(static_cast<double>(batch));
    sizes_.emplace_back(at(draws));
  }
  const std::int64_t most = portionsOf(batchSizes_.back(), request.scale, replica.rows()).count;
  const auto one = [&](NeighbourSampler& sampler, std::int64_t number) {
    const double batch = batchSizes_[at(number / draws)];
    const Portions portions = portionsOf(batch, request.scale, replica.rows());
    BatchSize sum;
    for (std::int64_t portion = 0; portion < portions.count; ++portion) {
      const auto iteration = static_cast<std::uint64_t>(number * most + portion);
      const auto seeds = drawSeeds(replica.rows(), portions.seeds, request.seed, iteration);
      const BatchSize drawn = sampler.sample(seeds, iteration);
      sum = portion == 0 ? drawn : combined(1, sum, 1, drawn);
    }
    const auto drawnSeeds = static_cast<double>(portions.count * portions.seeds);
    sizes_[at(number / draws)][at(number % draws)] =
        combined(drawnSeeds > 0 ? batch / drawnSeeds : 0, sum, 0, sum);
  };
  parallelBlocks(
      static_cast<std::int64_t>(request.batchSizes.size()) * draws, 4,
      [&](std::int64_t begin, std::int64_t end) {
        NeighbourSampler sampler(replica, request.fanouts, request.seed);
        for (std::int64_t number = begin; number < end; ++number) one(sampler, number);
      },
      threads);
}

BatchSizes::BatchSizes(BatchSize atOne) : batchSizes_{1}, sizes_{{std::move(atOne)}} {}

BatchSize BatchSizes::of(double seeds, std::uint64_t which) const {
  HALO_CHECK(seeds >= 0);
  const std::size_t draw = which % sizes_.front().size();
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
  BatchSize sum = of(seeds, 0);
  for (int draw = 1; draw < draws(); ++draw)
    sum = combined(1, sum, 1, of(seeds, static_cast<std::uint64_t>(draw)));
  return combined(1.0 / draws(), sum, 0, sum);
}

}  // namespace halo::sim
