#include "engine/comm/exchange/block_ring.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"

namespace halo {
namespace {

std::span<const std::uint8_t> bytesOf(const Buffer<Vertex>& columns) {
  return {reinterpret_cast<const std::uint8_t*>(columns.data()), columns.size() * sizeof(Vertex)};
}

}  // namespace

BlockRing::BlockRing(Communicator& comm, Csr own, bool weighted)
    : comm_(comm),
      own_(std::move(own)),
      weighted_(weighted),
      rows_(at(comm.size())),
      nonzeros_(at(comm.size())) {
  HALO_CHECK(own_.nonzeros() == 0 || own_.weighted() == weighted);
  const auto note = [&](int rank, Index rows, Index nonzeros) {
    rows_[at(rank)] = rows;
    nonzeros_[at(rank)] = nonzeros;
  };
  note(comm.rank(), own_.rows(), own_.nonzeros());
  everyPair(
      comm,
      [&](int) {
        ByteWriter out;
        out.value(own_.rows());
        out.value(own_.nonzeros());
        return out.take();
      },
      [&](int rank, const std::string& bytes) {
        ByteReader in(bytes);
        const auto rows = in.value<Index>();
        note(rank, rows, in.value<Index>());
      });
  makeRoom();
}

// Each of the two gets every other block. The own one was made row by row, with room for more.
void BlockRing::makeRoom() {
  const int size = comm_.size(), me = comm_.rank();
  own_.offsets.shrink_to_fit();
  own_.columns.shrink_to_fit();
  own_.values.shrink_to_fit();
  for (int first = 0; first < 2; ++first) {
    Index rows = -1, nonzeros = 0;
    for (int step = first; step + 1 < size; step += 2) {
      const auto owner = at((me + step + 1) % size);
      rows = std::max(rows, rows_[owner]);
      nonzeros = std::max(nonzeros, nonzeros_[owner]);
    }
    Csr& room = passing_[at(first)];
    room.offsets = Buffer<Index>();
    room.offsets.reserve(at(rows + 1));
    room.columns.reserve(at(nonzeros));
    room.values.reserve(at(weighted_ ? nonzeros : 0));
  }
}

std::size_t BlockRing::bytes() const {
  std::size_t bytes = 0;
  for (const Csr* block : {&own_, &passing_[0], &passing_[1]})
    bytes += heldBytes(block->offsets) + heldBytes(block->columns) + heldBytes(block->values);
  return bytes;
}

void BlockRing::startReceive(int from, int tag, int owner, Csr& block) {
  const auto rows = at(rows_[at(owner)]);
  const auto nonzeros = at(nonzeros_[at(owner)]);
  block.cols = own_.cols;
  block.columns.resize(nonzeros);
  block.values.resize(weighted_ ? nonzeros : 0);
  if (nonzeros == 0) {
    block.offsets.assign(rows + 1, 0);
    return;
  }
  block.offsets.resize(rows + 1);
  transfers_.push_back(comm_.startReceive(from, tag, std::span<std::int64_t>(block.offsets)));
  transfers_.push_back(
      comm_.startReceive(from, tag,
                         std::span<std::uint8_t>(reinterpret_cast<std::uint8_t*>(block.columns.data()),
                                                 nonzeros * sizeof(Vertex))));
  if (weighted_)
    transfers_.push_back(comm_.startReceive(from, tag, std::span<Scalar>(block.values), Index{1}));
}

void BlockRing::startSend(int to, int tag, const Csr& block) {
  if (block.nonzeros() == 0) return;
  transfers_.push_back(comm_.startSend(to, tag, std::span<const std::int64_t>(block.offsets)));
  transfers_.push_back(comm_.startSend(to, tag, bytesOf(block.columns)));
  if (weighted_)
    transfers_.push_back(comm_.startSend(to, tag, std::span<const Scalar>(block.values), Index{1}));
}

BlockCost blockCost(std::int64_t rows, std::int64_t nonzeros, std::int64_t valueBytes) {
  if (nonzeros == 0) return {};
  return {valueBytes > 0 ? 3 : 2, 8 * (rows + 1) + nonzeros * (4 + valueBytes)};
}

}  // namespace halo
