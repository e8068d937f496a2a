#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/index.h"
#include "engine/record/trace/span.h"

namespace halo {

/// About 64 Ki spans of one lane of a rank in columns: resources/manual/reference/recording/span-blocks.md.
constexpr std::size_t kSpansPerBlock = std::size_t{1} << 16;

/// The columns of a block in their order on disk: append, never renumber.
enum class SpanColumn : std::uint8_t {
  begin,
  duration,
  kind,
  name,
  layer,
  pass,
  epoch,
  peer,
  bytes,
  message
};
constexpr std::size_t kSpanColumns = 10;

/// plain opens at the speed of the disk; deflated is smaller and slower by an order
/// (tests/bench/record_bench.cpp).
enum class Packing { plain, deflated };

/// `spans`: at most kSpansPerBlock, all of one lane; in order of begin they pack best. Any values come back
/// exactly.
std::string packSpans(std::span<const Span> spans, Packing packing = Packing::plain);
/// Throws RecordDamaged saying what is wrong with the block.
std::vector<Span> unpackSpans(std::string_view block);
/// The same of a block whose row claims so many spans.
std::vector<Span> unpackSpans(std::string_view block, std::int64_t claimed);

/// One block, column by column, for who does not need whole spans. Checks everything (version, sizes,
/// checksum, kinds) in the constructor and throws RecordDamaged; `block` must outlive it.
class SpanBlock {
 public:
  explicit SpanBlock(std::string_view block);
  SpanBlock(const SpanBlock&) = delete;
  SpanBlock& operator=(const SpanBlock&) = delete;

  std::size_t count() const { return count_; }
  Lane lane() const { return lane_; }
  /// A duration that 32 bits do not hold: of which span, and what it is. read() has put these in place
  /// already.
  struct Long {
    std::uint32_t index = 0;
    std::int64_t durationNs = 0;
  };
  const std::vector<Long>& longDurations() const { return long_; }
  /// True when all spans have one value there, which is base().
  bool constant(SpanColumn column) const {
    const bool listedApart = column == SpanColumn::duration && !long_.empty();
    return width(column) == 0 && column != SpanColumn::begin && !listedApart;
  }
  std::int64_t base(SpanColumn column) const { return base_[at(column)]; }

  /// Writes count() values. T may be narrower than the values: durations above 32 bits stand in
  /// longDurations().
  template <class T>
  void read(SpanColumn column, T* out) const {
    switch (width(column)) {
      case 0:
        return readAs<std::uint64_t, T, true>(column, out);
      case 1:
        return readAs<std::uint8_t, T, false>(column, out);
      case 2:
        return readAs<std::uint16_t, T, false>(column, out);
      case 4:
        return readAs<std::uint32_t, T, false>(column, out);
      default:
        return readAs<std::uint64_t, T, false>(column, out);
    }
  }

 private:
  std::uint8_t width(SpanColumn column) const { return width_[at(column)]; }

  template <class Stored, class T, bool none>
  void readAs(SpanColumn column, T* out) const {
    const char* from = data_[at(column)];
    auto base = static_cast<std::uint64_t>(this->base(column));
    for (std::size_t i = 0; i < count_; ++i) {
      Stored stored = 0;
      if constexpr (!none) std::memcpy(&stored, from + i * sizeof(Stored), sizeof(Stored));
      // begins are stored as steps from one to the next, everything else as the distance from the smallest
      if (column == SpanColumn::begin)
        out[i] = static_cast<T>(base += stored);
      else
        out[i] = static_cast<T>(base + stored);
    }
    if (column == SpanColumn::duration)
      for (const Long& entry : long_) out[entry.index] = static_cast<T>(entry.durationNs);
  }

  std::string_view bodyOf(std::string_view body, bool deflated, std::size_t bodyBytes);
  std::size_t readHeader(std::string_view block);
  void placeColumns(std::string_view body, std::size_t longs);
  void checkValues() const;

  std::size_t count_ = 0;
  Lane lane_ = Lane::main;
  std::array<std::uint8_t, kSpanColumns> width_{};
  std::array<std::int64_t, kSpanColumns> base_{};
  std::array<const char*, kSpanColumns> data_{};
  std::vector<Long> long_;
  std::string inflated_;
};

}  // namespace halo
