#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/record/trace/span.h"
#include "views/spans/span_columns.h"
#include "views/spans/timeline_side_column.h"

namespace halo {

using KindTimes = std::array<std::int64_t, kKinds>;  // ns of each kind

/// Spans of one row of the timeline: sorted by begin, none overlapping another, appended. Chunks of 64 Ki
/// columns: 10 bytes a span, 0.9 for whole begins and the sums that make range statistics exact at any size,
/// and what the side columns need. Begins are 4 bytes after that of a stretch of 64, or 8 in chunks where
/// that does not do. Not thread-safe; moved whole from the thread that loads to the one that draws.
class SpanRow {
 public:
  /// `columns` must follow(endNs()): in order, none beginning before endNs().
  void append(const SpanColumns& columns);
  /// The same of those at `indices`.
  void append(const SpanColumns& columns, std::span<const std::uint32_t> indices);
  /// Keeps the first `size`. What they wait for may still name what those after them waited for.
  void truncate(std::size_t size);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t beginNs() const { return empty() ? 0 : beginNs(0); }
  std::int64_t endNs() const { return endNs_; }  // of the last; the smallest value of all while empty

  std::int64_t beginNs(std::size_t i) const { return chunks_[i >> kShift].beginNs(i & kMask); }
  std::int64_t durationNs(std::size_t i) const {
    const std::uint32_t duration = chunks_[i >> kShift].duration[i & kMask];
    return duration == kLong ? longDuration(i) : duration;
  }
  std::int64_t endNs(std::size_t i) const { return beginNs(i) + durationNs(i); }
  Kind kind(std::size_t i) const { return static_cast<Kind>(chunks_[i >> kShift].kind[i & kMask]); }
  Name name(std::size_t i) const {
    const std::uint8_t name = chunks_[i >> kShift].name[i & kMask];
    return static_cast<Name>(name == kFar ? farName(i) : name);
  }
  std::int16_t layer(std::size_t i) const { return static_cast<std::int16_t>(context_.at(i) >> 2); }
  Span at(std::size_t i) const;

  /// First span that begins at or after `ns`, size() if none; searched from `from` by galloping.
  std::size_t firstFrom(std::int64_t ns, std::size_t from = 0) const;
  /// First span that ends after `ns`.
  std::size_t firstEndingAfter(std::int64_t ns, std::size_t from = 0) const;
  /// Indices of the spans that touch [beginNs, endNs), one of no length at beginNs included.
  std::pair<std::size_t, std::size_t> touching(std::int64_t beginNs, std::int64_t endNs) const;

  /// ns of each kind before `ns`. O(log n).
  KindTimes before(std::int64_t ns) const { return before(ns, firstFrom(ns)); }
  KindTimes within(std::int64_t beginNs, std::int64_t endNs) const;
  struct Sum {
    KindTimes ns{};
    std::int64_t spans = 0;  // that touch the range
  };
  Sum sumOf(std::int64_t beginNs, std::int64_t endNs) const;

  /// What its idle spans wait for: bit n for the name n.
  std::uint64_t waits() const { return waits_; }

  std::size_t bytes() const;
  /// Gives back what growing reserved ahead: called once a recording is loaded.
  void releaseSpare();

 private:
  static constexpr std::size_t kShift = 16;
  static constexpr std::size_t kChunk = std::size_t{1} << kShift;
  static constexpr std::size_t kMask = kChunk - 1;
  static constexpr std::uint32_t kLong = 0xFFFFFFFF;  // the duration stands in longs_
  static constexpr std::uint8_t kFar = 255;           // the name stands in farNames_
  static constexpr std::size_t kEvery = 64;           // spans of a stretch

  struct Chunk {
    std::size_t capacity = 0;
    std::unique_ptr<std::int64_t[]> from;    // where each stretch begins
    std::unique_ptr<std::uint32_t[]> after;  // where each span begins, after its stretch
    std::unique_ptr<std::int64_t[]> begin;   // of each span, where `after` cannot hold it; `after` is null
    std::unique_ptr<std::uint32_t[]> duration;
    std::unique_ptr<std::uint8_t[]> name;
    std::unique_ptr<std::uint8_t[]> kind;
    std::unique_ptr<KindTimes[]> sums;  // of everything before each stretch
    std::int64_t beginNs(std::size_t at) const { return after ? from[at / kEvery] + after[at] : begin[at]; }
  };

  void room(std::size_t& take);
  void resize(Chunk& chunk, std::size_t used, std::size_t capacity);
  void widen(Chunk& chunk, std::size_t used);
  void put(std::int64_t beginNs, std::int64_t durationNs, std::uint8_t kind, std::uint16_t name);
  std::uint16_t farName(std::size_t i) const;
  KindTimes before(std::int64_t ns, std::size_t end) const;  // end: firstFrom(ns)
  std::int64_t longDuration(std::size_t i) const;

  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
  std::int64_t endNs_ = INT64_MIN;
  KindTimes total_{};
  std::uint64_t waits_ = 0;
  std::vector<std::pair<std::size_t, std::int64_t>> longs_;
  std::vector<std::pair<std::size_t, std::uint16_t>> farNames_;
  SideColumn context_, epoch_, peer_, bytes_;  // context: layer × 4 + pass
  Lane lane_ = Lane::main;
};

}  // namespace halo
