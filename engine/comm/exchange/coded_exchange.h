#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/comm/exchange/row_exchange.h"
#include "engine/kernels/quantise/quantise.h"

namespace halo {

/// Widths of the codes in a message: all rows of `bits`, or (bits 0) a drawn mixture.
struct CodeWidths {
  int bits = 8;
  double share8 = 0, share4 = 0;  // of a message's rows, rounded down; the others have 2 bits
  std::int32_t drawEvery = 50;    // epochs for which a row keeps its width
};
inline constexpr std::array<int, 3> kCodeWidths = {8, 4, 2};
/// Where in kCodeWidths.
constexpr std::size_t indexOfWidth(int bits) { return bits == 8 ? 0 : bits == 4 ? 1 : 2; }

/// Positions in one message by width, in the order of kCodeWidths, ascending within.
using RowsByWidth = std::array<std::vector<Vertex>, 3>;
/// Those of a message of `rows` rows that are drawn: the same at both ends, so that no widths travel.
/// `order`: scratch; neither allocates where it held as many rows before.
void drawPositions(const CodeWidths& widths, Index rows, std::uint64_t seed, std::int32_t epoch, int sender,
                   int receiver, std::vector<Vertex>& order, RowsByWidth& positions);
RowsByWidth positionsByWidth(const CodeWidths& widths, Index rows, std::uint64_t seed, std::int32_t epoch,
                             int sender, int receiver);
/// The same of the rows of the matrices, by message, where somebody chose each row's width: the same at both
/// ends.
struct ChosenWidths {
  std::vector<RowsByWidth> sent, received;
};

/// A RowExchange of codes: a message a peer with the codes (widest rows first), one with the rows' ranges in
/// the same order.
class CodedExchange {
 public:
  /// `ids`: what the draws of each sent row are keyed by. `coding`: seed, rounding and store of the ranges;
  /// widths, epoch and stream come from elsewhere.
  CodedExchange(Communicator& communicator, const std::vector<RowBlock>& sent,
                const std::vector<RowBlock>& received, std::vector<std::uint64_t> ids,
                const CodeWidths& widths, const Coding& coding);

  /// Encodes and posts the blocks of `rows`, which may go then. `chosen`: in place of the widths this was
  /// made with; must live until finish.
  void start(int tag, std::int32_t epoch, const Matrix& rows, const ChosenWidths* chosen = nullptr);
  /// The rows that arrived, decoded; valid until the next start.
  const Matrix& finish();

  std::size_t bufferBytes() const;

 private:
  /// What goes to, or comes from, one peer.
  struct Message {
    RowBlock block;
    RowsByWidth drawn;                   // of the matrix
    const RowsByWidth* inUse = nullptr;  // these, or what was chosen
    std::vector<RowRange> ranges;
    std::vector<std::uint8_t> codes, rangeBytes;
  };
  static std::vector<Message> messagesOf(const std::vector<RowBlock>& blocks);
  void drawWidths(std::int32_t epoch);
  void useWidths(const ChosenWidths* chosen);
  void resize(Message& message, Index width) const;
  void encode(Message& message, const Matrix& rows, const Coding& coding) const;
  void decode(Message& message);

  Communicator& comm_;
  std::vector<Message> sent_, received_;
  std::vector<std::uint64_t> ids_;
  CodeWidths widths_;
  Coding coding_;
  std::int32_t drawn_ = -1;  // which draw of widths the messages hold
  std::vector<Vertex> order_;
  Matrix arrived_;
  std::vector<Transfer> transfers_;
};

}  // namespace halo
