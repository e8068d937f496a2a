#include "engine/comm/transposition.h"

#include <catch2/catch.hpp>

#include "engine/comm/block_ring.h"
#include "tests/support/small_graphs.h"

using namespace halo;

namespace {

Scalar element(Index row, Index column) { return static_cast<Scalar>(1000 * row + column); }

}  // namespace

TEST_CASE("rows become columns and rows again, with slices and shares of nothing", "[transposition]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const int size = comm.size(), me = comm.rank();
  std::vector<int> ranks;
  std::vector<Index> counts;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(rank);
    counts.push_back(rank % 3 == 1 ? 0 : 2 + rank);
  }
  Transposition between(comm, ranks, counts);
  for (const Index width : {0, 1, 5, 16, 33}) {
    CAPTURE(width);
    Matrix rows(counts[static_cast<std::size_t>(me)], width), columns, back;
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
    int seen = 0;
    ring.turn(1, [&](int rank, const Csr& block) {
      CHECK(rank == (me + seen++) % size);
      const Csr expected = blockOf(rank, weighted);
      CHECK(std::ranges::equal(block.offsets, expected.offsets));
      CHECK(std::ranges::equal(block.columns, expected.columns));
      CHECK(std::ranges::equal(block.values, expected.values));
    });
    CHECK(seen == size);
    BlockCost expected, found;
    for (int step = 0; step + 1 < size; ++step) {
      const Csr block = blockOf((me + step) % size, weighted);
      const BlockCost cost = blockCost(block.rows(), block.nonzeros(), weighted ? sizeof(Scalar) : 0);
      expected.messages += cost.messages;
      expected.bytes += cost.bytes;
    }
    for (const Flow& flow : comm.takeFlows()) {
      found.messages += flow.messages;
      found.bytes += flow.bytes;
    }
    CHECK(found.messages == expected.messages);
    CHECK(found.bytes == expected.bytes);
  }
}
