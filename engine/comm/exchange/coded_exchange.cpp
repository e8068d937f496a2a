#include "engine/comm/exchange/coded_exchange.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/partition/halo/boundary_sample.h"

namespace halo {
namespace {

constexpr int kRangeTag = 1 << 13;                  // beyond every layer's
constexpr std::uint32_t kWidthDraws = 0xFFFFFFFFU;  // a counter that no row's draws have

std::size_t rangeBytes(bool shortRange) { return shortRange ? 4 : 8; }

/// Zero and step of one row after another; of a brain float the upper half.
void packRanges(const std::vector<RowRange>& ranges, bool shortRange, std::vector<std::uint8_t>& bytes) {
  bytes.resize(ranges.size() * rangeBytes(shortRange));
  if (!shortRange) {
    if (!ranges.empty()) std::memcpy(bytes.data(), ranges.data(), bytes.size());
    return;
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::array<std::uint16_t, 2> halves = {
        static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(ranges[i].zero) >> 16),
        static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(ranges[i].step) >> 16)};
    std::memcpy(bytes.data() + 4 * i, halves.data(), 4);
  }
}

void unpackRanges(const std::vector<std::uint8_t>& bytes, bool shortRange, std::vector<RowRange>& ranges) {
  if (!shortRange) {
    if (!ranges.empty()) std::memcpy(ranges.data(), bytes.data(), bytes.size());
    return;
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::array<std::uint16_t, 2> halves{};
    std::memcpy(halves.data(), bytes.data() + 4 * i, 4);
    ranges[i] = {std::bit_cast<float>(std::uint32_t{halves[0]} << 16),
                 std::bit_cast<float>(std::uint32_t{halves[1]} << 16)};
  }
}

}  // namespace

void drawPositions(const CodeWidths& widths, Index rows, std::uint64_t seed, std::int32_t epoch, int sender,
                   int receiver, std::vector<Vertex>& order, RowsByWidth& positions) {
  order.resize(at(rows));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Vertex>(i);
  std::array<Index, 3> counts{};
  if (widths.bits == 0) {
    counts[0] = sampleSize(widths.share8, false, rows);
    counts[1] = sampleSize(widths.share4, false, rows);
    const std::uint64_t pair =
        std::uint64_t{static_cast<std::uint32_t>(sender)} << 32 | static_cast<std::uint32_t>(receiver);
    PhiloxStream random(seed ^ kWidthDraws, Purpose::quantise,
                        pair << 16 ^ static_cast<std::uint64_t>(epoch / widths.drawEvery));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  } else {
    for (std::size_t w = 0; w < counts.size(); ++w) counts[w] = kCodeWidths[w] == widths.bits ? rows : 0;
  }
  counts[2] = rows - counts[0] - counts[1];
  auto from = order.begin();
  for (std::size_t w = 0; w < counts.size(); from += counts[w], ++w) {
    positions[w].assign(from, from + counts[w]);
    std::ranges::sort(positions[w]);
  }
}

RowsByWidth positionsByWidth(const CodeWidths& widths, Index rows, std::uint64_t seed, std::int32_t epoch,
                             int sender, int receiver) {
  std::vector<Vertex> order;
  RowsByWidth positions;
  drawPositions(widths, rows, seed, epoch, sender, receiver, order, positions);
  return positions;
}

CodedExchange::CodedExchange(Communicator& communicator, const std::vector<RowBlock>& sent,
                             const std::vector<RowBlock>& received, std::vector<std::uint64_t> ids,
                             const CodeWidths& widths, const Coding& coding)
    : comm_(communicator),
      sent_(messagesOf(sent)),
      received_(messagesOf(received)),
      ids_(std::move(ids)),
      widths_(widths),
      coding_(coding) {}

std::vector<CodedExchange::Message> CodedExchange::messagesOf(const std::vector<RowBlock>& blocks) {
  std::vector<Message> messages;
  for (const RowBlock& block : blocks) messages.push_back({.block = block});
  return messages;
}

void CodedExchange::drawWidths(std::int32_t epoch) {
  const std::int32_t draw = widths_.bits == 0 ? epoch / widths_.drawEvery : 0;
  if (draw == drawn_) return;
  drawn_ = draw;
  const auto fill = [&](Message& message, int sender, int receiver) {
    drawPositions(widths_, message.block.count, coding_.seed, epoch, sender, receiver, order_, message.drawn);
    for (auto& rows : message.drawn)
      for (Vertex& row : rows) row += static_cast<Vertex>(message.block.begin);
  };
  for (Message& message : sent_) fill(message, comm_.rank(), message.block.rank);
  for (Message& message : received_) fill(message, message.block.rank, comm_.rank());
}

void CodedExchange::useWidths(const ChosenWidths* chosen) {
  for (std::size_t m = 0; m < sent_.size(); ++m)
    sent_[m].inUse = chosen != nullptr ? &chosen->sent[m] : &sent_[m].drawn;
  for (std::size_t m = 0; m < received_.size(); ++m)
    received_[m].inUse = chosen != nullptr ? &chosen->received[m] : &received_[m].drawn;
}

void CodedExchange::resize(Message& message, Index width) const {
  Index bytes = 0;
  for (std::size_t w = 0; w < kCodeWidths.size(); ++w)
    bytes += codeBytes(static_cast<Index>((*message.inUse)[w].size()), width, kCodeWidths[w]);
  message.codes.resize(at(bytes));
  message.ranges.resize(at(message.block.count));
  message.rangeBytes.resize(message.ranges.size() * rangeBytes(coding_.shortRange));
}

void CodedExchange::encode(Message& message, const Matrix& rows, const Coding& coding) const {
  std::span<RowRange> ranges(message.ranges);
  std::span<std::uint8_t> codes(message.codes);
  for (std::size_t w = 0; w < kCodeWidths.size(); ++w) {
    const std::vector<Vertex>& chosen = (*message.inUse)[w];
    Coding own = coding;
    own.bits = kCodeWidths[w];
    const std::size_t bytes = at(codeBytes(static_cast<Index>(chosen.size()), rows.cols(), own.bits));
    encodeRows(rows, chosen, ids_, own, ranges.first(chosen.size()), codes.first(bytes));
    ranges = ranges.subspan(chosen.size());
    codes = codes.subspan(bytes);
  }
  packRanges(message.ranges, coding.shortRange, message.rangeBytes);
}

void CodedExchange::decode(Message& message) {
  unpackRanges(message.rangeBytes, coding_.shortRange, message.ranges);
  std::span<const RowRange> ranges(message.ranges);
  std::span<const std::uint8_t> codes(message.codes);
  for (std::size_t w = 0; w < kCodeWidths.size(); ++w) {
    const std::vector<Vertex>& chosen = (*message.inUse)[w];
    const std::size_t bytes =
        at(codeBytes(static_cast<Index>(chosen.size()), arrived_.cols(), kCodeWidths[w]));
    decodeRows(codes.first(bytes), ranges.first(chosen.size()), kCodeWidths[w], chosen, arrived_);
    ranges = ranges.subspan(chosen.size());
    codes = codes.subspan(bytes);
  }
}

void CodedExchange::start(int tag, std::int32_t epoch, const Matrix& rows, const ChosenWidths* chosen) {
  HALO_CHECK(transfers_.empty() && rows.rows() == static_cast<Index>(ids_.size()));
  if (chosen == nullptr) drawWidths(epoch);
  useWidths(chosen);
  arrived_.resize(received_.empty() ? 0 : received_.back().block.begin + received_.back().block.count,
                  rows.cols());
  for (Message& message : received_) {
    resize(message, rows.cols());
    transfers_.push_back(comm_.startReceive(message.block.rank, tag, std::span(message.codes)));
    transfers_.push_back(
        comm_.startReceive(message.block.rank, tag + kRangeTag, std::span(message.rangeBytes)));
  }
  Coding coding = coding_;
  coding.epoch = static_cast<std::uint32_t>(epoch);
  coding.stream = static_cast<std::uint32_t>(tag);
  std::size_t bytes = 0;
  for (Message& message : sent_) {
    const Timed timed(comm_.tracer(), Kind::quantise, Name::encode);
    resize(message, rows.cols());
    encode(message, rows, coding);
    bytes += message.codes.size() + message.rangeBytes.size();
  }
  comm_.copyOut(static_cast<std::int64_t>(bytes));
  for (const Message& message : sent_) {
    transfers_.push_back(
        comm_.startSend(message.block.rank, tag, std::span<const std::uint8_t>(message.codes)));
    transfers_.push_back(comm_.startSend(message.block.rank, tag + kRangeTag,
                                         std::span<const std::uint8_t>(message.rangeBytes)));
    comm_.countParameters(message.block.rank, static_cast<std::int64_t>(message.rangeBytes.size()));
  }
}

const Matrix& CodedExchange::finish() {
  comm_.waitAll(transfers_);
  transfers_.clear();
  const Timed timed(comm_.tracer(), Kind::quantise, Name::decode);
  for (Message& message : received_) decode(message);
  return arrived_;
}

std::size_t CodedExchange::bufferBytes() const {
  std::size_t bytes = arrived_.heldBytes();
  for (const auto* messages : {&sent_, &received_})
    for (const Message& message : *messages)
      bytes += heldBytes(message.codes) + heldBytes(message.rangeBytes) + heldBytes(message.ranges);
  return bytes;
}

}  // namespace halo
