// A hierarchy of communities has two starts on its coarsest level: METIS, up to 16 parts and in meshes, and
// recursive bisection. Localised searches refine each start on every level. Then the best partition is
// coarsened inside its parts and refined again, twice at once, as often as that pays. On roads the whole
// graph is bisected instead of its coarsest level.
//
// In undirected graphs with hubs communities say little. There METIS's volume of the whole graph is the first
// start. Up to 16 parts one coarsening at a time has to do, and the finest level is annealed. Where the first
// such round pays much, with hubs or in directed graphs, the hierarchy has missed what belongs together.
// Zoltan's partition is then one more start.
//
// Vertices may read the same rows without being neighbours, as on the web. With hubs that is looked for
// first. Where it is so, Zoltan starts instead of METIS, from groups of such vertices. The best is then
// coarsened again once, below 8 parts not at all. Two threads, three for a while; decided by the seed alone.
#include "engine/partition/connectivity/search.h"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/partition/connectivity/bisect.h"
#include "engine/partition/connectivity/metis.h"

namespace halo {
namespace {

constexpr Vertex kCommunities = 30;   // in a part, at least, of the heaviest that are allowed
constexpr Vertex kFewestStarts = 2;   // METIS partitions of the coarsest level, and half as many bisections
constexpr Vertex kMostStarts = 4;     // luck counts more where it is small: as many as have together
constexpr Vertex kStartNodes = 4800;  // these nodes
constexpr int kFewParts = 8;          // fewer are a matter of luck
constexpr int kCutParts = 16;         // METIS is no start in more, but in meshes
constexpr RefineEffort kThorough{.rounds = 3, .seeds = 4};  // of bisections of roads, or in few parts
constexpr RefineEffort kQuick{.rounds = 2, .seeds = 10};    // of other bisections
constexpr RefineEffort kCoarse{.rounds = 2,
                               .seeds = 10};  // on coarse levels in few parts, without hubs or roads
// on the finest level; in undirected graphs with hubs of the first hierarchy, of a cycle, without levels
constexpr RefineEffort kFinest{.rounds = 2, .seeds = 100};
constexpr RefineEffort kSocialFirst{.rounds = 0, .cooling = {.passes = 10, .from = 0.5, .to = 0.1}};
constexpr RefineEffort kSocialAgain{
    .rounds = 1, .seeds = 100, .cooling = {.passes = 20, .from = 0.7, .to = 0.15}};
constexpr RefineEffort kSocialAsIs{.rounds = 0, .cooling = {.passes = 25, .from = 1.0, .to = 0.1}};
constexpr double kWorth = 0.04;           // cycles that improve by less are the last,
constexpr double kWorthWithHubs = 0.025;  // with hubs these
constexpr double kPoor = 0.06;            // starts that the first cycle improves by more were poor,
constexpr double kVeryPoor = 0.1;         // and by more than this where METIS saw the whole graph
constexpr Vertex kGroup = 6;              // vertices in a group that Zoltan gets,
constexpr Vertex kFewGroup = 9;           // and in few parts, where it tries twice
constexpr double kTogether = 0.4;  // of the nets are left between groups, at most, where it is asked first

class Search {
 public:
  Search(const Csr& arcs, const Hypergraph& graph, const PartitionRequest& request,
         const SearchSettings& settings)
      : arcs_(arcs),
        affinity_(affinityOf(arcs)),
        graph_(graph),
        settings_(settings),
        shape_(settings.shape),
        symmetric_(isSymmetric(arcs)),
        social_(shape_.hubs && symmetric_),
        request_(request),
        parts_(request.parts),
        limit_(partLimit(graph.nodeWeight, parts_, request.imbalance)),
        levels_(graph, parts_, limit_, effortOnCoarse()) {}

  Volume run() {
    Volume best;
    // Zoltan, who may start MPI, works on the calling thread, here as below
    const bool fromZoltan = settings_.fromZoltan;
    if (fromZoltan) best = fromHypergraph(seed(3));
    const bool askedZoltan = start(best, !fromZoltan);
    const std::uint64_t cycles = cyclesAfter(askedZoltan);
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      const std::int64_t before = best.connectivity;
      const std::uint64_t stage = 4 + 2 * cycle;
      const auto [byCommunities, byNets] = both(
          [&] { return social_ && parts_ <= kCutParts ? Volume{} : againByCommunities(best, seed(stage)); },
          [&] { return againByNets(best, seed(stage + 1)); });
      keep(byCommunities, best);
      keep(byNets, best);
      const double gained = static_cast<double>(before - best.connectivity) /
                            static_cast<double>(std::max<std::int64_t>(1, before));
      if (cycle == 0 && !fromZoltan && !askedZoltan && poor(gained))
        keep(tried([&] { return fromHypergraph(seed(3)); }), best);
      if (gained <= (shape_.hubs ? kWorthWithHubs : kWorth)) break;
    }
    // where hardly any single move fits, as at imbalance 0
    if (best.heaviest > limit_ && !fromZoltan) keep(tried([&] { return fromHypergraph(seed(3)); }), best);
    if (best.heaviest > limit_) tryWeights(best, seed(4 + 2 * cycles));
    return best;
  }

 private:
  RefineEffort effortOnCoarse() const {
    return counted(!shape_.hubs && !shape_.road && parts_ < kFewParts ? kCoarse : RefineEffort{});
  }
  RefineEffort counted(RefineEffort effort) const {
    effort.unit = settings_.unit;
    return effort;
  }
  std::uint64_t seed(std::uint64_t stage) const {
    return request_.seed * 0x9E3779B97F4A7C15U + 1'000'000 * stage;
  }

  /// At most: where more have brought little for their time, fewer than were asked for.
  std::uint64_t cyclesAfter(bool askedZoltan) const {
    const auto cycles = static_cast<std::uint64_t>(settings_.cycles);
    const bool fewParts = parts_ < kFewParts;
    if (askedZoltan) return std::min<std::uint64_t>(cycles, fewParts ? 0 : 1);
    return social_ && fewParts ? std::min<std::uint64_t>(cycles, 1) : cycles;
  }

  /// The better balanced one where either breaks the limit, else the one of less volume.
  static void keep(const Volume& other, Volume& best) {
    if (other.heaviest < 0) return;  // there was nothing to start from
    if (best.heaviest < 0 ||
        std::pair(other.heaviest, other.connectivity) < std::pair(best.heaviest, best.connectivity))
      best = other;
  }

  /// Each on a thread of its own.
  template <class One, class Other>
  static std::pair<Volume, Volume> both(const One& foreground, const Other& background) {
    auto meanwhile = std::async(std::launch::async, background);
    Volume first = foreground();
    return {std::move(first), meanwhile.get()};
  }

  /// Whether the hierarchy of communities, whose partition the first cycle improved by so much, has missed
  /// what belongs together.
  bool poor(double gained) const {
    return (shape_.hubs || !symmetric_) && gained > (social_ ? kVeryPoor : kPoor);
  }

  Levels hierarchy() const {
    return {graph_,  affinity_, LevelRefiner::kNodesPerPart * parts_, heaviest(kCommunities),
            nullptr, seed(0)};
  }

  /// The first starts; whether one was Zoltan's.
  bool start(Volume& best, bool mayAsk) {
    if (shape_.road) {
      startOnRoads(best);
      return false;
    }
    std::optional<Levels> groups;
    std::future<void> grouping;
    if (shape_.hubs && mayAsk)
      grouping = std::async(std::launch::async, [&] {
        groups.emplace(graph_, graph_.nodeCount() / (parts_ < kFewParts ? kFewGroup : kGroup), nullptr,
                       seed(3));
      });
    const Levels levels = hierarchy();
    if (grouping.valid()) grouping.get();
    const bool together = groups && groups->coarsest().nodeCount() > parts_ &&
                          groups->coarsest().netCount() < kTogether * graph_.netCount();
    if (together) social_ = false;
    bool askedZoltan = false;
    const auto [direct, bisected] = both(
        [&] {
          Volume zoltans = together ? ofReaders(*groups, seed(3)) : Volume{};
          askedZoltan = zoltans.heaviest >= 0;
          if (askedZoltan) return zoltans;
          groups.reset();
          return social_ ? fromMetis(seed(1)) : fromFewCutEdges(levels, seed(1));
        },
        [&] { return fromBisections(levels, seed(2)); });
    keep(direct, best);
    keep(bisected, best);
    return askedZoltan;
  }

  /// Roads have no communities to speak of: bisections of all of them, beside METIS on the hierarchy.
  void startOnRoads(Volume& best) const {
    const auto [cut, bisected] =
        both([&] { return fromFewCutEdges(hierarchy(), seed(1)); },
             [&] {
               return refinedAsIs(recursivelyBisected(graph_, parts_, limit_, seed(2), 2, counted(kThorough)),
                                  seed(2));
             });
    keep(cut, best);
    keep(bisected, best);
  }

  /// Nothing where another's partitioner cannot divide the graph.
  template <class Start>
  static Volume tried(const Start& start) {
    try {
      return start();
    } catch (const EnvironmentError&) {
      return {};
    }
  }

  Volume fromHypergraph(std::uint64_t seed) const { return fromMethod("hypergraph", seed); }
  Volume fromMetis(std::uint64_t seed) const {
    if (parts_ > kCutParts) return {};
    return tried([&] { return fromMethod("metis-volume", seed); });
  }
  Volume fromMethod(const char* method, std::uint64_t seed) const {
    PartitionRequest request = request_;
    std::erase_if(request.parameters, [](const auto& value) { return value.first != "balance"; });
    return refinedAsIs(partition(arcs_, method, request), seed);
  }

  /// Zoltan's, of groups of vertices that read the same: as good as of the vertices, in half the time. The
  /// better of two where parts are few.
  Volume ofReaders(const Levels& groups, std::uint64_t seed) const {
    return tried([&] {
      PartitionRequest request = request_;
      Volume best;
      for (int tries = parts_ < kFewParts ? 2 : 1; tries > 0; --tries, ++request.seed)
        keep(levels_.refinedOn(groups,
                               find<PartitionerEntry>("hypergraph")->divideNets(groups.coarsest(), request),
                               seed, 1),
             best);
      return levels_.uncoarsened(groups, std::move(best.owners), counted(kFinest), seed,
                                 /*room=*/1);  // it has filled them
    });
  }

  static std::uint64_t cutStarts(const Levels& levels) {
    return static_cast<std::uint64_t>(
        std::clamp(kStartNodes / levels.coarsest().nodeCount(), kFewestStarts, kMostStarts));
  }

  /// From METIS's partitions of the coarsest level.
  Volume fromFewCutEdges(const Levels& levels, std::uint64_t seed) const {
    if (parts_ > kCutParts && !shape_.mesh) return {};
    const Csr edges = levels.coarsestGraph().edges;
    const Weights& weight = levels.coarsest().nodeWeight;
    if (edges.nonzeros() == 0 || levels.coarsest().nodeCount() <= parts_ ||
        std::int64_t{parts_} * *std::ranges::max_element(weight) > totalWeight(weight))
      return {};  // nothing to cut, or what METIS cannot balance
    const std::vector<float> equal(at(parts_), 1.0F / static_cast<float>(parts_));
    Volume best;
    for (std::uint64_t i = 0; i < cutStarts(levels); ++i)
      keep(levels_.refinedOn(levels, fewCutEdges(edges, weight, equal, request_.imbalance, seed + i),
                             seed + i),
           best);
    return levels_.uncoarsened(levels, std::move(best.owners), counted(kFinest), seed);
  }

  Volume fromBisections(const Levels& levels, std::uint64_t seed) const {
    const RefineEffort effort = counted(parts_ < kFewParts ? kThorough : kQuick);
    Volume best;
    for (std::uint64_t i = 0; i < cutStarts(levels) / 2; ++i)
      keep(levels_.refinedOn(
               levels,
               recursivelyBisected(levels.coarsest(), parts_, levels_.limitOn(levels, levels.count() - 1),
                                   seed + i, 2, effort),
               seed + i),
           best);
    return levels_.uncoarsened(levels, std::move(best.owners), counted(social_ ? kSocialFirst : kFinest),
                               seed);
  }

  /// Where a part is too heavy by a vertex or more, spreading the vertices by weight may make lighter parts,
  /// whatever lies apart. Then starts from these.
  void tryWeights(Volume& best, std::uint64_t seed) const {
    if (best.heaviest - limit_ < totalWeight(graph_.nodeWeight) / graph_.nodeCount()) return;
    const Owners spread = spreadByWeight(graph_.nodeWeight, parts_);
    if (std::ranges::max(partWeights(graph_.nodeWeight, spread, parts_)) < best.heaviest)
      keep(refinedAsIs(spread, seed), best);
  }

  /// On the finest level alone; no part ends heavier than it was where that is too heavy.
  Volume refinedAsIs(const Owners& owners, std::uint64_t seed) const {
    const RefineEffort effort = counted(social_ ? kSocialAsIs : kFinest);
    NetParts state(graph_, owners, parts_);
    const std::int64_t heaviest = std::ranges::max(state.weights());
    levels_.refineFinest(state, effort, seed);
    Volume refined = levels_.measured(state);
    if (refined.heaviest <= std::max(limit_, heaviest)) return refined;
    NetParts balanced(graph_, owners, parts_);
    refine(balanced, limit_, effort, seed);
    return levels_.measured(balanced);
  }

  /// Coarsens and refines a partition again, communities inside its parts.
  Volume againByCommunities(const Volume& best, std::uint64_t seed) const {
    const Levels levels(graph_, affinity_, LevelRefiner::kNodesPerPart * parts_,
                        heaviest(LevelRefiner::kNodesPerPart), &best.owners, seed);
    return levels_.uncoarsened(levels, levels.toCoarsest(best.owners),
                               counted(social_ ? kSocialAgain : kFinest), seed, roomAgain());
  }
  /// The same with nodes that share small nets: another neighbourhood of the partition is searched.
  Volume againByNets(const Volume& best, std::uint64_t seed) const {
    const Levels levels(graph_, LevelRefiner::kNodesPerPart * parts_, &best.owners, seed);
    return levels_.uncoarsened(levels, levels.toCoarsest(best.owners),
                               counted(social_ ? kSocialAgain : kFinest), seed, roomAgain());
  }

  /// Refined partitions are full, and making room for the coarse levels costs more than they bring, but with
  /// hubs.
  double roomAgain() const { return shape_.hubs ? LevelRefiner::kRoom : 1; }

  /// Of clusters where there are to be about `clusters` in a part.
  std::int64_t heaviest(Vertex clusters) const {
    return std::max<std::int64_t>(1, totalWeight(graph_.nodeWeight) / (std::int64_t{clusters} * parts_));
  }

  const Csr& arcs_;
  const Affinity affinity_;
  const Hypergraph& graph_;
  const SearchSettings settings_;
  const NetShape shape_;
  const bool symmetric_;
  bool social_;  // hubs, readers are neighbours, and few of them read the same rows
  const PartitionRequest& request_;
  const int parts_;
  const std::int64_t limit_;
  const LevelRefiner levels_;
};

}  // namespace

Volume searchedParts(const Csr& arcs, const Hypergraph& graph, const PartitionRequest& request,
                     const SearchSettings& settings) {
  return Search(arcs, graph, request, settings).run();
}

}  // namespace halo
