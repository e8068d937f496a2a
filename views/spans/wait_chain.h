#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/record/tables/epochs.h"
#include "engine/record/tables/spans.h"
#include "views/spans/message_arrows.h"

namespace halo {

/// A part of why a wait lasted as long as it did.
struct ChainLink {
  enum class What : std::uint8_t {
    wait,     // `rank` waited, for `peer` (−1: for all or nobody) and mostly for the reason `name`
    way,      // a message of `rank` to `peer`, from its sending to its arrival
    meeting,  // `rank` came last to what all meet in; `name` is that, `peer` who waited
    work,     // `rank` did this, mostly `name`, before it sent or came
    nothing   // `rank` recorded nothing
  };
  What what = What::wait;
  std::int64_t rank = 0, peer = -1;
  std::int64_t beginNs = 0, endNs = 0;
  std::int16_t layer = -1;
  Pass pass = Pass::none;
  Name name = Name::wait;
  bool operator==(const ChainLink&) const = default;
};

/// From a wait to what made it late: what its peer did until it sent, what that waited for before, and so on,
/// until something that is no wait. Each link is earlier than the one before it.
struct WaitChain {
  std::vector<ChainLink> links;  // empty: nothing is known but a wait, if that
  std::int32_t block = 0;        // place of the run in the timeline
  bool cut = false;              // it goes on: too long, or too many spans lie there
  bool operator==(const WaitChain&) const = default;
};

/// Whether it says that its rank waited: of lane wait, or what is no work of lane main.
bool isOfWait(const Span& span);

/// The spans of ranks, of lanes main, wait and message. A chain goes along them.
class ChainSpans {
 public:
  void add(std::int64_t rank, const Span& span);
  /// All were added.
  void sort();
  /// Of a span that isOfWait().
  WaitChain chainOf(std::int64_t rank, const Span& selected) const;

 private:
  struct Rank {
    std::vector<Span> main, reasons;
  };
  /// Where a chain goes on: a rank that was late at a moment, for who waited since another.
  struct Late {
    std::int64_t rank = 0, untilNs = 0, sinceNs = 0;
  };
  using SendKey = std::pair<std::pair<std::int64_t, std::int64_t>, std::int64_t>;  // sender, receiver, number

  const Rank* of(std::int64_t rank) const;
  const Span* waitAround(std::int64_t rank, std::int64_t ns) const;
  const Span* waitBefore(const Late& late) const;
  std::optional<Late> follow(std::int64_t rank, const Span& wait, WaitChain& chain) const;
  std::optional<Late> lastToCome(std::int64_t rank, const Span& meeting, WaitChain& chain) const;
  ChainLink waitLink(std::int64_t rank, const Span& wait) const;
  ChainLink workLink(std::int64_t rank, std::int64_t fromNs, std::int64_t toNs) const;

  std::map<std::int64_t, Rank> ranks_;
  std::map<SendKey, std::int64_t> sends_;
};

/// The chain of a wait of a run. Cost: reads the blocks of spans of the wait and of two epochs before it.
WaitChain readChain(const Spans& store, const Epochs& epochs, std::int64_t run, std::int64_t rank,
                    const Span& wait);

/// Its links in words, each with the rank or ranks that it is of: "rank 0" and "aggregating layer 1 for 2 ms
/// before it sent that".
std::vector<std::pair<QString, QString>> chainText(const WaitChain& chain);
/// Its messages and meetings, to be drawn.
std::vector<MessageArrow> arrowsOf(const WaitChain& chain);

}  // namespace halo
