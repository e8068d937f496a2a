#include "engine/partition/halo/cut.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/partition/halo/cover.h"

namespace halo {
namespace {

std::vector<std::uint8_t> postSources(const Csr& edges, CutAggregation how) {
  if (how == CutAggregation::hybrid) return minimumCover(edges).rows;
  return std::vector<std::uint8_t>(at(edges.rows()), how == CutAggregation::post ? 1 : 0);
}

/// The rows of A that are marked and not empty, and which these are.
Csr chosenRows(const Csr& A, const std::vector<std::uint8_t>& marks, std::uint8_t mark,
               std::vector<Vertex>& rows) {
  Csr chosen;
  chosen.cols = A.cols;
  for (Index row = 0; row < A.rows(); ++row) {
    if (marks[at(row)] != mark || A.degree(row) == 0) continue;
    rows.push_back(static_cast<Vertex>(row));
    for (Index e = A.offsets[at(row)]; e < A.offsets[at(row) + 1]; ++e) {
      chosen.columns.push_back(A.columns[at(e)]);
      if (A.weighted()) chosen.values.push_back(A.values[at(e)]);
    }
    chosen.offsets.push_back(static_cast<Index>(chosen.columns.size()));
  }
  return chosen;
}

/// Rows [begin, begin + count) of A.
Csr rowsOf(const Csr& A, Index begin, Index count) {
  const Index first = A.offsets[at(begin)], last = A.offsets[at(begin + count)];
  Csr rows;
  rows.cols = A.cols;
  rows.columns.assign(A.columns.begin() + first, A.columns.begin() + last);
  if (A.weighted()) rows.values.assign(A.values.begin() + first, A.values.begin() + last);
  for (Index row = begin; row < begin + count; ++row) rows.offsets.push_back(A.offsets[at(row) + 1] - first);
  return rows;
}

/// Puts rows without a nonzero, or the rows of `block`, under those of A.
void appendEmpty(Csr& A, std::size_t rows) { A.offsets.insert(A.offsets.end(), rows, A.nonzeros()); }
void append(Csr& A, const Csr& block) {
  const Index before = A.nonzeros();
  A.columns.insert(A.columns.end(), block.columns.begin(), block.columns.end());
  A.values.insert(A.values.end(), block.values.begin(), block.values.end());
  for (Index row = 0; row < block.rows(); ++row) A.offsets.push_back(before + block.offsets[at(row) + 1]);
}

/// The arcs as a matrix of distinct sources × distinct targets.
Csr compacted(std::vector<Arc>& arcs) {
  const auto renumber = [&](Vertex Arc::*end) {
    std::ranges::sort(arcs, {}, end);
    Vertex number = -1, last = -1;
    for (Arc& arc : arcs) {
      if (arc.*end != last) ++number;
      last = std::exchange(arc.*end, number);
    }
    return number + 1;
  };
  Csr edges;
  edges.cols = renumber(&Arc::target);
  edges.offsets.assign(at(renumber(&Arc::source)) + 1, 0);
  for (const Arc& arc : arcs) {  // by source now
    ++edges.offsets[at(arc.source) + 1];
    edges.columns.push_back(arc.target);
  }
  for (std::size_t row = 1; row < edges.offsets.size(); ++row) edges.offsets[row] += edges.offsets[row - 1];
  return edges;
}

/// Both halves of a pair's message under each other.
void appendPeer(CutEnd& end, int rank, std::vector<Vertex> raw, const Csr& partial, bool rawFirst) {
  CutPeer peer{.rank = rank, .begin = end.messageRows()};
  if (!rawFirst) append(end.partial, partial);
  peer.rawBegin = end.messageRows();
  appendEmpty(end.partial, raw.size());
  if (rawFirst) append(end.partial, partial);
  peer.count = end.messageRows() - peer.begin;
  peer.raw = std::move(raw);
  if (peer.count > 0) end.peers.push_back(std::move(peer));
}

}  // namespace

CutSplit splitCut(const Csr& edges, CutAggregation how) {
  const std::vector<std::uint8_t> isPost = postSources(edges, how);
  CutSplit split;
  split.postEdges = chosenRows(edges, isPost, 1, split.post);
  std::vector<Vertex> preSources;
  Csr bySource = chosenRows(edges, isPost, 0, preSources);
  const Csr byDestination = transpose(bySource);
  split.preEdges = chosenRows(byDestination, std::vector<std::uint8_t>(at(edges.cols), 0), 0, split.pre);
  for (Vertex& source : split.preEdges.columns) source = preSources[at(source)];
  split.preEdges.cols = edges.rows();
  return split;
}

std::vector<CutSplit> splitHalo(const LocalGraph& graph, CutAggregation how) {
  const Csr bySource = transpose(graph.halo);
  std::vector<CutSplit> splits;
  for (const HaloPeer& peer : graph.peers)
    splits.push_back(splitCut(rowsOf(bySource, peer.receiveBegin, peer.receiveCount), how));
  return splits;
}

CutEnd destinationEnd(const LocalGraph& graph, const std::vector<CutSplit>& splits) {
  HALO_CHECK(splits.size() == graph.peers.size());
  CutEnd end;
  end.partial.cols = static_cast<Index>(graph.owned.size());
  for (std::size_t p = 0; p < splits.size(); ++p)
    appendPeer(end, graph.peers[p].rank, splits[p].pre, splits[p].postEdges, /*rawFirst=*/true);
  end.spread = transpose(end.partial);
  return end;
}

CutEnd sourceEnd(const LocalGraph& graph, const std::vector<CutOrder>& orders) {
  HALO_CHECK(orders.size() == graph.peers.size());
  CutEnd end;
  end.partial.cols = static_cast<Index>(graph.owned.size());
  for (std::size_t p = 0; p < orders.size(); ++p) {
    const std::vector<Vertex>& rows = graph.peers[p].sendRows;
    std::vector<Vertex> raw;
    for (const Vertex position : orders[p].post) raw.push_back(rows.at(at(position)));
    Csr partial = orders[p].preEdges;
    for (Vertex& column : partial.columns) column = rows.at(at(column));
    appendPeer(end, graph.peers[p].rank, std::move(raw), partial, /*rawFirst=*/false);
  }
  end.spread = transpose(end.partial);
  return end;
}

std::vector<std::vector<std::int64_t>> cutRows(const Csr& propagation, const Owners& owners, int parts,
                                               CutAggregation how) {
  const std::size_t size = at(parts);
  std::vector<std::vector<std::int64_t>> rows(size, std::vector<std::int64_t>(size, 0));
  std::vector<std::vector<Arc>> cut(size);  // by source part, of one destination part at a time
  for (std::size_t j = 0; j < size; ++j) {
    for (auto& arcs : cut) arcs.clear();
    for (Index v = 0; v < propagation.rows(); ++v) {
      if (owners[at(v)] != static_cast<std::int32_t>(j)) continue;
      for (const Vertex u : propagation.row(v))
        if (owners[at(u)] != static_cast<std::int32_t>(j))
          cut[at(owners[at(u)])].push_back({u, static_cast<Vertex>(v)});
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (cut[i].empty()) continue;
      const Csr edges = compacted(cut[i]);
      rows[i][j] = how == CutAggregation::post  ? edges.rows()
                   : how == CutAggregation::pre ? edges.cols
                                                : minimumCover(edges).size;
    }
  }
  return rows;
}

}  // namespace halo
