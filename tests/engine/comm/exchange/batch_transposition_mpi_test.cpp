#include "engine/base/index.h"
#include "engine/comm/exchange/batch_transposition.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

Scalar element(int turn, Index row, Index column) {
  return static_cast<Scalar>(100000 * turn + 100 * row + column);
}

/// Two matrices under way at once, from rows to columns and back.
void roundTrip(Communicator& comm, const BatchPlan& plan, Index width) {
  const int me = comm.rank();
  const auto place = [&](const std::vector<int>& ranks) {
    return static_cast<int>(std::ranges::find(ranks, me) - ranks.begin());
  };
  if (const int slice = place(plan.columnRanks); slice < plan.slices()) {
    ColumnHolder side(comm, plan, slice);
    std::array<Matrix, kTurns> columns;
    std::array<std::vector<Matrix>, kTurns> sent;
    bool right = true;
    for (Turn turn = 0; turn < kTurns; ++turn) side.expect(turn, turn, width, columns[at(turn)]);
    for (Turn turn = 0; turn < kTurns; ++turn) {
      const Matrix& all = columns[at(turn)];
      auto& products = sent[at(turn)];
      for (int b = 0; b < plan.batches; ++b) {
        side.await(turn, b);
        const Slice rows = plan.batch(b);
        Matrix& product = products.emplace_back(rows.count, all.cols());
        for (Index i = 0; i < rows.count; ++i)
          for (Index c = 0; c < all.cols(); ++c) {
            const Scalar value = all(rows.begin + i, c);
            right &= value == element(turn, rows.begin + i, side.slice(width).begin + c);
            product(i, c) = 2 * value;
          }
      }
      for (int b = 0; b < plan.batches; ++b) side.send(turn, kTurns + turn, b, products[at(b)]);
    }
    side.finish();
    CHECK(right);
    return;
  }
  const int holder = place(plan.rowRanks);
  RowHolder side(comm, plan, holder);
  for (Turn turn = 0; turn < kTurns; ++turn) side.expect(turn, kTurns + turn, width);
  for (Turn turn = 0; turn < kTurns; ++turn)
    for (int b = 0; b < plan.batches; ++b) {
      const Slice block = plan.block(b, holder);
      Matrix rows(block.count, width);
      for (Index i = 0; i < block.count; ++i)
        for (Index c = 0; c < width; ++c) rows(i, c) = element(turn, block.begin + i, c);
      side.send(turn, turn, b, rows);
    }
  bool right = true;
  for (Turn turn = 0; turn < kTurns; ++turn)
    for (int b = 0; b < plan.batches; ++b) {
      Matrix rows;
      side.await(turn, b, rows);
      const Slice block = plan.block(b, holder);
      right &= rows.rows() == block.count && rows.cols() == width;
      for (Index i = 0; i < rows.rows(); ++i)
        for (Index c = 0; c < width; ++c) right &= rows(i, c) == 2 * element(turn, block.begin + i, c);
    }
  side.finish();
  CHECK(right);
}

}  // namespace

TEST_CASE("batches of rows become columns elsewhere and rows again, two matrices at once",
          "[transposition]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() < 2) return;
  for (const int aggregators : {1, comm.size() / 2, comm.size() - 1})
    for (const Index vertices : {0, 3, 50})
      for (const int batches : {1, 4, 7})
        for (const Index width : {0, 1, 9}) {  // slices, batches and blocks of nothing among them
          CAPTURE(aggregators, vertices, batches, width);
          BatchPlan plan{vertices, batches, {}, {}};
          for (int rank = 0; rank < comm.size(); ++rank)
            (rank < aggregators ? plan.columnRanks : plan.rowRanks).push_back(rank);
          comm.takeFlows();
          roundTrip(comm, plan, width);
          std::int64_t bytes = 0;
          for (const Flow& flow : comm.takeFlows()) bytes += flow.bytes;
          CHECK(comm.sum(bytes) == 2 * kTurns * vertices * width * static_cast<Index>(sizeof(Scalar)));
          CHECK(comm.underWay() == 0);
        }
}
