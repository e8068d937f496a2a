#pragma once

#include <cstdint>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {

/// What one rank exchanges with another: only pairs with something to exchange, ascending rank
/// (resources/design/methods.md, The halo plan).
struct HaloPeer {
  int rank = 0;
  std::vector<Vertex> sendRows;  // my local rows that it needs, ascending global id
  Index receiveBegin = 0;        // its rows stand at halo rows [receiveBegin, receiveBegin + receiveCount)
  Index receiveCount = 0;
};

/// Rows sent, and received, over all peers of a plan: Σ |S_ij| and Σ |B_ij|.
Index sendCount(const std::vector<HaloPeer>& peers);
Index receiveCount(const std::vector<HaloPeer>& peers);

/// One rank's share of a graph under a row partition. Local columns: own rows by ascending global id, then
/// halo rows grouped by owner rank, ascending global id within.
struct LocalGraph {
  int rank = 0, parts = 1;
  Index globalVertices = 0;
  std::vector<Vertex> owned;    // global ids, ascending
  std::vector<Vertex> haloIds;  // global ids, in halo order
  Csr own;                      // owned × owned, propagation values folded in
  Csr halo;                     // owned × halo rows
  std::vector<HaloPeer> peers;
  Index sendCount() const { return halo::sendCount(peers); }
};

/// The columns [begin, begin + count) of A as a matrix of their own.
Csr columnsOf(const Csr& A, Index begin, Index count);

/// The share of `rank`. `propagation`: the global propagation matrix (self loops and weights included as the
/// model wants).
LocalGraph localGraph(const Csr& propagation, const Owners& owners, int rank, int parts);

}  // namespace halo
