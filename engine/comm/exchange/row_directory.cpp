#include "engine/comm/exchange/row_directory.h"

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
  Vertex column;
  Scalar value;
};

/// Row `row` of [own | halo], columns as global ids, ascending.
std::vector<Entry> globalRow(const LocalGraph& graph, Vertex row) {
  std::vector<Entry> entries;
  const auto append = [&](const Csr& A, const std::vector<Vertex>& ids) {
    const std::span<const Vertex> columns = A.row(row);
    const auto begin = at(A.offsets[at(row)]);
    for (std::size_t e = 0; e < columns.size(); ++e)
      entries.push_back({ids[at(columns[e])], A.weighted() ? A.values[begin + e] : 1});
  };
  append(graph.own, graph.owned);
  append(graph.halo, graph.haloIds);
  std::ranges::sort(entries, {}, &Entry::column);
  return entries;
}

}  // namespace

RowDirectory::RowDirectory(Communicator& comm, const LocalGraph& graph)
    : comm_(comm),
      graph_(graph),
      owners_(at(graph.globalVertices), 0),
      rowAtOwner_(at(graph.globalVertices), 0) {
  const auto note = [&](int rank, const std::vector<Vertex>& owned) {
    for (std::size_t row = 0; row < owned.size(); ++row) {
      owners_[at(owned[row])] = rank;
      rowAtOwner_[at(owned[row])] = static_cast<Vertex>(row);
    }
  };
  note(comm.rank(), graph.owned);
  everyPair(
      comm,
      [&](int) {
        ByteWriter out;
        out.array(graph.owned);
        return out.take();
      },
      [&](int rank, const std::string& bytes) {
        std::vector<Vertex> owned;
        ByteReader(bytes).array(owned);
        note(rank, owned);
      });
}

void RowDirectory::fetch(std::span<const Vertex> vertices,
                         const std::function<std::string(Vertex row)>& encode,
                         const std::function<void(std::size_t position, std::string_view bytes)>& decode) {
  const auto size = at(comm_.size());
  std::vector<std::vector<Vertex>> requests(size), positions(size), incomingRequests(size);
  for (std::size_t p = 0; p < vertices.size(); ++p) {
    const auto from = at(owner(vertices[p]));
    requests[from].push_back(rowAtOwner(vertices[p]));
    positions[from].push_back(static_cast<Vertex>(p));
  }
  const auto me = at(comm_.rank());
  for (std::size_t i = 0; i < requests[me].size(); ++i) decode(at(positions[me][i]), encode(requests[me][i]));
  everyPair(
      comm_,
      [&](int rank) {
        ByteWriter out;
        out.array(requests[at(rank)]);
        return out.take();
      },
      [&](int rank, const std::string& bytes) { ByteReader(bytes).array(incomingRequests[at(rank)]); });
  everyPair(
      comm_,
      [&](int rank) {
        ByteWriter out;
        for (const Vertex row : incomingRequests[at(rank)]) out.array(encode(row));
        return out.take();
      },
      [&](int rank, const std::string& bytes) {
        ByteReader in(bytes);
        std::string encodedRow;
        for (const Vertex position : positions[at(rank)]) {
          in.array(encodedRow);
          decode(at(position), encodedRow);
        }
      });
}

Csr RowDirectory::propagationRows(std::span<const Vertex> vertices) {
  std::vector<std::vector<Entry>> rows(vertices.size());
  fetch(
      vertices,
      [&](Vertex row) {
        ByteWriter out;
        out.array(globalRow(graph_, row));
        return out.take();
      },
      [&](std::size_t position, std::string_view bytes) { ByteReader(bytes).array(rows[position]); });
  Csr A;
  A.cols = graph_.globalVertices;
  A.offsets.reserve(vertices.size() + 1);
  std::size_t entries = 0;
  for (const std::vector<Entry>& row : rows) entries += row.size();
  A.columns.reserve(entries);  // kept as long as the run: no room for more
  A.values.reserve(entries);
  for (const std::vector<Entry>& row : rows) {
    for (const Entry& entry : row) {
      A.columns.push_back(entry.column);
      A.values.push_back(entry.value);
    }
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  return A;
}

std::vector<HaloPeer> RowDirectory::plan(std::span<const Vertex> vertices) {
  std::vector<HaloPeer> all(at(comm_.size()));
  std::vector<std::vector<Vertex>> requests(all.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto from = at(owner(vertices[i]));
    HALO_CHECK(from != at(comm_.rank()));
    HALO_CHECK(i == 0 || owner(vertices[i - 1]) <= owner(vertices[i]));
    ++all[from].receiveCount;
    requests[from].push_back(rowAtOwner(vertices[i]));
  }
  Index begin = 0;
  for (HaloPeer& peer : all) peer.receiveBegin = std::exchange(begin, begin + peer.receiveCount);
  return requestRows(comm_, std::move(all), requests);
}

void RowDirectory::byOwner(std::span<Vertex> vertices) const {
  std::ranges::sort(vertices, {}, [&](Vertex v) { return std::pair(owner(v), v); });
}

Matrix RowDirectory::rows(const Matrix& own, std::span<const Vertex> vertices) {
  Matrix all(static_cast<Index>(vertices.size()), own.cols());
  fetch(
      vertices,
      [&](Vertex row) {
        const auto values = own.row(row);
        return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Scalar));
      },
      [&](std::size_t position, std::string_view bytes) {
        const auto row = all.row(static_cast<Index>(position));
        HALO_CHECK(bytes.size() == row.size() * sizeof(Scalar));
        if (!bytes.empty()) std::memcpy(row.data(), bytes.data(), bytes.size());
      });
  return all;
}

}  // namespace halo
