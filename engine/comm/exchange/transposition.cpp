#include "engine/comm/exchange/transposition.h"

#include <algorithm>
#include <functional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {

Transposition::Transposition(Communicator& comm, std::vector<int> ranks, std::vector<Index> rows, Index heads)
    : comm_(comm), ranks_(std::move(ranks)), first_{0}, heads_(heads) {
  HALO_CHECK(rows.size() == ranks_.size() && heads >= 1);
  for (const Index count : rows) first_.push_back(first_.back() + count);
  const auto self = std::ranges::find(ranks_, comm.rank());
  HALO_CHECK(self != ranks_.end());
  me_ = static_cast<int>(self - ranks_.begin());
}

// The slices of the own rows follow each other, each row-major: slice i begins behind `begin` columns.
std::span<Scalar> Transposition::packedFor(int member, Index width) {
  const Slice slice = sliceFor(member, width);
  const Index own = rowsOf(me_);
  return {packed_.data() + own * slice.begin, at(own * slice.count)};
}

std::span<Scalar> Transposition::rowsIn(Matrix& columns, int member) const {
  return {columns.data() + firstRow(member) * columns.cols(), at(rowsOf(member) * columns.cols())};
}

std::span<const Scalar> Transposition::rowsIn(const Matrix& columns, int member) const {
  return {columns.data() + firstRow(member) * columns.cols(), at(rowsOf(member) * columns.cols())};
}

void Transposition::receive(int member, int tag, std::span<Scalar> into, Index width) {
  if (member == me_ || into.empty()) return;
  transfers_.push_back(comm_.startReceive(ranks_[at(member)], tag, into, width));
}

void Transposition::send(int member, int tag, std::span<const Scalar> rows, Index width) {
  if (member == me_ || rows.empty()) return;
  transfers_.push_back(comm_.startSend(ranks_[at(member)], tag, rows, width));
}

void Transposition::finish() {
  comm_.waitAll(transfers_);
  transfers_.clear();
}

void Transposition::toColumns(int tag, const Matrix& rows, Matrix& columns) {
  const Index own = rowsOf(me_), width = rows.cols();
  HALO_CHECK(rows.rows() == own && width % heads_ == 0);
  columns.resize(totalRows(), slice(width).count);
  for (int i = 0; i < members(); ++i) receive(i, tag, rowsIn(columns, i), columns.cols());
  resizeUndefined(packed_, at(own * width));
  for (int i = 0; i < members(); ++i) {
    const Slice part = sliceFor(i, width);
    const auto packed = i == me_ ? rowsIn(columns, me_) : packedFor(i, width);
    if (packed.empty()) continue;
    {
      const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
      copyBlock(rows.data() + part.begin, width, packed.data(), part.count, own, part.count);
    }
    send(i, tag, packed, part.count);
  }
  finish();
}

void Transposition::toRows(int tag, const Matrix& columns, Index width, Matrix& rows) {
  const Index own = rowsOf(me_), sliceWidth = slice(width).count;
  HALO_CHECK(columns.rows() == totalRows() && columns.cols() == sliceWidth && width % heads_ == 0);
  rows.resize(own, width);
  resizeUndefined(packed_, at(own * width));
  for (int i = 0; i < members(); ++i) receive(i, tag, packedFor(i, width), sliceFor(i, width).count);
  for (int i = 0; i < members(); ++i) send(i, tag, rowsIn(columns, i), sliceWidth);
  finish();
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  for (int i = 0; i < members(); ++i) {
    const Slice part = sliceFor(i, width);
    const Scalar* from = i == me_ ? rowsIn(columns, me_).data() : packedFor(i, width).data();
    copyBlock(from, part.count, rows.data() + part.begin, width, own, part.count);
  }
}

void Transposition::gather(int tag, const Matrix& rows, Matrix& all) {
  HALO_CHECK(rows.rows() == rowsOf(me_));
  all.resize(totalRows(), rows.cols());
  for (int i = 0; i < members(); ++i) receive(i, tag, rowsIn(all, i), rows.cols());
  if (members() > 1) comm_.copyOut(static_cast<std::int64_t>(rows.bytes()), members() - 1);
  for (int i = 0; i < members(); ++i) send(i, tag, rows.values(), rows.cols());
  std::ranges::copy(rows.values(), rowsIn(all, me_).begin());
  finish();
}

void Transposition::sumRows(int tag, const Matrix& all, Matrix& rows) {
  const Index width = all.cols();
  HALO_CHECK(all.rows() == totalRows());
  rows.setZero(rowsOf(me_), width);
  const auto each = at(rows.size());
  resizeUndefined(packed_, each * ranks_.size());
  const auto from = [&](int i) { return std::span(packed_).subspan(at(i) * each, each); };
  for (int i = 0; i < members(); ++i) receive(i, tag, from(i), width);
  for (int i = 0; i < members(); ++i) send(i, tag, rowsIn(all, i), width);
  std::ranges::copy(rowsIn(all, me_), from(me_).begin());
  finish();
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  for (int i = 0; i < members(); ++i)
    std::ranges::transform(from(i), rows.values(), rows.values().begin(), std::plus());
}

}  // namespace halo
