#include "engine/partition/vertex_cut/arc_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/partition/contract/empty_parts.h"
#include "engine/partition/hypergraph/shuffle.h"
#include "engine/partition/vertex_cut/clone_sets.h"
#include "engine/partition/vertex_cut/root_choice.h"

namespace halo {
namespace {

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

/// visit(e) for each stored entry of row v that is in the part.
template <class Visit>
void forEntries(const Csr& A, const ArcPlacement& placement, int part, Vertex v, const Visit& visit) {
  for (Index e = A.offsets[at(v)]; e < A.offsets[at(v) + 1]; ++e)
    if (placement.parts[at(e)] == part) visit(e);
}

/// Clones in the part of vertices whose root is elsewhere, by their roots' parts, ascending.
std::vector<Vertex> leavesOf(const Csr& A, const ArcPlacement& placement, int part) {
  std::vector<Vertex> leaves;
  std::vector<bool> met(at(A.rows()), false);
  const auto meet = [&](Vertex v) {
    if (placement.roots[at(v)] == part || met[at(v)]) return;
    met[at(v)] = true;
    leaves.push_back(v);
  };
  for (Vertex v = 0; v < A.rows(); ++v)
    forEntries(A, placement, part, v, [&](Index e) {
      meet(v);
      meet(A.columns[at(e)]);
    });
  std::ranges::sort(leaves, {}, [&](Vertex v) { return std::pair(placement.roots[at(v)], v); });
  return leaves;
}

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
    placement.roots = chooseRoots(libra.clones(), libra.load(), static_cast<Vertex>(A.rows()), request).roots;
    fillEmptyParts(A, Weights(at(A.rows()), 1), request.parts, placement.roots);
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
  std::vector<Vertex> clones;
  for (Vertex v = 0; v < A.rows(); ++v)
    if (placement.roots[at(v)] == part) clones.push_back(v);
  LocalArcs local;
  local.leaves = leavesOf(A, placement, part);
  clones.insert(clones.end(), local.leaves.begin(), local.leaves.end());
  std::vector<Vertex> number(at(A.rows()), -1);  // of the clones here
  for (std::size_t i = 0; i < clones.size(); ++i) number[at(clones[i])] = static_cast<Vertex>(i);

  local.arcs.cols = static_cast<Index>(clones.size());
  std::vector<std::pair<Vertex, Scalar>> row;
  for (const Vertex v : clones) {
    row.clear();
    forEntries(A, placement, part, v, [&](Index e) {
      row.emplace_back(number[at(A.columns[at(e)])], A.weighted() ? A.values[at(e)] : Scalar{1});
    });
    std::ranges::sort(row, {}, &std::pair<Vertex, Scalar>::first);
    for (const auto& [column, value] : row) {
      local.arcs.columns.push_back(column);
      if (A.weighted()) local.arcs.values.push_back(value);
    }
    local.arcs.offsets.push_back(static_cast<Index>(local.arcs.columns.size()));
  }
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
