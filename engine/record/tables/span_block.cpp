#include "engine/record/tables/span_block.h"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <new>

#include "engine/base/check.h"
#include "engine/record/database/database.h"
#include "engine/record/tables/span_lanes.h"

namespace halo {
namespace {

static_assert(std::endian::native == std::endian::little, "the block is little-endian and copied as it is");

// The header, byte by byte: resources/manual/reference/recording/span-blocks.md.
constexpr std::string_view kMagic = "HSPB";
constexpr std::uint8_t kVersion = 2;
constexpr std::size_t kColumnsOfVersion1 = 9;  // all but the last: its spans belong to no message
constexpr std::size_t kVersionAt = 4, kLaneAt = 5, kFlagsAt = 6, kCountAt = 8, kLongsAt = 12, kCrcAt = 16,
                      kBodyBytesAt = 20, kWidthsAt = 24;
constexpr std::size_t basesAt(std::size_t columns) { return kWidthsAt + columns; }
constexpr std::size_t headerBytes(std::size_t columns) { return basesAt(columns) + 8 * columns; }
constexpr std::uint8_t kDeflated = 1;
constexpr std::size_t kLongBytes = 12;

template <class T>
void put(std::string& block, std::size_t at, T value) {
  std::memcpy(block.data() + at, &value, sizeof value);
}

template <class T>
T get(std::string_view block, std::size_t at) {
  T value;
  std::memcpy(&value, block.data() + at, sizeof value);
  return value;
}

[[noreturn]] void damaged(const std::string& fault) { throw RecordDamaged("span block: " + fault); }

/// Over everything but the place where it is kept.
std::uint32_t checksum(std::string_view block) {
  const std::string_view rest = block.substr(kCrcAt + 4);
  return libdeflate_crc32(libdeflate_crc32(0, block.data(), kCrcAt), rest.data(), rest.size());
}

std::int64_t valueOf(const Span& span, SpanColumn column) {
  switch (column) {
    case SpanColumn::begin:
      return span.beginNs;
    case SpanColumn::duration:
      return span.durationNs;
    case SpanColumn::kind:
      return static_cast<std::int64_t>(span.kind);
    case SpanColumn::name:
      return static_cast<std::int64_t>(span.name);
    case SpanColumn::layer:
      return span.layer;
    case SpanColumn::pass:
      return static_cast<std::int64_t>(span.pass);
    case SpanColumn::epoch:
      return span.epoch;
    case SpanColumn::peer:
      return span.peer;
    case SpanColumn::bytes:
      return span.bytes;
    case SpanColumn::message:
      return span.message;
  }
  return 0;
}

bool isLong(std::int64_t durationNs) {
  return durationNs < 0 || durationNs > std::numeric_limits<std::uint32_t>::max();
}

std::uint8_t widthFor(std::uint64_t largest) {
  return largest == 0 ? 0 : largest >> 8 == 0 ? 1 : largest >> 16 == 0 ? 2 : largest >> 32 == 0 ? 4 : 8;
}

/// Turns values into distances (begins: steps, modulo 2^64) and returns what they are distances from.
std::int64_t takeBase(std::vector<std::uint64_t>& values, SpanColumn column) {
  if (values.empty()) return 0;
  if (column == SpanColumn::begin) {
    const std::uint64_t first = values.front();
    for (std::size_t i = values.size() - 1; i > 0; --i) values[i] -= values[i - 1];
    values.front() = 0;
    return static_cast<std::int64_t>(first);
  }
  std::int64_t base = std::numeric_limits<std::int64_t>::max();
  for (const std::uint64_t value : values) base = std::min(base, static_cast<std::int64_t>(value));
  for (std::uint64_t& value : values) value -= static_cast<std::uint64_t>(base);
  return base;
}

void appendColumn(std::string& body, const std::vector<std::uint64_t>& values, std::uint8_t width) {
  const std::size_t at = body.size();
  body.resize(at + values.size() * width);
  char* to = body.data() + at;
  for (const std::uint64_t& value : values) {
    std::memcpy(to, &value, width);
    to += width;
  }
}

std::string deflated(const std::string& body) {
  constexpr int kLevel = 6;
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_zlib_compress_bound(compressor.get(), body.size()), '\0');
  out.resize(libdeflate_zlib_compress(compressor.get(), body.data(), body.size(), out.data(), out.size()));
  HALO_CHECK(!out.empty());
  return out;
}

}  // namespace

std::string packSpans(std::span<const Span> spans, Packing packing) {
  HALO_CHECK(spans.size() <= kSpansPerBlock);
  std::string header(headerBytes(kSpanColumns), '\0'), body, longs;
  std::vector<std::uint64_t> values(spans.size());
  for (std::size_t c = 0; c < kSpanColumns; ++c) {
    const auto column = static_cast<SpanColumn>(c);
    for (std::size_t i = 0; i < spans.size(); ++i)
      values[i] = static_cast<std::uint64_t>(valueOf(spans[i], column));
    if (column == SpanColumn::duration)
      for (std::size_t i = 0; i < spans.size(); ++i)
        if (isLong(spans[i].durationNs)) {
          longs.resize(longs.size() + kLongBytes);
          put(longs, longs.size() - kLongBytes, static_cast<std::uint32_t>(i));
          put(longs, longs.size() - 8, spans[i].durationNs);
          values[i] = 0;
        }
    put(header, basesAt(kSpanColumns) + 8 * c, takeBase(values, column));
    std::uint64_t largest = 0;
    for (const std::uint64_t value : values) largest = std::max(largest, value);
    const std::uint8_t width = widthFor(largest);
    put(header, kWidthsAt + c, width);
    appendColumn(body, values, width);
  }
  body += longs;
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  put(header, kVersionAt, kVersion);
  put(header, kLaneAt, spans.empty() ? Lane::main : spans.front().lane);
  put(header, kFlagsAt, static_cast<std::uint8_t>(packing == Packing::deflated ? kDeflated : 0));
  put(header, kCountAt, static_cast<std::uint32_t>(spans.size()));
  put(header, kLongsAt, static_cast<std::uint32_t>(longs.size() / kLongBytes));
  put(header, kBodyBytesAt, static_cast<std::uint32_t>(body.size()));
  std::string block = header + (packing == Packing::deflated ? deflated(body) : body);
  put(block, kCrcAt, checksum(block));
  return block;
}

SpanBlock::SpanBlock(std::string_view block) {
  if (block.size() < headerBytes(kColumnsOfVersion1))
    damaged("has " + std::to_string(block.size()) + " bytes, its header alone has " +
            std::to_string(headerBytes(kColumnsOfVersion1)));
  if (block.substr(0, kMagic.size()) != kMagic) damaged("does not begin with HSPB");
  if (get<std::uint32_t>(block, kCrcAt) != checksum(block)) damaged("its checksum does not fit its bytes");
  const std::size_t header = readHeader(block);
  const auto longs = get<std::uint32_t>(block, kLongsAt);
  if (longs > count_) damaged("claims more long durations than spans");
  const bool deflated = get<std::uint8_t>(block, kFlagsAt) == kDeflated;
  placeColumns(bodyOf(block.substr(header), deflated, get<std::uint32_t>(block, kBodyBytesAt)), longs);
  checkValues();
}

/// Returns how many bytes it has.
std::size_t SpanBlock::readHeader(std::string_view block) {
  const auto version = get<std::uint8_t>(block, kVersionAt);
  if (version == 0 || version > kVersion)
    damaged("is of layout version " + std::to_string(version) + ", this program reads 1 to " +
            std::to_string(kVersion));
  const std::size_t columns = version == 1 ? kColumnsOfVersion1 : kSpanColumns;
  if (block.size() < headerBytes(columns))
    damaged("has " + std::to_string(block.size()) + " bytes, its header alone has " +
            std::to_string(headerBytes(columns)));
  count_ = get<std::uint32_t>(block, kCountAt);
  if (count_ > kSpansPerBlock) damaged("claims " + std::to_string(count_) + " spans");
  const auto lane = get<std::uint8_t>(block, kLaneAt), flags = get<std::uint8_t>(block, kFlagsAt);
  if (lane >= kLanes) damaged("is of unknown lane " + std::to_string(lane));
  if (flags > kDeflated) damaged("has unknown flags " + std::to_string(flags));
  lane_ = static_cast<Lane>(lane);
  base_[static_cast<std::size_t>(SpanColumn::message)] = kNoMessage;
  for (std::size_t c = 0; c < columns; ++c) {
    width_[c] = get<std::uint8_t>(block, kWidthsAt + c);
    base_[c] = get<std::int64_t>(block, basesAt(columns) + 8 * c);
    if (width_[c] > 8 || (width_[c] != 0 && !std::has_single_bit(width_[c])))
      damaged("has a column of " + std::to_string(width_[c]) + " bytes a span");
  }
  return headerBytes(columns);
}

std::string_view SpanBlock::bodyOf(std::string_view body, bool deflated, std::size_t bodyBytes) {
  if (!deflated) {
    if (body.size() != bodyBytes)
      damaged("has " + std::to_string(body.size()) + " bytes of columns instead of " +
              std::to_string(bodyBytes));
    return body;
  }
  if (bodyBytes > kSpansPerBlock * (8 * kSpanColumns + kLongBytes))
    damaged("claims too many bytes of columns");
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  inflated_.resize(bodyBytes);
  // without a place for the size it is an error if not all of `inflated_` is filled
  if (libdeflate_zlib_decompress(decompressor.get(), body.data(), body.size(), inflated_.data(), bodyBytes,
                                 nullptr) != LIBDEFLATE_SUCCESS)
    damaged("cannot be inflated");
  return inflated_;
}

void SpanBlock::placeColumns(std::string_view body, std::size_t longs) {
  std::size_t at = 0;
  for (std::size_t c = 0; c < kSpanColumns; ++c) {
    data_[c] = body.data() + at;
    at += width_[c] * count_;
    if (at > body.size()) damaged("ends within its columns");
  }
  if (body.size() - at != longs * kLongBytes) damaged("its columns do not fill it");
  for (std::size_t i = 0; i < longs; ++i, at += kLongBytes) {
    long_.push_back({get<std::uint32_t>(body, at), get<std::int64_t>(body, at + 4)});
    if (long_.back().index >= count_) damaged("has a long duration of a span that is not there");
  }
}

void SpanBlock::checkValues() const {
  std::vector<std::int64_t> values(count_);
  const auto check = [&](SpanColumn column, std::int64_t last, const char* columnName) {
    if (constant(column)) {
      if (count_ > 0 && (base(column) < 0 || base(column) > last))
        damaged(std::string("has an unknown ") + columnName);
      return;
    }
    read(column, values.data());
    std::int64_t low = 0, high = 0;
    for (const std::int64_t value : values) low = std::min(low, value), high = std::max(high, value);
    if (low < 0 || high > last) damaged(std::string("has an unknown ") + columnName);
  };
  check(SpanColumn::kind, kKinds - 1, "kind");
  check(SpanColumn::pass, static_cast<std::int64_t>(Pass::backward), "pass");
}

std::vector<Span> unpackSpans(std::string_view block) {
  std::vector<Span> spans;
  appendSpans(SpanBlock(block), spans);
  return spans;
}

std::vector<Span> unpackSpans(std::string_view block, std::int64_t claimed) {
  SpanLanes lanes;
  appendSpans(block, claimed, lanes);
  for (std::vector<Span>& lane : lanes)
    if (!lane.empty()) return std::move(lane);
  return {};
}

}  // namespace halo
