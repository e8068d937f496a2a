#include "engine/comm/exchange/group_graph.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"
#include "engine/comm/exchange/row_requests.h"

namespace halo {
namespace {

struct Entry {
  Vertex row, column;
  Scalar value;
};

/// The matrix with these entries, in any order, columns ascending; they are used up.
Csr matrixOf(Index rows, Index cols, std::vector<Entry>& entries, bool weighted) {
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.column); });
  Csr A;
  A.cols = cols;
  A.offsets.assign(at(rows) + 1, 0);
  for (const Entry& entry : entries) {
    ++A.offsets[at(entry.row) + 1];
    A.columns.push_back(entry.column);
    if (weighted) A.values.push_back(entry.value);
  }
  for (Index row = 0; row < rows; ++row) A.offsets[at(row) + 1] += A.offsets[at(row)];
  entries = {};
  return A;
}

/// Calls each(row, column id, value) for every nonzero.
template <class Each>
void eachNonzero(const Csr& A, const Each& each) {
  for (Index row = 0; row < A.rows(); ++row)
    for (Index k = A.offsets[at(row)]; k < A.offsets[at(row) + 1]; ++k)
      each(static_cast<Vertex>(row), A.columns[at(k)], A.weighted() ? A.values[at(k)] : Scalar{1});
}

/// Distinct columns of other groups, by group, each group's in its order.
std::vector<Vertex> haloOf(const Csr& rows, const RowDirectory& directory, const GroupOrder& order) {
  std::vector<Vertex> ids;
  for (const Vertex u : rows.columns)
    if (order.groupOf(directory.owner(u)) != order.group) ids.push_back(u);
  std::ranges::sort(
      ids, {}, [&](Vertex u) { return std::pair(order.groupOf(directory.owner(u)), order.position[at(u)]); });
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// Who of the other groups' same members gets and gives which rows.
std::vector<HaloPeer> peersOf(Communicator& comm, const RowDirectory& directory, const GroupOrder& order,
                              const std::vector<Vertex>& haloIds) {
  std::vector<HaloPeer> all(at(comm.size()));
  std::vector<std::vector<Vertex>> requests(all.size());
  const auto sameMember = [&](int group) { return group * order.members + order.member; };
  for (std::size_t i = 0; i < haloIds.size(); ++i) {
    const int group = order.groupOf(directory.owner(haloIds[i]));
    HaloPeer& peer = all[at(sameMember(group))];
    if (peer.receiveCount++ == 0) peer.receiveBegin = static_cast<Index>(i);
    requests[at(sameMember(group))].push_back(order.position[at(haloIds[i])]);
  }
  return requestRows(comm, std::move(all), requests);
}

}  // namespace

GroupOrder groupOrder(const Communicator& comm, const RowDirectory& directory, int groups) {
  HALO_CHECK(groups >= 1 && comm.size() % groups == 0);
  GroupOrder order;
  order.groups = groups;
  order.members = comm.size() / groups;
  order.group = order.groupOf(comm.rank());
  order.member = order.memberOf(comm.rank());
  std::vector<Index> counts(at(comm.size()), 0);
  for (const std::int32_t owner : directory.owners()) ++counts[at(owner)];
  std::vector<Index> first(counts.size(), 0);
  for (int rank = 1; rank < comm.size(); ++rank)
    if (order.memberOf(rank) > 0) first[at(rank)] = first[at(rank) - 1] + counts[at(rank) - 1];
  for (int i = 0; i < order.members; ++i) {
    order.ranks.push_back(order.group * order.members + i);
    order.rows.push_back(counts[at(order.ranks.back())]);
  }
  Index total = 0;
  for (const Index rows : order.rows) total += rows;
  order.ids.resize(at(total));
  order.position.resize(directory.owners().size());
  for (std::size_t v = 0; v < order.position.size(); ++v) {
    const auto vertex = static_cast<Vertex>(v);
    const int owner = directory.owner(vertex);
    order.position[v] = static_cast<Vertex>(first[at(owner)] + directory.rowAtOwner(vertex));
    if (order.groupOf(owner) == order.group) order.ids[at(order.position[v])] = vertex;
  }
  return order;
}

LocalGraph groupGraph(Communicator& comm, RowDirectory& directory, const GroupOrder& order, bool weighted) {
  LocalGraph graph;
  graph.rank = order.group;
  graph.parts = order.groups;
  graph.globalVertices = static_cast<Index>(order.position.size());
  graph.owned = order.ids;
  const Csr rows = directory.propagationRows(order.ids);
  graph.haloIds = haloOf(rows, directory, order);
  graph.peers = peersOf(comm, directory, order, graph.haloIds);
  std::vector<Vertex> haloRow(order.position.size(), 0);
  for (std::size_t i = 0; i < graph.haloIds.size(); ++i)
    haloRow[at(graph.haloIds[i])] = static_cast<Vertex>(i);
  std::vector<Entry> own, halo;
  eachNonzero(rows, [&](Vertex row, Vertex u, Scalar value) {
    const bool isOwn = order.groupOf(directory.owner(u)) == order.group;
    (isOwn ? own : halo).push_back({row, isOwn ? order.position[at(u)] : haloRow[at(u)], value});
  });
  graph.own = matrixOf(rows.rows(), rows.rows(), own, weighted);
  graph.halo = matrixOf(rows.rows(), static_cast<Index>(graph.haloIds.size()), halo, weighted);
  return graph;
}

RowBlocks ownRowBlocks(Communicator& comm, RowDirectory& directory, const GroupOrder& order,
                       const std::vector<Vertex>& owned, bool weighted) {
  HALO_CHECK(order.groups == 1);
  const auto rows = static_cast<Index>(owned.size()), all = static_cast<Index>(order.position.size());
  std::vector<Entry> own, ownTransposed;
  std::vector<std::vector<Entry>> others(at(comm.size()));  // of the transpose, by who owns the row
  eachNonzero(directory.propagationRows(owned), [&](Vertex row, Vertex u, Scalar value) {
    own.push_back({row, order.position[at(u)], value});
    const int owner = directory.owner(u);
    (owner == comm.rank() ? ownTransposed : others[at(owner)])
        .push_back({directory.rowAtOwner(u), order.position[at(owned[at(row)])], value});
  });
  everyPair(
      comm,
      [&](int rank) {
        ByteWriter out;
        out.array(others[at(rank)]);
        return out.take();
      },
      [&](int, const std::string& bytes) {
        std::vector<Entry> arrived;
        ByteReader(bytes).array(arrived);
        ownTransposed.insert(ownTransposed.end(), arrived.begin(), arrived.end());
      });
  RowBlocks blocks;
  blocks.rows = matrixOf(rows, all, own, weighted);
  blocks.transposed = matrixOf(rows, all, ownTransposed, weighted);
  return blocks;
}

}  // namespace halo
