#include "engine/comm/exchange/batch_transposition.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {

int BatchPlan::batchOf(Index position) const {
  HALO_CHECK(position >= 0 && position < vertices);
  int b = static_cast<int>(position * batches / vertices);
  while (position >= batch(b).begin + batch(b).count) ++b;
  return b;
}

std::int64_t PendingBatches::await(int batch) {
  std::vector<Transfer>& transfers = transfers_[at(batch)];
  if (transfers.empty()) return 0;
  const std::int64_t begin = wallNs();
  comm_.waitAll(transfers);
  transfers.clear();
  return wallNs() - begin;
}

std::int64_t PendingBatches::awaitAll() {
  std::int64_t waited = 0;
  for (std::size_t b = 0; b < transfers_.size(); ++b) waited += await(static_cast<int>(b));
  return waited;
}

ColumnHolder::ColumnHolder(Communicator& comm, const BatchPlan& plan, int me)
    : comm_(comm),
      plan_(plan),
      me_(me),
      arriving_{PendingBatches(comm, plan.batches), PendingBatches(comm, plan.batches)},
      leaving_{PendingBatches(comm, plan.batches), PendingBatches(comm, plan.batches)} {
  HALO_CHECK(plan.columnRanks[at(me)] == comm.rank());
}

void ColumnHolder::expect(Turn turn, int tag, Index width, Matrix& columns) {
  waitedNs_ += arriving(turn).awaitAll();
  const Index sliceWidth = slice(width).count;
  columns.resize(plan_.vertices, sliceWidth);
  if (sliceWidth == 0) return;
  for (int b = 0; b < plan_.batches; ++b)
    for (int i = 0; i < plan_.holders(); ++i) {
      const Slice rows = plan_.block(b, i);
      if (rows.count == 0) continue;
      const std::span<Scalar> into{columns.data() + rows.begin * sliceWidth, at(rows.count * sliceWidth)};
      arriving(turn).add(b, comm_.startReceive(plan_.rowRanks[at(i)], tag, into, sliceWidth));
    }
}

void ColumnHolder::send(Turn turn, int tag, int batch, const Matrix& rows) {
  HALO_CHECK(rows.rows() == plan_.batch(batch).count);
  const Index width = rows.cols();
  if (width == 0) return;
  comm_.copyOut(static_cast<std::int64_t>(rows.bytes()));
  for (int i = 0; i < plan_.holders(); ++i) {
    const Slice block = plan_.block(batch, i);
    if (block.count == 0) continue;
    const std::span<const Scalar> values{rows.data() + (block.begin - plan_.batch(batch).begin) * width,
                                         at(block.count * width)};
    leaving(turn).add(batch, comm_.startSend(plan_.rowRanks[at(i)], tag, values, width));
  }
}

void ColumnHolder::finish() {
  for (PendingBatches& pending : arriving_) waitedNs_ += pending.awaitAll();
  for (PendingBatches& pending : leaving_) waitedNs_ += pending.awaitAll();
}

RowHolder::RowHolder(Communicator& comm, const BatchPlan& plan, int me)
    : comm_(comm),
      plan_(plan),
      me_(me),
      arriving_{{{{comm, plan.batches}, {}}, {{comm, plan.batches}, {}}}},
      leaving_{{{{comm, plan.batches}, {}}, {{comm, plan.batches}, {}}}} {
  HALO_CHECK(plan.rowRanks[at(me)] == comm.rank());
  for (auto* ways : {&arriving_, &leaving_})
    for (Way& way : *ways) way.batches.resize(at(plan.batches));
}

std::span<Scalar> RowHolder::Packed::slice(const BatchPlan& plan, Index rows, int s) {
  const Slice columns = sliceOf(width, s, plan.slices());
  return {values.data() + rows * columns.begin, at(rows * columns.count)};
}

RowHolder::Packed& RowHolder::packed(Way& way, int batch, Index width) {
  Packed& rows = way.batches[at(batch)];
  rows.width = width;
  resizeUndefined(rows.values, at(plan_.block(batch, me_).count * width));
  return rows;
}

void RowHolder::expect(Turn turn, int tag, Index width) {
  Way& way = arriving(turn);
  for (int b = 0; b < plan_.batches; ++b) {
    waitedNs_ += way.pending.await(b);
    const Index rows = plan_.block(b, me_).count;
    Packed& into = packed(way, b, width);
    for (int s = 0; s < plan_.slices(); ++s)
      if (const auto values = into.slice(plan_, rows, s); !values.empty())
        way.pending.add(b, comm_.startReceive(plan_.columnRanks[at(s)], tag, values,
                                              sliceOf(width, s, plan_.slices()).count));
  }
}

void RowHolder::await(Turn turn, int batch, Matrix& rows) {
  Way& way = arriving(turn);
  waitedNs_ += way.pending.await(batch);
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  Packed& from = way.batches[at(batch)];
  const Index own = plan_.block(batch, me_).count;
  rows.resize(own, from.width);
  for (int s = 0; s < plan_.slices(); ++s) {
    const Slice columns = sliceOf(from.width, s, plan_.slices());
    copyBlock(from.slice(plan_, own, s).data(), columns.count, rows.data() + columns.begin, from.width, own,
              columns.count);
  }
}

void RowHolder::send(Turn turn, int tag, int batch, const Matrix& rows) {
  Way& way = leaving(turn);
  waitedNs_ += way.pending.await(batch);
  const Index own = plan_.block(batch, me_).count, width = rows.cols();
  HALO_CHECK(rows.rows() == own);
  Packed& into = packed(way, batch, width);
  {
    const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
    for (int s = 0; s < plan_.slices(); ++s) {
      const Slice columns = sliceOf(width, s, plan_.slices());
      copyBlock(rows.data() + columns.begin, width, into.slice(plan_, own, s).data(), columns.count, own,
                columns.count);
    }
  }
  comm_.copyOut(static_cast<std::int64_t>(rows.bytes()));
  for (int s = 0; s < plan_.slices(); ++s)
    if (const auto values = into.slice(plan_, own, s); !values.empty())
      way.pending.add(batch, comm_.startSend(plan_.columnRanks[at(s)], tag, std::span<const Scalar>(values),
                                             sliceOf(width, s, plan_.slices()).count));
}

void RowHolder::finish() {
  for (auto* ways : {&arriving_, &leaving_})
    for (Way& way : *ways) waitedNs_ += way.pending.awaitAll();
}

void RowHolder::release() {
  for (auto* ways : {&arriving_, &leaving_})
    for (Way& way : *ways)
      for (Packed& rows : way.batches) rows = {};
}

std::size_t RowHolder::bufferBytes() const {
  std::size_t bytes = 0;
  for (const auto* ways : {&arriving_, &leaving_})
    for (const Way& way : *ways)
      for (const Packed& rows : way.batches) bytes += heldBytes(rows.values);
  return bytes;
}

}  // namespace halo
