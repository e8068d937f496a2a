#include "engine/record/export/trace_arrows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "engine/record/export/trace_rows.h"
#include "engine/record/tables/span_stream.h"

namespace halo {
namespace {

/// Of the slices of one sender's main lane, as they come by begin: in which a transfer begins that began at
/// some time. Viewers draw no arrow from between two slices.
class Tails {
 public:
  struct Wanted {
    std::int64_t atNs, endNs;  // of the transfer
    ArrowTail* tail;
  };
  /// `transfers`: by atNs.
  explicit Tails(std::vector<Wanted> transfers) : wanted_(std::move(transfers)) {}

  void slice(const Span& span, std::int64_t row) {
    if (span.durationNs == 0) return;  // holds no moment
    settle(span.beginNs);
    close(span.beginNs);
    // nothing came before: the transfer began with the first thing that its sender is seen to do
    for (; next_ < wanted_.size() && wanted_[next_].atNs < span.beginNs; ++next_)
      if (span.beginNs < wanted_[next_].endNs) *wanted_[next_].tail = {span.beginNs, row};
    open_.push_back({span.beginNs, span.endNs(), row});
  }
  void finish() { settle(std::numeric_limits<std::int64_t>::max()); }

 private:
  struct Slice {
    std::int64_t beginNs = 0, endNs = 0, row = -1;
  };

  /// Those that began before `beginNs`, of which all slices are known. A tail lies in the innermost slice
  /// under way, else at the end of the last one before.
  void settle(std::int64_t beginNs) {
    for (; next_ < wanted_.size() && wanted_[next_].atNs < beginNs; ++next_) {
      const std::int64_t at = wanted_[next_].atNs;
      close(at);
      if (!open_.empty())
        *wanted_[next_].tail = {at, open_.back().row};
      else if (last_.row >= 0)
        *wanted_[next_].tail = {last_.endNs - 1, last_.row};
      else
        return;
    }
  }

  void close(std::int64_t atNs) {
    std::erase_if(open_, [&](const Slice& slice) {
      if (slice.endNs > atNs) return false;
      if (last_.row < 0 || slice.endNs > last_.endNs) last_ = slice;
      return true;
    });
  }

  std::vector<Wanted> wanted_;
  std::size_t next_ = 0;
  std::vector<Slice> open_;  // by begin
  Slice last_;               // of those that have ended
};

}  // namespace

std::vector<ArrowTail> arrowTails(const Spans& spans, std::int64_t run) {
  struct Arrival {
    std::int64_t sender, beginNs, endNs;
  };
  std::vector<Arrival> arrivals;
  const auto note = [&](const SpanOwner&, Lane lane, const Span& span) {
    if (isArrival(lane, span)) arrivals.push_back({span.peer, span.beginNs, span.endNs()});
  };
  forEachOwnedSpan(spans, run, note, Lane::link);
  std::vector<ArrowTail> tails(arrivals.size());
  std::map<std::int64_t, std::vector<Tails::Wanted>> transfers;
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    transfers[arrivals[i].sender].push_back({arrivals[i].beginNs, arrivals[i].endNs, &tails[i]});
  std::map<std::int64_t, Tails> senders;
  for (auto& [sender, senderTransfers] : transfers) {
    std::ranges::stable_sort(senderTransfers, {}, &Tails::Wanted::atNs);
    senders.emplace(sender, std::move(senderTransfers));
  }
  TraceLanes lanes;
  const auto look = [&](const SpanOwner& owner, Lane lane, const Span& span) {
    if (owner.actor) return;  // messages are the rank's own
    if (const auto sender = senders.find(owner.rank); sender != senders.end())
      sender->second.slice(span, lanes.place(owner, lane, span));
  };
  forEachOwnedSpan(spans, run, look, Lane::main);
  for (auto& [sender, senderTails] : senders) senderTails.finish();
  return tails;
}

}  // namespace halo
