#include "datasets/generate/generate_arcs.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include "datasets/graph/asking.h"
#include "datasets/graph/order.h"
#include "datasets/graph/power_law.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"

// Vertices are drawn in "positions": community c owns the positions [first[c], first[c + 1]), and a random
// order says which vertex stands at a position. Every position gets a weight, its expected degree, from the
// truncated power law. Part of the weight is for its own community and part for everywhere. A position draws
// partners with probability proportional to their weights of that part (Chung & Lu 2002; degree-corrected
// block model, Karrer & Newman 2011). A hub wider than its community spends only what the community can hold
// there. Every draw takes its random words from (position, number of the draw), so threads do not matter.
namespace halo {
namespace {

// Third counter of the draws below: one stream each.
enum Stream : std::uint32_t { kCount = 1, kPartner = 2, kProbe = 3, kSize = 4, kRoad = 5, kTown = 6 };
enum Shuffle : std::uint64_t { kPlaces = 1 };
constexpr std::int64_t kBlock = 4096;

/// Walker's alias tables, one per segment of `weights`, in place: a draw costs one look-up.
class AliasTables {
 public:
  AliasTables(std::span<const float> weights, std::span<const Index> first, int threads,
              const AskStop& askStop)
      : keep_(weights.size()), other_(weights.size()) {
    parallelBlocks(
        static_cast<std::int64_t>(first.size()) - 1, 1,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t s = begin; s < end; ++s) fill(weights, first[at(s)], first[at(s + 1)], askStop);
        },
        threads, askStop);
  }

  /// An element of [first, end) by weight, from a word for the place and one for the coin.
  Index draw(Index first, Index end, std::uint32_t place, std::uint32_t coin) const {
    const Index i =
        first + static_cast<Index>((std::uint64_t{place} * static_cast<std::uint64_t>(end - first)) >> 32);
    return unit(coin) < static_cast<double>(keep_[at(i)]) ? i : first + other_[at(i)];
  }

 private:
  /// asked inside one table only where it is the only one, and so the calling thread's
  void fill(std::span<const float> weights, Index first, Index end, const AskStop& askStop) {
    static const AskStop kNobody;
    StopAsks asks(std::cmp_equal(end - first, weights.size()) ? askStop : kNobody, kBlock);
    const double mean = std::accumulate(weights.begin() + first, weights.begin() + end, 0.0) /
                        static_cast<double>(end - first);
    std::vector<Index> small, large;
    std::vector<double> share(at(end - first));
    for (Index i = first; i < end; ++i) {
      asks.step();
      share[at(i - first)] = static_cast<double>(weights[at(i)]) / mean;
      (share[at(i - first)] < 1 ? small : large).push_back(i - first);
      keep_[at(i)] = 1;
      other_[at(i)] = static_cast<Vertex>(i - first);
    }
    while (!small.empty() && !large.empty()) {
      asks.step();
      const Index poor = small.back(), rich = large.back();
      small.pop_back();
      keep_[at(first + poor)] = static_cast<float>(share[at(poor)]);
      other_[at(first + poor)] = static_cast<Vertex>(rich);
      share[at(rich)] -= 1 - share[at(poor)];
      if (share[at(rich)] >= 1) continue;
      large.pop_back();
      small.push_back(rich);
    }
  }

  Buffer<float> keep_;
  Buffer<Vertex> other_;
};

class Communities {
 public:
  Communities(const GraphShape& shape, const GraphPlan& plan, std::uint64_t seed, const Progress& progress,
              int threads)
      : shape_(shape), plan_(plan), seed_(seed), threads_(threads), progress_(progress) {
    const AskStop askStop = asking(progress, "weighing vertices", 0);
    setSizes();
    setWeights(askStop);
    inner_ = std::make_unique<AliasTables>(inside_, first_, threads, askStop);
    const std::vector<Index> bounds{0, plan.vertices};
    outer_ = std::make_unique<AliasTables>(outside_, bounds, 1, askStop);
    factor_ = calibrate();
  }

  PlantedGraph build() {
    const std::vector<Vertex> place =
        randomOrder(plan_.vertices, seed_, kPlaces, asking(progress_, "ordering vertices", 0.1));
    Csr arcs = draw(place);
    PlantedGraph graph{std::move(arcs), Buffer<Vertex>(at(plan_.vertices)), classOf_};
    for (Index c = 0; c < plan_.communities; ++c)
      for (Index p = first_[at(c)]; p < first_[at(c + 1)]; ++p)
        graph.communityOf[at(place[at(p)])] = static_cast<Vertex>(c);
    return graph;
  }

 private:
  /// Classes shrink slowly from the first to the last; inside a class, communities differ up to threefold.
  void setSizes() {
    std::vector<double> share(at(plan_.communities));
    classOf_.resize(at(plan_.communities));
    double sum = 0;
    const auto groups = static_cast<std::int32_t>(std::min<Index>(plan_.classes, plan_.communities));
    for (std::int32_t k = 0; k < groups; ++k) sum += 1 / (1 + 0.15 * k);
    double reached = 0;
    Index begin = 0;
    for (std::int32_t k = 0; k < groups; ++k) {
      const double ofClass = 1 / (1 + 0.15 * k) / sum;
      reached += ofClass;
      const auto target = static_cast<Index>(std::llround(reached * static_cast<double>(plan_.communities)));
      const Index end = std::clamp(target, begin + 1, plan_.communities - (groups - 1 - k));
      for (Index c = begin; c < end; ++c) {
        const auto words = philox(seed_, Purpose::generate, static_cast<std::uint64_t>(c), 0, kSize);
        share[at(c)] = ofClass / static_cast<double>(end - begin) * (0.5 + unit(words[0]));
        classOf_[at(c)] = k;
      }
      begin = end;
    }
    cut(share);
  }

  void cut(const std::vector<double>& share) {
    const double sum = std::accumulate(share.begin(), share.end(), 0.0);
    first_.assign(1, 0);
    double reached = 0;
    for (Index c = 0; c < plan_.communities; ++c) {
      reached += share[at(c)] / sum;
      const auto end = static_cast<Index>(std::llround(reached * static_cast<double>(plan_.vertices)));
      first_.push_back(std::clamp(end, first_.back() + 1, plan_.vertices - (plan_.communities - 1 - c)));
    }
  }

  /// Quantiles at a golden-ratio sequence, so that every run of positions samples the power law evenly, and
  /// hence every community. The largest weight of n is the one expected, for any seed.
  void setWeights(const AskStop& askStop) {
    inside_.resize(at(plan_.vertices));
    outside_.resize(at(plan_.vertices));
    insideTotal_.resize(at(plan_.communities));
    total_.resize(at(plan_.communities));
    const PowerLaw law(plan_.degree, plan_.maxDegree, shape_.exponent);
    parallelBlocks(
        plan_.communities, 1,
        [&](std::int64_t begin, std::int64_t end) {
          for (Index c = begin; c < end; ++c) setWeights(law, c);
        },
        threads_, askStop);
    for (Index c = 0; c < plan_.communities; ++c) outsideTotal_ += total_[at(c)] - insideTotal_[at(c)];
  }

  void setWeights(const PowerLaw& law, Index c) {
    const double room = 0.2 * static_cast<double>(first_[at(c + 1)] - first_[at(c)]);
    for (Index p = first_[at(c)]; p < first_[at(c + 1)]; ++p) {
      const double weight = law.quantile(spread(p)), inside = std::min(plan_.inside * weight, room);
      inside_[at(p)] = static_cast<float>(inside);
      outside_[at(p)] = static_cast<float>(weight - inside);
      insideTotal_[at(c)] += inside;
      total_[at(c)] += weight;
    }
  }

  static double spread(Index p) {
    const double turned = static_cast<double>(p + 1) * (std::numbers::phi - 1);
    return turned - std::floor(turned);
  }

  Index communityAt(Index p) const {
    return std::upper_bound(first_.begin(), first_.end(), p) - first_.begin() - 1;
  }

  /// Draws expected of a position: half its degree, since it is drawn as often as it draws. When directed
  /// they are all its out-arcs, which are exponential; the power law is that of the in-degrees.
  double appetite(Index p) const {
    if (!shape_.directed) return static_cast<double>(inside_[at(p)] + outside_[at(p)]) / 2;
    const auto words = philox(seed_, Purpose::generate, static_cast<std::uint64_t>(p), 1, kCount);
    return -plan_.degree * std::log1p(-unit(words[0]));
  }

  Index draws(Index p) const {
    const auto words = philox(seed_, Purpose::generate, static_cast<std::uint64_t>(p), 0, kCount);
    const double expected = factor_ * appetite(p);
    return std::max<Index>(1, static_cast<Index>(expected + unit(words[0])));
  }

  /// Share of the draws of p that stay in its community c.
  double staying(Index p, Index c) const {
    if (shape_.directed) return insideTotal_[at(c)] / total_[at(c)];
    return static_cast<double>(inside_[at(p)] / (inside_[at(p)] + outside_[at(p)]));
  }

  Index partner(Index p, Index c, std::uint32_t number, std::uint32_t stream) const {
    constexpr std::uint32_t kTries = 4, kStreams = 16;
    for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
      const auto words = philox(seed_, Purpose::generate, static_cast<std::uint64_t>(p), number,
                                stream + kStreams * attempt);
      const Index candidate = unit(words[0]) < staying(p, c)
                                  ? inner_->draw(first_[at(c)], first_[at(c + 1)], words[1], words[2])
                                  : outer_->draw(0, plan_.vertices, words[1], words[2]);
      if (candidate != p) return candidate;
    }
    return (p + 1) % plan_.vertices;  // alone in its community: any other will do
  }

  /// Expected draws from p to q.
  double rate(Index p, Index q) const {
    const Index c = communityAt(p);
    const double stays = staying(p, c);
    const bool same = q >= first_[at(c)] && q < first_[at(c + 1)];
    return appetite(p) * ((same ? stays * static_cast<double>(inside_[at(q)]) / insideTotal_[at(c)] : 0) +
                          (1 - stays) * static_cast<double>(outside_[at(q)]) / outsideTotal_);
  }

  /// By what to multiply the draws so that the arcs left after merging duplicates have the degree asked. A
  /// pair drawn λ times on average yields 1 − e^−λ edges, estimated over sampled draws; then a fixed point.
  double calibrate() const {
    constexpr std::uint32_t kSamples = 50000;
    std::vector<std::pair<double, double>> pairs;  // weight of the sample, λ at factor 1
    for (std::uint32_t k = 0; k < kSamples; ++k) {
      const Index p = k * plan_.vertices / kSamples;
      const Index q = partner(p, communityAt(p), k, kProbe);
      pairs.emplace_back(appetite(p), rate(p, q) + (shape_.directed ? 0 : rate(q, p)));
    }
    double factor = 1;
    for (int step = 0; step < 30; ++step) {
      double remaining = 0, all = 0;
      for (const auto& [weight, expected] : pairs) {
        all += weight;
        remaining += weight * -std::expm1(-expected * factor) / (expected * factor);
      }
      factor = std::min(all / remaining, 4.0);
    }
    return factor;
  }

  Csr draw(const std::vector<Vertex>& place) const {
    const AskStop askStop = asking(progress_, "drawing arcs", 0.2);
    const Index n = plan_.vertices, blocks = (n + kBlock - 1) / kBlock;
    std::vector<Index> firstOf(at(blocks + 1), 0);
    parallelBlocks(
        n, kBlock,
        [&](std::int64_t begin, std::int64_t end) {
          for (Index p = begin; p < end; ++p) firstOf[at(begin / kBlock + 1)] += draws(p);
        },
        threads_, askStop);
    std::partial_sum(firstOf.begin(), firstOf.end(), firstOf.begin());
    Buffer<Arc> arcs(at(firstOf.back() * (shape_.directed ? 1 : 2)));
    parallelBlocks(
        n, kBlock, [&](std::int64_t begin, std::int64_t end) { fill(place, begin, end, firstOf, arcs); },
        threads_, askStop);
    return buildCsr(n, arcs, false, asking(progress_, "building rows", 0.5));
  }

  void fill(const std::vector<Vertex>& place, Index begin, Index end, const std::vector<Index>& firstOf,
            Buffer<Arc>& arcs) const {
    Index to = firstOf[at(begin / kBlock)] * (shape_.directed ? 1 : 2);
    Index community = communityAt(begin);
    for (Index p = begin; p < end; ++p) {
      while (p >= first_[at(community + 1)]) ++community;
      const Index count = draws(p);
      for (Index k = 0; k < count; ++k) {
        const Arc arc{place[at(p)],
                      place[at(partner(p, community, static_cast<std::uint32_t>(k), kPartner))]};
        arcs[at(to++)] = arc;
        if (!shape_.directed) arcs[at(to++)] = {arc.target, arc.source};
      }
    }
  }

  const GraphShape& shape_;
  const GraphPlan& plan_;
  std::uint64_t seed_;
  int threads_;
  const Progress& progress_;
  std::vector<Index> first_;                 // positions of community c: [first_[c], first_[c + 1])
  std::vector<std::int32_t> classOf_;        // communities
  Buffer<float> inside_, outside_;           // positions: weight for the own community, weight for everywhere
  std::vector<double> insideTotal_, total_;  // communities
  double outsideTotal_ = 0, factor_ = 1;
  std::unique_ptr<AliasTables> inner_, outer_;
};

}  // namespace

GraphPlan planGraph(const GraphShape& shape, double scale) {
  GraphPlan plan;
  plan.vertices = generatedVertices(shape, scale);
  const auto n = static_cast<double>(plan.vertices);
  constexpr Index kPerClass = 4;  // fewer vertices than this and a class cannot be learnt
  plan.classes = static_cast<std::int32_t>(std::clamp<Index>(plan.vertices / kPerClass, 2, shape.classes));
  plan.degree = std::min(shape.averageDegree, 0.25 * (n - 1));
  const double size = std::max(1000.0, 8 * plan.degree);
  const Index atLeast = shape.multiLabel ? std::min<Index>(8, plan.vertices / kPerClass) : plan.classes;
  plan.communities = std::max(atLeast, static_cast<Index>(n / size));
  // an almost complete community would lose its arcs to duplicates: first fewer stay inside, then there are
  // fewer
  const double room = 0.35 * n / static_cast<double>(plan.communities);
  plan.inside = std::clamp(room / plan.degree, 0.5 * shape.homophily, shape.homophily);
  plan.degree = std::max(2.0, std::min(plan.degree, room / plan.inside));
  plan.maxDegree = std::min(static_cast<double>(shape.maxDegree), std::max(2 * plan.degree, 0.5 * (n - 1)));
  plan.maxDegree = std::max(plan.maxDegree, 1.5 * plan.degree);
  return plan;
}

PlantedGraph plantCommunities(const GraphShape& shape, const GraphPlan& plan, std::uint64_t seed,
                              const Progress& progress, int threads) {
  return Communities(shape, plan, seed, progress, threads).build();
}

PlantedGraph plantRoads(const GraphPlan& plan, std::uint64_t seed, const Progress& progress, int threads) {
  const Index n = plan.vertices, width = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(n))));
  constexpr double kDiagonal = 0.02;
  const double extra = std::clamp(plan.degree / 2 - 1 - kDiagonal, 0.0, 1.0);
  Buffer<Arc> arcs(at(n * 6));
  constexpr Arc kNone{0, 0};  // a self loop: dropped below
  parallelBlocks(
      n, kBlock,
      [&](std::int64_t begin, std::int64_t end) {
        for (Index v = begin; v < end; ++v) {
          const auto words = philox(seed, Purpose::generate, static_cast<std::uint64_t>(v), 0, kRoad);
          const bool hasWest = v % width > 0, hasNorth = v >= width, more = unit(words[1]) < extra;
          const bool west = hasWest && (!hasNorth || more || words[0] % 2 == 0);
          const bool north = hasNorth && (!hasWest || more || words[0] % 2 != 0);
          const bool diagonal = hasWest && hasNorth && unit(words[2]) < kDiagonal;
          const Index to[3] = {west ? v - 1 : -1, north ? v - width : -1, diagonal ? v - width - 1 : -1};
          for (Index k = 0; k < 3; ++k) {
            const Arc arc{static_cast<Vertex>(v), static_cast<Vertex>(to[k])};
            arcs[at(6 * v + 2 * k)] = to[k] < 0 ? kNone : arc;
            arcs[at(6 * v + 2 * k + 1)] = to[k] < 0 ? kNone : Arc{arc.target, arc.source};
          }
        }
      },
      threads, asking(progress, "drawing arcs", 0.2));
  PlantedGraph graph{
      buildCsr(n, arcs, false, asking(progress, "building rows", 0.5)), Buffer<Vertex>(at(n)), {}};
  // towns: squares of the grid, wide enough that two hops stay inside for most
  const Index side = std::clamp<Index>(width / 4, 2, 24), across = (width + side - 1) / side;
  for (Index v = 0; v < n; ++v)
    graph.communityOf[at(v)] = static_cast<Vertex>(v / width / side * across + v % width / side);
  graph.classOf.resize(at(across * across));
  for (std::size_t town = 0; town < graph.classOf.size(); ++town)
    graph.classOf[town] = static_cast<std::int32_t>(philox(seed, Purpose::generate, town, 0, kTown)[0] %
                                                    static_cast<std::uint32_t>(plan.classes));
  return graph;
}

}  // namespace halo
