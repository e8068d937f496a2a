#include "views/spans/span_store.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"

namespace halo {
namespace {

template <class T>
void grow(std::unique_ptr<T[]>& column, std::size_t used, std::size_t capacity) {
  std::unique_ptr<T[]> larger(new T[capacity]);
  if (used > 0) std::memcpy(larger.get(), column.get(), used * sizeof(T));
  column = std::move(larger);
}

}  // namespace

void SpanRow::resize(Chunk& chunk, std::size_t used, std::size_t capacity) {
  const auto stretches = [](std::size_t spans) { return (spans + kEvery - 1) / kEvery; };
  grow(chunk.from, stretches(used), stretches(capacity));
  if (chunk.begin)
    grow(chunk.begin, used, capacity);
  else
    grow(chunk.after, used, capacity);
  grow(chunk.duration, used, capacity);
  grow(chunk.name, used, capacity);
  grow(chunk.kind, used, capacity);
  grow(chunk.sums, stretches(used), stretches(capacity));
  chunk.capacity = capacity;
}

/// Keeps begins whole from now on.
void SpanRow::widen(Chunk& chunk, std::size_t used) {
  std::unique_ptr<std::int64_t[]> begin(new std::int64_t[chunk.capacity]);
  for (std::size_t i = 0; i < used; ++i) begin[i] = chunk.beginNs(i);
  chunk.begin = std::move(begin);
  chunk.after.reset();
}

/// Makes room in the last chunk for the next `take` spans, or for as many as still fit: what `take` becomes.
void SpanRow::room(std::size_t& take) {
  const std::size_t used = size_ & kMask;
  if (used == 0) chunks_.emplace_back();
  Chunk& chunk = chunks_.back();
  take = std::min(take, kChunk - used);
  if (used + take > chunk.capacity)
    resize(chunk, used, used == 0 ? take : used + take > kChunk / 8 ? kChunk : 2 * (used + take));
}

void SpanRow::append(const SpanColumns& columns) {
  if (columns.size() == 0) return;
  if (empty()) lane_ = columns.lane;
  for (std::size_t position = 0; position < columns.size();) {
    std::size_t take = columns.size() - position;
    room(take);
    for (const std::size_t end = position + take; position < end; ++position)
      put(columns.begin[position], columns.duration[position], columns.kind[position],
          columns.name[position]);
  }
  context_.append(columns.context);
  epoch_.append(columns.epoch);
  peer_.append(columns.peer);
  bytes_.append(columns.bytes);
}

void SpanRow::append(const SpanColumns& columns, std::span<const std::uint32_t> indices) {
  if (indices.empty()) return;
  if (empty()) lane_ = columns.lane;
  for (std::size_t position = 0; position < indices.size();) {
    std::size_t take = indices.size() - position;
    room(take);
    for (const std::size_t end = position + take; position < end; ++position) {
      const std::uint32_t i = indices[position];
      put(columns.begin[i], columns.duration[i], columns.kind[i], columns.name[i]);
    }
  }
  context_.append(columns.context, indices);
  epoch_.append(columns.epoch, indices);
  peer_.append(columns.peer, indices);
  bytes_.append(columns.bytes, indices);
}

void SpanRow::truncate(std::size_t size) {
  HALO_CHECK(size <= size_);
  total_ = size < size_ ? before(beginNs(size), size) : total_;
  const auto isCut = [size](const auto& each) { return each.first >= size; };
  std::erase_if(longs_, isCut);
  std::erase_if(farNames_, isCut);
  size_ = size;
  chunks_.resize((size + kMask) >> kShift);
  endNs_ = size == 0 ? INT64_MIN : endNs(size - 1);
  for (SideColumn* column : {&context_, &epoch_, &peer_, &bytes_}) column->truncate(size);
}

void SpanRow::put(std::int64_t beginNs, std::int64_t durationNs, std::uint8_t kind, std::uint16_t name) {
  HALO_CHECK(beginNs >= endNs_ && durationNs >= 0);
  Chunk& chunk = chunks_.back();
  const std::size_t at = size_ & kMask;
  if (at % kEvery == 0) {
    chunk.from[at / kEvery] = beginNs;
    chunk.sums[at / kEvery] = total_;
  }
  const std::int64_t from = chunk.from[at / kEvery];
  const std::uint64_t after = static_cast<std::uint64_t>(beginNs) - static_cast<std::uint64_t>(from);
  if (chunk.after && after > UINT32_MAX) widen(chunk, at);
  if (chunk.after)
    chunk.after[at] = static_cast<std::uint32_t>(after);
  else
    chunk.begin[at] = beginNs;
  if (durationNs < kLong) {
    chunk.duration[at] = static_cast<std::uint32_t>(durationNs);
  } else {
    chunk.duration[at] = kLong;
    longs_.emplace_back(size_, durationNs);
  }
  chunk.name[at] = static_cast<std::uint8_t>(std::min<std::uint16_t>(name, kFar));
  if (name >= kFar) farNames_.emplace_back(size_, name);
  chunk.kind[at] = kind;
  total_[kind] += durationNs;
  if (static_cast<Kind>(kind) == Kind::idle && name < 64) waits_ |= std::uint64_t{1} << name;
  endNs_ = beginNs + durationNs;
  ++size_;
}

std::int64_t SpanRow::longDuration(std::size_t i) const {
  const auto at = std::lower_bound(longs_.begin(), longs_.end(), std::pair{i, std::int64_t{0}});
  HALO_CHECK(at != longs_.end() && at->first == i);
  return at->second;
}

std::uint16_t SpanRow::farName(std::size_t i) const {
  const auto at = std::lower_bound(farNames_.begin(), farNames_.end(), std::pair{i, std::uint16_t{0}});
  HALO_CHECK(at != farNames_.end() && at->first == i);
  return at->second;
}

Span SpanRow::at(std::size_t i) const {
  HALO_CHECK(i < size_);
  Span span;
  span.beginNs = beginNs(i);
  span.durationNs = durationNs(i);
  span.bytes = bytes_.at(i);
  span.epoch = static_cast<std::int32_t>(epoch_.at(i));
  span.peer = static_cast<std::int32_t>(peer_.at(i));
  const std::int64_t context = context_.at(i);
  span.layer = static_cast<std::int16_t>(context >> 2);  // arithmetic: −1 stays −1
  span.pass = static_cast<Pass>(context & 3);
  span.name = name(i);
  span.kind = kind(i);
  span.lane = lane_;
  return span;
}

namespace {

/// First index in [from, size) for which `reached` holds, of a row for which it holds from some index on.
template <class Reached>
std::size_t gallop(std::size_t from, std::size_t size, Reached reached) {
  std::size_t step = 1;
  std::size_t low = from;
  std::size_t high = from;
  while (high < size && !reached(high)) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = std::min(high, size);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (reached(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

std::size_t SpanRow::firstFrom(std::int64_t ns, std::size_t from) const {
  if (from > 0) return gallop(from, size_, [&](std::size_t i) { return beginNs(i) >= ns; });
  // the chunk first, then the stretch, then within it
  const auto after = std::partition_point(chunks_.begin(), chunks_.end(),
                                          [&](const Chunk& chunk) { return chunk.from[0] < ns; });
  if (after == chunks_.begin()) return 0;
  const auto number = static_cast<std::size_t>(after - chunks_.begin()) - 1;
  const Chunk& chunk = chunks_[number];
  const std::size_t used = std::min(kChunk, size_ - number * kChunk);
  const std::int64_t* froms = chunk.from.get();
  const auto stretch =
      static_cast<std::size_t>(std::lower_bound(froms, froms + (used + kEvery - 1) / kEvery, ns) - froms - 1);
  std::size_t low = stretch * kEvery + 1;
  std::size_t high = std::min(low + kEvery - 1, used);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (chunk.beginNs(middle) < ns)
      low = middle + 1;
    else
      high = middle;
  }
  return number * kChunk + low;
}

std::size_t SpanRow::firstEndingAfter(std::int64_t ns, std::size_t from) const {
  return gallop(from, size_, [&](std::size_t i) { return endNs(i) > ns; });
}

std::pair<std::size_t, std::size_t> SpanRow::touching(std::int64_t beginNs, std::int64_t endNs) const {
  std::size_t first = firstEndingAfter(beginNs);
  while (first > 0 && this->beginNs(first - 1) == beginNs) --first;  // of no length, right at the begin
  if (endNs <= beginNs) return {first, first};
  return {first, std::max(first, firstFrom(endNs, first))};
}

KindTimes SpanRow::before(std::int64_t ns, std::size_t end) const {
  if (end == 0) return {};
  const std::size_t from = (end - 1) / kEvery * kEvery;
  KindTimes times = chunks_[from >> kShift].sums[(from & kMask) / kEvery];
  for (std::size_t i = from; i < end; ++i)
    times[static_cast<std::size_t>(kind(i))] += std::min(durationNs(i), ns - beginNs(i));
  return times;
}

KindTimes SpanRow::within(std::int64_t beginNs, std::int64_t endNs) const { return sumOf(beginNs, endNs).ns; }

SpanRow::Sum SpanRow::sumOf(std::int64_t beginNs, std::int64_t endNs) const {
  Sum sum;
  if (endNs <= beginNs) return sum;
  std::size_t first = firstFrom(beginNs);
  const std::size_t last = firstFrom(endNs);
  sum.ns = before(endNs, last);
  const KindTimes earlier = before(beginNs, first);
  for (std::size_t k = 0; k < sum.ns.size(); ++k) sum.ns[k] -= earlier[k];
  // only the last of those that began before can reach in
  if (first > 0 && this->endNs(first - 1) > beginNs) --first;
  sum.spans = static_cast<std::int64_t>(last - first);
  return sum;
}

std::size_t SpanRow::bytes() const {
  std::size_t bytes = chunks_.capacity() * sizeof(Chunk) + longs_.capacity() * sizeof(longs_[0]) +
                      farNames_.capacity() * sizeof(farNames_[0]);
  for (const Chunk& chunk : chunks_)
    bytes += chunk.capacity * (chunk.after ? 10U : 14U) +
             (chunk.capacity + kEvery - 1) / kEvery * (sizeof(std::int64_t) + sizeof(KindTimes));
  return bytes + context_.bytes() + epoch_.bytes() + peer_.bytes() + bytes_.bytes();
}

void SpanRow::releaseSpare() {
  if (empty()) return;
  const std::size_t used = (size_ - 1) % kChunk + 1;
  if (used < chunks_.back().capacity) resize(chunks_.back(), used, used);
  chunks_.shrink_to_fit();
  for (SideColumn* column : {&context_, &epoch_, &peer_, &bytes_}) column->releaseSpare();
}

}  // namespace halo
