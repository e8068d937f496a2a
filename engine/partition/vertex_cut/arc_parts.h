#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/partition/contract/partitioner.h"

namespace halo {

/// A cut through vertices: each stored entry of a matrix has a part. A vertex has a clone in every part that
/// an entry of its row or column has. One clone is its root.
struct ArcPlacement {
  Owners roots;
  ArcParts parts;  // by position among the stored entries
};

/// Entries that no part's load exceeds: ⌈(1 + imbalance) · entries / parts⌉.
std::int64_t loadBound(std::int64_t entries, const PartitionRequest& request);

/// Places entries (v, u), v ≠ u, as Libra does (NIPS 2014). The first of these cases that holds chooses the
/// part:
///
///   - both endpoints have a clone in some part: the least loaded of such parts;
///   - only one endpoint has clones: the least loaded of their parts;
///   - both have: the endpoint of more entries gets a clone in the least loaded part of the other;
///   - neither has: the least loaded of all, which also stands in for a part that has reached its bound.
///
/// Load: entries. Of parts equally loaded, the first. Rows come in an order drawn by the seed: in the stored
/// order each row meets the last, and one part would get all.
///
/// `roots`: where vertices have their roots, and so a clone from the beginning. If it is empty, a vertex's
/// root is one of its clones, drawn by (seed, vertex). Where that part is at the bound, the root is another.
/// A part that is nobody's root gets some (empty_parts.h). An entry (v, v) stands where v has its root. Time:
/// entries · parts / 64 words.
ArcPlacement placeArcs(const Csr& A, const PartitionRequest& request, const Owners& roots = {});

/// Where the entries of A are summed by methods that cut vertices. The partitioner placed them with the
/// vertices (`owners`); if it places vertices only, placeArcs does from there.
ArcPlacement arcsPlaced(const Csr& A, const Owners& owners, const std::string& partitioner,
                        const PartitionRequest& request);

/// What one part holds of a matrix whose entries are placed.
struct LocalArcs {
  std::vector<Vertex> leaves;  // clones of vertices whose root is elsewhere, by their roots' parts, ascending
  Csr arcs;  // clones × clones; the clones: vertices with their root here, ascending, leaves
};
LocalArcs localArcs(const Csr& A, const ArcPlacement& placement, int part);

/// What a vertex cut costs; integers are exact.
struct VertexCutQuality {
  std::int64_t clones = 0;                    // Σ c_v
  std::int64_t volume = 0;                    // Σ (c_v − 1): rows that leaves send to roots, and back
  std::int64_t maxVolume = 0;                 // largest number of leaves of one part
  double replication = 1;                     // Σ c_v / n
  double imbalance = 0;                       // largest part ÷ mean part − 1, by entries
  std::vector<std::int64_t> entries, leaves;  // of each part
};
VertexCutQuality measure(const Csr& A, const ArcPlacement& placement, int parts);

/// [bin][i][j]: leaves in part i whose root is in part j, of the vertices that `binOf` puts in the bin.
std::vector<std::vector<std::vector<std::int64_t>>> leafRows(const Csr& A, const ArcPlacement& placement,
                                                             int parts, std::int64_t bins,
                                                             std::int64_t (*binOf)(Vertex v,
                                                                                   std::int64_t bins));

}  // namespace halo
