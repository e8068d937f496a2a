#include "engine/partition/halo/halo.h"

#include <algorithm>
#include <utility>

#include "engine/base/index.h"

namespace halo {
namespace {

bool isOwner(const Owners& owners, Index v, int rank) { return owners[at(v)] == rank; }

/// Distinct columns of my rows that others own, grouped by owner, ascending within.
std::vector<Vertex> haloOf(const Csr& propagation, const Owners& owners, const LocalGraph& local) {
  std::vector<bool> seen(owners.size(), false);
  std::vector<Vertex> ids;
  for (const Vertex v : local.owned)
    for (const Vertex u : propagation.row(v))
      if (!isOwner(owners, u, local.rank) && !seen[at(u)]) {
        seen[at(u)] = true;
        ids.push_back(u);
      }
  std::ranges::sort(ids, {}, [&](Vertex u) { return std::pair(owners[at(u)], u); });
  return ids;
}

/// For each part the local rows of mine that appear as columns in its rows, ascending.
std::vector<std::vector<Vertex>> sendLists(const Csr& propagation, const Owners& owners,
                                           const LocalGraph& local, const std::vector<Vertex>& localIndex) {
  std::vector<std::vector<Vertex>> rows(at(local.parts));
  for (Index v = 0; v < propagation.rows(); ++v) {
    if (isOwner(owners, v, local.rank)) continue;
    auto& list = rows[at(owners[at(v)])];
    for (const Vertex u : propagation.row(v))
      if (isOwner(owners, u, local.rank)) list.push_back(localIndex[at(u)]);
  }
  for (auto& list : rows) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return rows;
}

/// The columns of own rows that this rank (or, if not `own`, others) owns, renumbered and ascending.
Csr shareOf(const Csr& propagation, const Owners& owners, const LocalGraph& local,
            const std::vector<Vertex>& localIndex, bool own) {
  Csr share;
  share.cols = static_cast<Index>(own ? local.owned.size() : local.haloIds.size());
  share.offsets.reserve(local.owned.size() + 1);
  std::vector<std::pair<Vertex, Scalar>> row;
  for (const Vertex v : local.owned) {
    row.clear();
    const auto columns = propagation.row(v);
    const auto first = at(propagation.offsets[at(v)]);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (isOwner(owners, columns[i], local.rank) == own)
        row.emplace_back(localIndex[at(columns[i])],
                         propagation.weighted() ? propagation.values[first + i] : Scalar{1});
    if (!own) std::ranges::sort(row, {}, &std::pair<Vertex, Scalar>::first);  // own columns ascend already
    for (const auto& [column, value] : row) {
      share.columns.push_back(column);
      if (propagation.weighted()) share.values.push_back(value);
    }
    share.offsets.push_back(static_cast<Index>(share.columns.size()));
  }
  return share;
}

}  // namespace

Index sendCount(const std::vector<HaloPeer>& peers) {
  Index count = 0;
  for (const HaloPeer& peer : peers) count += static_cast<Index>(peer.sendRows.size());
  return count;
}

Index receiveCount(const std::vector<HaloPeer>& peers) {
  Index count = 0;
  for (const HaloPeer& peer : peers) count += peer.receiveCount;
  return count;
}

Csr columnsOf(const Csr& A, Index begin, Index count) {
  Csr block;
  block.cols = count;
  for (Index row = 0; row < A.rows(); ++row) {
    for (Index k = A.offsets[at(row)]; k < A.offsets[at(row) + 1]; ++k) {
      const Index column = A.columns[at(k)] - begin;
      if (column < 0 || column >= count) continue;
      block.columns.push_back(static_cast<Vertex>(column));
      if (A.weighted()) block.values.push_back(A.values[at(k)]);
    }
    block.offsets.push_back(static_cast<Index>(block.columns.size()));
  }
  return block;
}

LocalGraph localGraph(const Csr& propagation, const Owners& owners, int rank, int parts) {
  HALO_CHECK(propagation.rows() == propagation.cols &&
             static_cast<Index>(owners.size()) == propagation.rows());
  HALO_CHECK(rank >= 0 && rank < parts);
  LocalGraph local;
  local.rank = rank;
  local.parts = parts;
  local.globalVertices = propagation.rows();
  // of an own vertex its own row, of a halo vertex its halo row: the two ranges never mix
  std::vector<Vertex> localIndex(owners.size(), 0);
  for (std::size_t v = 0; v < owners.size(); ++v)
    if (owners[v] == rank) {
      localIndex[v] = static_cast<Vertex>(local.owned.size());
      local.owned.push_back(static_cast<Vertex>(v));
    }
  local.haloIds = haloOf(propagation, owners, local);
  for (std::size_t i = 0; i < local.haloIds.size(); ++i)
    localIndex[at(local.haloIds[i])] = static_cast<Vertex>(i);

  local.own = shareOf(propagation, owners, local, localIndex, true);
  local.halo = shareOf(propagation, owners, local, localIndex, false);

  std::vector<Index> receives(at(parts), 0);
  for (const Vertex u : local.haloIds) ++receives[at(owners[at(u)])];
  auto sends = sendLists(propagation, owners, local, localIndex);
  Index begin = 0;
  for (int peer = 0; peer < parts; ++peer) {
    const auto p = at(peer);
    if (receives[p] > 0 || !sends[p].empty())
      local.peers.push_back({peer, std::move(sends[p]), begin, receives[p]});
    begin += receives[p];
  }
  return local;
}

}  // namespace halo
