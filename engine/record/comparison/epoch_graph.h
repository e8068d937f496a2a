#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/record/comparison/waits.h"
#include "engine/record/rows/rows.h"
#include "engine/record/tables/span_lanes.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Of one run's epochs in scope, what depends on what. A rank does its steps in order, and its work lasts as
/// long as it did. A message comes as long after its sending as it did. Who meets goes on as long after the
/// last to come as it did. A wait of which no other rank's step is known lasts as long as it did. A rank that
/// waits for several messages together waits for all of them, though its wait names but the last.
class EpochGraph {
 public:
  /// Where a rank depends on others.
  struct Step {
    enum class Kind : std::uint8_t { send, wait, meeting };
    Kind kind = Kind::wait;
    Pass pass = Pass::none;
    Name name = Name::wait;
    std::int16_t layer = -1;
    std::int32_t rank = 0, epoch = -1;
    std::int32_t peer = -1;  // receiver of what is sent, sender of what is waited for
    std::int64_t beginNs = 0, endNs = 0;
    std::int64_t arrivedNs = 0;         // of what is waited for
    std::int64_t message = kNoMessage;  // numberOfBoth(); none: no other rank's step is known
    std::size_t firstPiece = 0, pieces = 0;
    std::size_t firstBeside = 0, beside = 0;
    std::ptrdiff_t dependsOn = -1;  // the send that is waited for, or the place in meetings(); −1: none
    std::ptrdiff_t slot = -1;       // of a send that is waited for
  };
  /// Part of a wait, within the epochs.
  struct Piece {
    WaitKind kind;
    std::int64_t ns = 0;
  };

  /// A message that came before the one that ended the wait.
  struct Beside {
    std::size_t step = 0;  // the wait
    std::int32_t peer = 0;
    std::int64_t message = kNoMessage, arrivedNs = 0;
    std::ptrdiff_t send = -1;  // its place among the steps; −1: not known
  };

  /// `epochs` outlives it.
  explicit EpochGraph(const std::vector<EpochRow>& epochs) : epochs_(epochs) {}
  /// All spans of a rank, each lane by begin.
  void addRank(std::int64_t rank, const SpanLanes& lanes);
  /// The ranks that another one was given.
  void add(const EpochGraph& others);
  /// Puts the steps into an order in which each follows those it depends on. Of steps that depend on each
  /// other, as by clocks that are off, the first depends on nothing.
  void order();

  /// By how much the last rank ends earlier where waits of these kinds do not occur: one figure a kind, and
  /// last that of all waits. A wait without some of its pieces lasts as long as the others did. It also lasts
  /// until the other messages have come that it is for. The figures are none where there are too many steps
  /// to tell within a second. After order(). Cost: steps × kinds.
  std::optional<std::vector<std::int64_t>> gainsNs(std::span<const WaitKind> kinds) const;

  static constexpr std::size_t kMostSteps = 500'000;

 private:
  static constexpr std::size_t kAtOnce = 8;
  using Shifts = std::array<std::int64_t, kAtOnce>;  // how much earlier, for as many kinds
  struct Ended {
    std::int64_t rank = 0, atNs = 0;
  };
  using Meeting = std::vector<std::size_t>;  // a step of each rank

  class Ordering;

  bool isFull() const { return tooMany_ || steps_.size() > kMostSteps; }
  void addBeside(const std::vector<Span>& link, std::size_t firstStep);
  void addPieces(const Span& wait, const std::vector<Span>& pieces, std::size_t& next);
  std::int64_t withinEpochs(const Span& span) const;
  void link();
  void meet();
  std::vector<std::vector<std::size_t>> byRank() const;
  void replay(std::span<const int> places, bool besides, std::vector<Shifts>& ranks) const;
  std::pair<Shifts, Shifts> boundsOf(const Step& step, std::span<const Shifts> sent,
                                     const Shifts& rank) const;

  const std::vector<EpochRow>& epochs_;
  std::vector<Step> steps_;
  std::vector<Piece> pieces_;
  std::vector<Beside> beside_;
  std::vector<Ended> ended_;
  std::vector<Meeting> meetings_;
  std::vector<std::size_t> order_;  // steps; from steps_.size() on, meetings
  std::size_t slots_ = 0, ranks_ = 0;
  bool tooMany_ = false;
};

}  // namespace halo
