#include "engine/partition/vertex_cut/root_choice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/partition/vertex_cut/arc_parts.h"

namespace halo {
namespace {

std::int32_t drawRoot(const CloneSets& clones, Vertex v, int parts, std::uint64_t seed) {
  const std::uint32_t drawn = philox(seed, Purpose::partition, static_cast<std::uint64_t>(v))[0];
  const int count = clones.count(v);
  if (count == 0) return static_cast<std::int32_t>(drawn % static_cast<std::uint32_t>(parts));
  int skip = static_cast<int>(drawn % static_cast<std::uint32_t>(count));
  std::int32_t root = -1;
  clones.common(v, v, [&](std::int32_t part) {
    if (skip-- == 0) root = part;
  });
  return root;
}

/// Who could go where: by the part of its root and another of its clones, the first vertex. Entries of
/// vertices that went elsewhere are left out when they come up. Memory: pairs of parts that occur, of which
/// there are no more than clones.
class Movers {
 public:
  Movers(const CloneSets& clones, const Owners& roots, std::size_t parts)
      : clones_(clones), roots_(roots), heaps_(parts) {
    for (std::size_t v = 0; v < roots.size(); ++v)
      if (roots[v] >= 0) add(static_cast<Vertex>(v));
  }

  /// A vertex whose root has just been chosen.
  void add(Vertex v) {
    const std::int32_t root = roots_[at(v)];
    clones_.common(v, v, [&](std::int32_t part) {
      if (part == root) return;
      Heap& heap = heaps_[at(root)][part];
      heap.push_back(v);
      std::ranges::push_heap(heap, std::greater());
    });
  }
  /// visit(to, first) for each part that somebody rooted in `from` can go to and `wanted(to)`, ascending,
  /// with the first who can. Amortised O(log vertices) each.
  template <class Wanted, class Visit>
  void forTargets(std::int32_t from, const Wanted& wanted, const Visit& visit) {
    for (auto target = heaps_[at(from)].begin(); target != heaps_[at(from)].end();) {
      auto& [to, heap] = *target;
      ++steps_;
      if (wanted(to)) {
        dropGone(heap, from);
        if (!heap.empty()) visit(to, heap.front());
      }
      target = heap.empty() ? heaps_[at(from)].erase(target) : std::next(target);
    }
  }
  /// Pairs of parts and vertices looked at.
  std::int64_t steps() const { return steps_; }

 private:
  using Heap = std::vector<Vertex>;

  void dropGone(Heap& heap, std::int32_t from) {
    for (; !heap.empty() && roots_[at(heap.front())] != from; heap.pop_back()) {
      std::ranges::pop_heap(heap, std::greater());
      ++steps_;
    }
  }

  const CloneSets& clones_;
  const Owners& roots_;
  std::vector<std::map<std::int32_t, Heap>> heaps_;  // [from][to], none of them empty
  std::int64_t steps_ = 0;
};

/// Chooses the roots, one vertex after the other.
class RootSearch {
 public:
  RootSearch(const CloneSets& clones, std::vector<std::int64_t> load, Vertex vertices,
             const PartitionRequest& request)
      : clones_(clones),
        request_(request),
        load_(std::move(load)),
        bound_(loadBound(std::accumulate(load_.begin(), load_.end(), std::int64_t{vertices}), request)),
        closed_(load_.size(), false),
        roots_(at(vertices), -1) {}

  /// Who has fewest clones comes first, who has none, and may be anywhere, last.
  RootChoice choose() {
    std::vector<Vertex> order(roots_.size());
    std::iota(order.begin(), order.end(), Vertex{0});
    std::ranges::stable_sort(order, {}, [&](Vertex v) {
      const int count = clones_.count(v);
      return count > 0 ? count : request_.parts + 1;
    });
    for (const Vertex v : order) {
      const std::int32_t root = rootOf(v);
      take(v, root);
      ++load_[at(root)];
    }
    return {std::move(roots_), movers_ ? movers_->steps() : 0};
  }

 private:
  bool full(std::int32_t part) const { return load_[at(part)] >= bound_; }
  void take(Vertex v, std::int32_t root) {
    roots_[at(v)] = root;
    if (movers_) movers_->add(v);
  }

  /// As drawn; or, if that part is full, the least loaded of the clones' parts. If all of these are full, it
  /// is one that another vertex can leave.
  std::int32_t rootOf(Vertex v) {
    std::int32_t root = drawRoot(clones_, v, request_.parts, request_.seed);
    if (!full(root)) return root;
    if (clones_.none(v)) return static_cast<std::int32_t>(std::ranges::min_element(load_) - load_.begin());
    clones_.common(v, v, [&](std::int32_t part) {
      if (load_[at(part)] < load_[at(root)]) root = part;
    });
    return full(root) ? makeRoom(v, root) : root;
  }

  /// An augmenting path: vertices that each go to another of their clones, from a part of v to one that is
  /// not full. Where there is none, nobody rooted in the parts that were reached has a clone in others. No
  /// choice of roots keeps these parts below the bound, and nobody tries again. As many steps as there are
  /// parts and pairs of them in Movers, at most.
  std::int32_t makeRoom(Vertex v, std::int32_t otherwise) {
    constexpr std::int32_t kUnseen = -2, kFirst = -1;
    if (!movers_) movers_.emplace(clones_, roots_, load_.size());
    std::vector<std::int32_t> comesFrom(load_.size(), kUnseen), reached;
    std::vector<Vertex> mover(load_.size(), v);
    clones_.common(v, v, [&](std::int32_t part) {
      if (closed_[at(part)]) return;
      comesFrom[at(part)] = kFirst;
      reached.push_back(part);
    });
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::int32_t part = reached[i];
      if (!full(part)) return movedUp(part, comesFrom, mover, kFirst);
      const auto oldSize = static_cast<std::ptrdiff_t>(reached.size());
      movers_->forTargets(
          part, [&](std::int32_t to) { return comesFrom[at(to)] == kUnseen && !closed_[at(to)]; },
          [&](std::int32_t to, Vertex first) {
            comesFrom[at(to)] = part;
            mover[at(to)] = first;
            reached.push_back(to);
          });
      std::stable_sort(reached.begin() + oldSize, reached.end(),
                       [&](std::int32_t a, std::int32_t b) { return mover[at(a)] < mover[at(b)]; });
    }
    for (const std::int32_t part : reached) closed_[at(part)] = true;
    return otherwise;
  }

  /// Everybody on the path to `part` goes one further; returns the part at its beginning, where there is room
  /// now.
  std::int32_t movedUp(std::int32_t part, const std::vector<std::int32_t>& comesFrom,
                       const std::vector<Vertex>& mover, std::int32_t beginning) {
    ++load_[at(part)];
    for (; comesFrom[at(part)] != beginning; part = comesFrom[at(part)]) take(mover[at(part)], part);
    --load_[at(part)];
    return part;
  }

  const CloneSets& clones_;
  const PartitionRequest& request_;
  std::vector<std::int64_t> load_;
  std::int64_t bound_;
  std::vector<bool> closed_;  // parts above or at the bound that nobody can leave
  Owners roots_;
  std::optional<Movers> movers_;  // since a part first was full
};

}  // namespace

RootChoice chooseRoots(const CloneSets& clones, std::vector<std::int64_t> load, Vertex vertices,
                       const PartitionRequest& request) {
  return RootSearch(clones, std::move(load), vertices, request).choose();
}

}  // namespace halo
