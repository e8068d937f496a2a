#pragma once

#include <vector>

#include "engine/partition/halo/halo.h"

namespace halo {

/// Where edges that cross between parts are summed (resources/design/methods.md, Covers of SuperGCN). `pre`:
/// by the source's rank, so that one partial sum a destination travels. `post`: by the destination's rank, so
/// that every source row travels. `hybrid`: each edge by either rank, so that the fewest rows travel over the
/// pair.
enum class CutAggregation { pre, post, hybrid };

/// What the source's rank of an ordered pair of parts does. A message is the pre rows, then the post rows.
struct CutOrder {
  Csr preEdges;              // pre rows × sources
  std::vector<Vertex> post;  // sources that travel as they are, ascending
};

/// The edges of one pair, each in exactly one half.
struct CutSplit : CutOrder {
  std::vector<Vertex> pre;  // destinations that get a partial sum, ascending
  Csr postEdges;            // post rows × destinations
  Index rows() const { return static_cast<Index>(pre.size() + post.size()); }
};

/// edges (sources × destinations), weights carried along. Hybrid: an edge whose source belongs to the minimum
/// cover is post, any other pre, and rows() is the size of the cover.
CutSplit splitCut(const Csr& edges, CutAggregation how);

/// The edges into this rank, by peer of the plan; sources are numbered as the peer's sendRows are.
std::vector<CutSplit> splitHalo(const LocalGraph& graph, CutAggregation how);

/// Message rows [begin, begin + count), to or from one peer.
struct CutPeer {
  int rank = 0;
  Index begin = 0, count = 0;
  Index rawBegin = 0;       // where among all message rows those begin that are own rows as they are
  std::vector<Vertex> raw;  // these own rows, each once
};

/// One rank's end of all its pairs, as the source or as the destination of what travels forward. What it
/// sends are own rows (raw) and sums of own rows (partial); what it receives is added along the same edges.
struct CutEnd {
  std::vector<CutPeer> peers;  // ascending rank, only where something travels
  Csr partial;                 // message rows × own; raw rows are empty
  Csr spread;                  // its transpose
  Index messageRows() const { return partial.rows(); }
};

CutEnd destinationEnd(const LocalGraph& graph, const std::vector<CutSplit>& splits);
/// `orders`: of the peers of the plan, as each of them split what it gets.
CutEnd sourceEnd(const LocalGraph& graph, const std::vector<CutOrder>& orders);

/// rows[i][j]: rows that i sends j forward, counted from the owners alone (as haloRows does), not from a
/// plan.
std::vector<std::vector<std::int64_t>> cutRows(const Csr& propagation, const Owners& owners, int parts,
                                               CutAggregation how);

}  // namespace halo
