#include "engine/comm/transposition.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/kernels/gather.h"

namespace halo {

Transposition::Transposition(Communicator& comm, std::vector<int> ranks, std::vector<Index> rows)
    : comm_(comm), ranks_(std::move(ranks)), first_{0} {
  HALO_CHECK(rows.size() == ranks_.size());
  for (const Index count : rows) first_.push_back(first_.back() + count);
  const auto found = std::ranges::find(ranks_, comm.rank());
  HALO_CHECK(found != ranks_.end());
  me_ = static_cast<int>(found - ranks_.begin());
}

// The slices of the own rows follow each other, each row-major: slice i begins behind `begin` columns.
std::span<Scalar> Transposition::packedFor(int member, Index width) {
  const Slice slice = sliceOf(width, member, members());
  const Index own = rowsOf(me_);
  return {packed_.data() + own * slice.begin, static_cast<std::size_t>(own * slice.count)};
}

std::span<Scalar> Transposition::rowsIn(Matrix& columns, int member) const {
  return {columns.data() + firstRow(member) * columns.cols(),
          static_cast<std::size_t>(rowsOf(member) * columns.cols())};
}

void Transposition::toColumns(int tag, const Matrix& rows, Matrix& columns) {
  const Index own = rowsOf(me_), width = rows.cols();
  HALO_CHECK(rows.rows() == own);
  columns.resize(totalRows(), slice(width).count);
  for (int i = 0; i < members(); ++i)
    if (const auto into = rowsIn(columns, i); i != me_ && !into.empty())
      transfers_.push_back(
          comm_.startReceive(ranks_[static_cast<std::size_t>(i)], tag, into, columns.cols()));
  resizeUndefined(packed_, static_cast<std::size_t>(own * width));
  for (int i = 0; i < members(); ++i) {
    const Slice part = sliceOf(width, i, members());
    const auto packed = i == me_ ? rowsIn(columns, me_) : packedFor(i, width);
    if (packed.empty()) continue;
    {
      const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
      copyBlock(rows.data() + part.begin, width, packed.data(), part.count, own, part.count);
    }
    if (i != me_)
      transfers_.push_back(comm_.startSend(ranks_[static_cast<std::size_t>(i)], tag,
                                           std::span<const Scalar>(packed), part.count));
  }
  comm_.waitAll(transfers_);
  transfers_.clear();
}

void Transposition::toRows(int tag, const Matrix& columns, Index width, Matrix& rows) {
  const Index own = rowsOf(me_), mine = slice(width).count;
  HALO_CHECK(columns.rows() == totalRows() && columns.cols() == mine);
  rows.resize(own, width);
  resizeUndefined(packed_, static_cast<std::size_t>(own * width));
  for (int i = 0; i < members(); ++i)
    if (const auto into = packedFor(i, width); i != me_ && !into.empty())
      transfers_.push_back(comm_.startReceive(ranks_[static_cast<std::size_t>(i)], tag, into,
                                              sliceOf(width, i, members()).count));
  const auto rowsFrom = [&](int i) { return columns.data() + firstRow(i) * mine; };
  for (int i = 0; i < members(); ++i)
    if (const Index elements = rowsOf(i) * mine; i != me_ && elements > 0)
      transfers_.push_back(comm_.startSend(ranks_[static_cast<std::size_t>(i)], tag,
                                           {rowsFrom(i), static_cast<std::size_t>(elements)}, mine));
  comm_.waitAll(transfers_);
  transfers_.clear();
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  for (int i = 0; i < members(); ++i) {
    const Slice part = sliceOf(width, i, members());
    const Scalar* from = i == me_ ? rowsFrom(me_) : packedFor(i, width).data();
    copyBlock(from, part.count, rows.data() + part.begin, width, own, part.count);
  }
}

}  // namespace halo
