#include "engine/comm/exchange/transposition.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "engine/comm/exchange/block_ring.h"
#include "tests/support/small_graphs.h"

using namespace halo;

namespace {

Scalar element(Index row, Index column) { return static_cast<Scalar>(1000 * row + column); }

Index rowsAt(int rank) { return rank % 3 == 1 ? 0 : 2 + rank; }

/// Of all ranks, some of which have no rows.
Transposition unevenSplit(Communicator& comm) {
  std::vector<int> ranks;
  std::vector<Index> counts;
  for (int rank = 0; rank < comm.size(); ++rank) {
    ranks.push_back(rank);
    counts.push_back(rowsAt(rank));
  }
  return {comm, ranks, counts};
}

}  // namespace

TEST_CASE("rows become columns and rows again, with slices and shares of nothing", "[transposition]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const int size = comm.size(), me = comm.rank();
  Transposition between = unevenSplit(comm);
  for (const Index width : {0, 1, 5, 16, 33}) {
    CAPTURE(width);
    Matrix rows(rowsAt(me), width), columns, back;
    for (Index i = 0; i < rows.rows(); ++i)
      for (Index j = 0; j < width; ++j) rows(i, j) = element(between.firstRow(me) + i, j);
    between.toColumns(3, rows, columns);
    const Slice slice = between.slice(width);
    CHECK(columns.rows() == between.totalRows());
    CHECK(columns.cols() == width * (me + 1) / size - width * me / size);
    bool right = true;
    for (Index i = 0; i < columns.rows(); ++i)
      for (Index j = 0; j < columns.cols(); ++j) right &= columns(i, j) == element(i, slice.begin + j);
    CHECK(right);
    between.toRows(4, columns, width, back);
    CHECK(back.rows() == rows.rows());
    CHECK(std::ranges::equal(back.values(), rows.values()));
  }
}

TEST_CASE("columns are cut between heads, or a head into parts of its own", "[transposition]") {
  for (const Index heads : {1, 2, 3, 5, 8, 16})
    for (const Index each : {1, 2, 3, 7})
      for (int parts = 1; parts <= 17; ++parts) {
        CAPTURE(heads, each, parts);
        const Index width = heads * each;
        Index begin = 0, most = 0, least = width;
        bool right = true;
        for (int part = 0; part < parts; ++part) {
          const auto [columns, headRange] = headSliceOf(width, heads, part, parts);
          right &= columns.begin == begin;
          begin += columns.count;
          most = std::max(most, columns.count);
          least = std::min(least, columns.count);
          if (heads >= parts)
            right &= columns.begin == headRange.begin * each && columns.count == headRange.count * each;
          else
            right &= headRange.count == 1 && columns.begin >= headRange.begin * each &&
                     columns.begin + columns.count <= (headRange.begin + 1) * each;
        }
        CHECK(right);
        CHECK(begin == width);
        if (parts <= width) CHECK(least > 0);
        // a head more or less, or a head has one part more or less than another
        if (heads >= parts) CHECK(most - least <= each);
        if (heads == 1) CHECK(most - least <= 1);
      }
}

TEST_CASE("everybody gets all rows, and sums of such go back to their owners", "[transposition]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const int size = comm.size(), me = comm.rank();
  Transposition between = unevenSplit(comm);
  for (const Index width : {0, 1, 6}) {
    CAPTURE(width);
    Matrix rows(rowsAt(me), width), all, sums;
    for (Index i = 0; i < rows.rows(); ++i)
      for (Index j = 0; j < width; ++j) rows(i, j) = element(between.firstRow(me) + i, j);
    comm.takeFlows();
    between.gather(3, rows, all);
    CHECK(all.rows() == between.totalRows());
    bool right = true;
    for (Index i = 0; i < all.rows(); ++i)
      for (Index j = 0; j < width; ++j) right &= all(i, j) == element(i, j);
    CHECK(right);
    std::int64_t messages = 0, bytes = 0;
    const auto count = [&] {
      messages = bytes = 0;
      for (const Flow& flow : comm.takeFlows()) {
        messages += flow.messages;
        bytes += flow.bytes;
      }
    };
    count();
    CHECK(messages == (rows.empty() ? 0 : size - 1));
    CHECK(bytes == static_cast<std::int64_t>(rows.bytes()) * (size - 1));
    for (Scalar& value : all.values()) value += static_cast<Scalar>(me);
    between.sumRows(4, all, sums);
    CHECK(sums.rows() == rows.rows());
    right = true;
    for (Index i = 0; i < rows.rows(); ++i)
      for (Index j = 0; j < width; ++j)
        right &=
            sums(i, j) == static_cast<Scalar>(size) * rows(i, j) + static_cast<Scalar>(size * (size - 1) / 2);
    CHECK(right);
    count();
    CHECK(bytes == static_cast<std::int64_t>(all.bytes() - rows.bytes()));
  }
}

TEST_CASE("every block of a ring passes every rank and costs what its closed form says", "[transposition]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const int size = comm.size(), me = comm.rank();
  const auto blockOf = [](int rank, bool weighted) {
    Csr block = rank % 3 == 1 ? Csr{.cols = 9, .offsets = {0, 0}} : path(4 + rank);
    if (weighted) block.values.assign(block.columns.size(), static_cast<Scalar>(rank + 1));
    return block;
  };
  for (const bool weighted : {false, true}) {
    BlockRing ring(comm, blockOf(me, weighted), weighted);
    comm.takeFlows();
    int turns = 0;
    const std::size_t bytes = ring.bytes();
    std::map<const Csr*, std::size_t>
        bytesOfBlock;  // by where a block stands: the own one, and what others' have room in
    ring.turn(1, [&](int rank, const Csr& block) {
      bytesOfBlock[&block] = heldBytes(block.offsets) + heldBytes(block.columns) + heldBytes(block.values);
      CHECK(rank == (me + turns++) % size);
      const Csr expected = blockOf(rank, weighted);
      CHECK(std::ranges::equal(block.offsets, expected.offsets));
      CHECK(std::ranges::equal(block.columns, expected.columns));
      CHECK(std::ranges::equal(block.values, expected.values));
    });
    CHECK(turns == size);
    CHECK(std::ssize(bytesOfBlock) == std::min(size, 3));
    std::size_t sum = 0;
    for (const auto& [place, count] : bytesOfBlock) sum += count;
    CHECK(bytes == sum);
    CHECK(ring.bytes() == sum);
    BlockCost expected, actual;
    for (int step = 0; step + 1 < size; ++step) {
      const Csr block = blockOf((me + step) % size, weighted);
      const BlockCost cost = blockCost(block.rows(), block.nonzeros(), weighted ? sizeof(Scalar) : 0);
      expected.messages += cost.messages;
      expected.bytes += cost.bytes;
    }
    for (const Flow& flow : comm.takeFlows()) {
      actual.messages += flow.messages;
      actual.bytes += flow.bytes;
    }
    CHECK(actual.messages == expected.messages);
    CHECK(actual.bytes == expected.bytes);
  }
}
