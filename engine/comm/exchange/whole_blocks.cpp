#include "engine/comm/exchange/whole_blocks.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"

namespace halo {
namespace {

const HaloPeer* peerOf(const LocalGraph& graph, int rank) {
  const auto peer = std::ranges::find(graph.peers, rank, &HaloPeer::rank);
  return peer == graph.peers.end() ? nullptr : &*peer;
}

/// What `rank` needs to know of this rank: its rows, which of them it aggregates, and which of its own rows
/// they aggregate.
std::string encodeFor(const LocalGraph& graph, int rank) {
  ByteWriter out;
  const HaloPeer* peer = peerOf(graph, rank);
  out.value(static_cast<Index>(graph.owned.size()));
  out.array(peer == nullptr ? std::vector<Vertex>() : peer->sendRows);
  out.csr(peer == nullptr ? Csr() : transpose(columnsOf(graph.halo, peer->receiveBegin, peer->receiveCount)));
  return out.take();
}

/// `compact`: its row r is row rows[r] of the result.
Csr spreadRows(const Csr& compact, const std::vector<Vertex>& rows, Index count, Index cols) {
  HALO_CHECK(compact.rows() == static_cast<Index>(rows.size()));
  Csr all;
  all.cols = cols;
  all.columns = compact.columns;
  all.values = compact.values;
  std::size_t next = 0;
  for (Index row = 0; row < count; ++row) {
    if (next < rows.size() && rows[next] == row) ++next;
    all.offsets.push_back(compact.offsets[next]);
  }
  return all;
}

RemoteBlock decodeFrom(const LocalGraph& graph, int rank, const std::string& bytes) {
  ByteReader in(bytes);
  RemoteBlock block;
  Csr compact;
  block.rows = in.value<Index>();
  in.array(block.needed);
  in.csr(compact);
  const HaloPeer* peer = peerOf(graph, rank);
  block.haloBegin = peer == nullptr ? 0 : peer->receiveBegin;
  HALO_CHECK(static_cast<Index>(block.needed.size()) == (peer == nullptr ? 0 : peer->receiveCount));
  block.transposed = spreadRows(compact, peer == nullptr ? std::vector<Vertex>() : peer->sendRows,
                                static_cast<Index>(graph.owned.size()), block.rows);
  return block;
}

}  // namespace

std::vector<RemoteBlock> exchangeBlocks(Communicator& comm, const LocalGraph& graph) {
  std::vector<RemoteBlock> blocks(at(comm.size()));
  blocks[at(comm.rank())].rows = static_cast<Index>(graph.owned.size());
  everyPair(
      comm, [&](int rank) { return encodeFor(graph, rank); },
      [&](int rank, const std::string& bytes) { blocks[at(rank)] = decodeFrom(graph, rank, bytes); });
  return blocks;
}

std::vector<Index> rowsOf(const std::vector<RemoteBlock>& blocks) {
  std::vector<Index> rows;
  for (const RemoteBlock& block : blocks) rows.push_back(block.rows);
  return rows;
}

BlockBroadcast::BlockBroadcast(Communicator& communicator, std::vector<Index> rows)
    : BlockBroadcast(communicator, std::move(rows), std::vector<int>(at(communicator.size()))) {
  std::iota(group_.begin(), group_.end(), 0);
}

void BlockBroadcast::run(int root, int tag, const Matrix& own, Matrix& block) {
  const Index rows = rows_[at(root)], width = own.cols();
  if (root == comm_.rank()) {
    HALO_CHECK(own.rows() == rows);
    comm_.copyOut(static_cast<std::int64_t>(own.bytes()), std::ssize(group_) - 1);
    for (const int peer : group_)
      if (peer != root && rows * width > 0)
        transfers_.push_back(comm_.startSend(peer, tag, own.values(), width));
  } else {
    block.resize(rows, width);
    if (rows * width > 0) transfers_.push_back(comm_.startReceive(root, tag, block.values(), width));
  }
  comm_.waitAll(transfers_);
  transfers_.clear();
}

}  // namespace halo
