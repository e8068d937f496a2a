#include "engine/comm/block_ring.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/comm/bytes.h"
#include "engine/comm/every_pair.h"

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
      rows_(static_cast<std::size_t>(comm.size())),
      nonzeros_(static_cast<std::size_t>(comm.size())) {
  HALO_CHECK(own_.nonzeros() == 0 || own_.weighted() == weighted);
  const auto note = [&](int rank, Index rows, Index nonzeros) {
    rows_[static_cast<std::size_t>(rank)] = rows;
    nonzeros_[static_cast<std::size_t>(rank)] = nonzeros;
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
}

std::size_t BlockRing::bytes() const {
  std::size_t largest = 0;
  for (std::size_t rank = 0; rank < rows_.size(); ++rank) {
    const auto rows = static_cast<std::size_t>(rows_[rank]),
               nonzeros = static_cast<std::size_t>(nonzeros_[rank]);
    largest = std::max(
        largest, (rows + 1) * sizeof(Index) + nonzeros * (sizeof(Vertex) + (weighted_ ? sizeof(Scalar) : 0)));
  }
  return own_.bytes() + largest * std::min<std::size_t>(2, rows_.size() - 1);
}

void BlockRing::startReceive(int from, int tag, int owner, Csr& block) {
  const auto rows = static_cast<std::size_t>(rows_[static_cast<std::size_t>(owner)]);
  const auto nonzeros = static_cast<std::size_t>(nonzeros_[static_cast<std::size_t>(owner)]);
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
