#include "engine/partition/arc_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/philox.h"
#include "engine/partition/shuffle.h"

namespace halo {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The parts in which each vertex has a clone.
class CloneSets {
 public:
  CloneSets(Index vertices, int parts) : words_(at(parts + 63) / 64), bits_(at(vertices) * words_, 0) {}

  void add(Vertex v, std::int32_t part) { of(v)[at(part) / 64] |= std::uint64_t{1} << (part % 64); }
  bool none(Vertex v) const {
    return std::all_of(of(v), of(v) + words_, [](std::uint64_t word) { return word == 0; });
  }
  int count(Vertex v) const {
    int clones = 0;
    for (std::size_t w = 0; w < words_; ++w) clones += std::popcount(of(v)[w]);
    return clones;
  }
  /// visit(part) for each part of v that is one of u's too, ascending.
  template <class Visit>
  void common(Vertex v, Vertex u, const Visit& visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t word = of(v)[w] & of(u)[w]; word != 0; word &= word - 1)
        visit(static_cast<std::int32_t>(64 * w) + std::countr_zero(word));
  }

 private:
  std::uint64_t* of(Vertex v) { return bits_.data() + at(v) * words_; }
  const std::uint64_t* of(Vertex v) const { return bits_.data() + at(v) * words_; }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Every placement's clones, roots included.
CloneSets clonesOf(const Csr& A, const ArcPlacement& placement, int parts) {
  CloneSets clones(A.rows(), parts);
  for (Vertex v = 0; v < A.rows(); ++v) {
    clones.add(v, placement.roots[at(v)]);
    for (Index e = A.offsets[at(v)]; e < A.offsets[at(v) + 1]; ++e) {
      clones.add(v, placement.parts[at(e)]);
      clones.add(A.columns[at(e)], placement.parts[at(e)]);
    }
  }
  return clones;
}

/// The greedy stream.
class Libra {
 public:
  Libra(const Csr& A, const PartitionRequest& request)
      : clones_(A.rows(), request.parts), load_(at(request.parts), 0), degree_(at(A.rows()), 0) {
    std::int64_t entries = 0;
    for (Vertex v = 0; v < A.rows(); ++v)
      for (const Vertex u : A.row(v)) {
        if (u == v) continue;
        ++degree_[at(v)];
        ++degree_[at(u)];
        ++entries;
      }
    capacity_ = loadBound(entries, request);
  }

  CloneSets& clones() { return clones_; }
  const std::vector<std::int64_t>& load() const { return load_; }

  std::int32_t place(Vertex v, Vertex u) {
    std::int32_t part = choose(v, u);
    if (part < 0 || load_[at(part)] >= capacity_) part = leastLoadedOfAll();
    clones_.add(v, part);
    clones_.add(u, part);
    ++load_[at(part)];
    return part;
  }

 private:
  /// −1: in any.
  std::int32_t choose(Vertex v, Vertex u) const {
    const bool noneV = clones_.none(v), noneU = clones_.none(u);
    if (noneV && noneU) return -1;
    if (noneV || noneU) return leastLoaded(noneV ? u : v, noneV ? u : v);
    if (const std::int32_t both = leastLoaded(v, u); both >= 0) return both;
    const Vertex other = degree_[at(v)] > degree_[at(u)] ? u : v;
    return leastLoaded(other, other);
  }
  std::int32_t leastLoadedOfAll() const {
    return static_cast<std::int32_t>(std::ranges::min_element(load_) - load_.begin());
  }
  /// Of the parts of both; −1 if there is none.
  std::int32_t leastLoaded(Vertex v, Vertex u) const {
    std::int32_t least = -1;
    clones_.common(v, u, [&](std::int32_t part) {
      if (least < 0 || load_[at(part)] < load_[at(least)]) least = part;
    });
    return least;
  }

  CloneSets clones_;
  std::vector<std::int64_t> load_;
  std::int64_t capacity_ = 0;
  std::vector<Index> degree_;
};

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

/// Chooses roots among clones. A vertex loads the part of its root by one, for its self loop is there, or
/// would be: so arcs and their propagation matrix have the same roots.
class RootChoice {
 public:
  RootChoice(const CloneSets& clones, std::vector<std::int64_t> load, Vertex vertices,
             const PartitionRequest& request)
      : clones_(clones),
        request_(request),
        load_(std::move(load)),
        bound_(loadBound(std::accumulate(load_.begin(), load_.end(), std::int64_t{vertices}), request)),
        closed_(load_.size(), false),
        roots_(at(vertices), -1) {}

  /// Who has fewest clones comes first, who has none, and may be anywhere, last.
  Owners choose() {
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
    return roots_;
  }
  /// Taken by searches for room.
  std::int64_t steps() const { return movers_ ? movers_->steps() : 0; }

 private:
  bool full(std::int32_t part) const { return load_[at(part)] >= bound_; }
  void take(Vertex v, std::int32_t root) {
    roots_[at(v)] = root;
    if (movers_) movers_->add(v);
  }

  /// As drawn; or, if that part is full, the least loaded of the clones' parts; if all are, one of which
  /// another vertex can go elsewhere.
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
  /// not full. Where there is none, nobody rooted in the parts that were reached has a clone in others: no
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
      const auto known = static_cast<std::ptrdiff_t>(reached.size());
      movers_->forTargets(
          part, [&](std::int32_t to) { return comesFrom[at(to)] == kUnseen && !closed_[at(to)]; },
          [&](std::int32_t to, Vertex first) {
            comesFrom[at(to)] = part;
            mover[at(to)] = first;
            reached.push_back(to);
          });
      std::stable_sort(reached.begin() + known, reached.end(),
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

std::int64_t loadBound(std::int64_t entries, const PartitionRequest& request) {
  const double mean = static_cast<double>(entries) / request.parts;
  return static_cast<std::int64_t>(std::ceil((1 + request.imbalance) * mean));
}

ArcPlacement placeArcs(const Csr& A, const PartitionRequest& request, const Owners& roots) {
  HALO_CHECK(A.rows() == A.cols && request.parts >= 1);
  Libra libra(A, request);
  ArcPlacement placement{roots, ArcParts(at(A.nonzeros()), 0)};
  for (std::size_t v = 0; v < roots.size(); ++v) libra.clones().add(static_cast<Vertex>(v), roots[v]);
  for (const Vertex v : shuffled(static_cast<Vertex>(A.rows()), request.seed))
    for (Index e = A.offsets[at(v)]; e < A.offsets[at(v) + 1]; ++e)
      if (A.columns[at(e)] != v) placement.parts[at(e)] = libra.place(v, A.columns[at(e)]);
  if (roots.empty()) {
    RootChoice choice(libra.clones(), libra.load(), static_cast<Vertex>(A.rows()), request);
    placement.roots = choice.choose();
    placement.steps = choice.steps();
  }
  for (Vertex v = 0; v < A.rows(); ++v)
    for (Index e = A.offsets[at(v)]; e < A.offsets[at(v) + 1]; ++e)
      if (A.columns[at(e)] == v) placement.parts[at(e)] = placement.roots[at(v)];
  return placement;
}

ArcPlacement arcsPlaced(const Csr& A, const Owners& owners, const std::string& partitioner,
                        const PartitionRequest& request) {
  if (request.parts == 1) return {owners, ArcParts(at(A.nonzeros()), 0)};
  const auto* entry = find<PartitionerEntry>(partitioner);
  if (entry != nullptr && entry->placeArcs != nullptr) return {owners, entry->placeArcs(A, request)};
  return placeArcs(A, request, owners);
}

LocalArcs localArcs(const Csr& A, const ArcPlacement& placement, int part) {
  const Owners& roots = placement.roots;
  LocalArcs local;
  std::vector<Vertex> number(at(A.rows()), -1);  // of the clones here
  Vertex clones = 0;
  for (Vertex v = 0; v < A.rows(); ++v)
    if (roots[at(v)] == part) number[at(v)] = clones++;
  const auto meet = [&](Vertex v) {
    if (number[at(v)] >= 0) return;
    number[at(v)] = 0;  // numbered below
    local.leaves.push_back(v);
  };
  const auto forEntries = [&](Vertex v, const auto& visit) {
    for (Index e = A.offsets[at(v)]; e < A.offsets[at(v) + 1]; ++e)
      if (placement.parts[at(e)] == part) visit(e);
  };
  for (Vertex v = 0; v < A.rows(); ++v)
    forEntries(v, [&](Index e) {
      meet(v);
      meet(A.columns[at(e)]);
    });
  std::ranges::sort(local.leaves, {}, [&](Vertex v) { return std::pair(roots[at(v)], v); });
  for (const Vertex v : local.leaves) number[at(v)] = clones++;

  local.arcs.cols = clones;
  std::vector<std::pair<Vertex, Scalar>> row;
  const auto append = [&](Vertex v) {
    row.clear();
    forEntries(v, [&](Index e) {
      row.emplace_back(number[at(A.columns[at(e)])], A.weighted() ? A.values[at(e)] : Scalar{1});
    });
    std::ranges::sort(row, {}, &std::pair<Vertex, Scalar>::first);
    for (const auto& [column, value] : row) {
      local.arcs.columns.push_back(column);
      if (A.weighted()) local.arcs.values.push_back(value);
    }
    local.arcs.offsets.push_back(static_cast<Index>(local.arcs.columns.size()));
  };
  for (Vertex v = 0; v < A.rows(); ++v)
    if (roots[at(v)] == part) append(v);
  for (const Vertex v : local.leaves) append(v);
  return local;
}

VertexCutQuality measure(const Csr& A, const ArcPlacement& placement, int parts) {
  VertexCutQuality q;
  q.entries.assign(at(parts), 0);
  q.leaves.assign(at(parts), 0);
  for (const std::int32_t part : placement.parts) ++q.entries[at(part)];
  const CloneSets clones = clonesOf(A, placement, parts);
  for (Vertex v = 0; v < A.rows(); ++v)
    clones.common(v, v, [&](std::int32_t part) {
      ++q.clones;
      if (part != placement.roots[at(v)]) ++q.leaves[at(part)];
    });
  q.volume = std::reduce(q.leaves.begin(), q.leaves.end());
  q.maxVolume = *std::ranges::max_element(q.leaves);
  if (A.rows() > 0) q.replication = static_cast<double>(q.clones) / static_cast<double>(A.rows());
  if (A.nonzeros() > 0)
    q.imbalance = static_cast<double>(*std::ranges::max_element(q.entries)) * parts /
                      static_cast<double>(A.nonzeros()) -
                  1;
  return q;
}

std::vector<std::vector<std::vector<std::int64_t>>> leafRows(const Csr& A, const ArcPlacement& placement,
                                                             int parts, std::int64_t bins,
                                                             std::int64_t (*binOf)(Vertex v,
                                                                                   std::int64_t bins)) {
  const std::vector<std::vector<std::int64_t>> none(at(parts), std::vector<std::int64_t>(at(parts), 0));
  std::vector<std::vector<std::vector<std::int64_t>>> rows(at(bins), none);
  const CloneSets clones = clonesOf(A, placement, parts);
  for (Vertex v = 0; v < A.rows(); ++v)
    clones.common(v, v, [&](std::int32_t part) {
      if (part != placement.roots[at(v)]) ++rows[at(binOf(v, bins))][at(part)][at(placement.roots[at(v)])];
    });
  return rows;
}

}  // namespace halo
