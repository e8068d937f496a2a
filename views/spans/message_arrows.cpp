#include "views/spans/message_arrows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/record/trace/message_numbers.h"
#include "views/spans/meetings.h"

namespace halo {
namespace {

constexpr std::int64_t kMostSpans = 2'000'000;  // unpacked within a tenth of a second
constexpr std::int64_t kReach = 2;              // epochs between a send and its use, and one more

/// Sender, receiver, number without its side.
using MessageKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
/// Rank, epoch, layer and pass of work.
using WorkKey = std::tuple<std::int64_t, std::int32_t, std::int16_t, Pass>;

bool matters(Lane lane) { return lane == Lane::main || lane == Lane::link || lane == Lane::message; }

class Arrows {
 public:
  void add(std::int64_t rank, const Span& span) {
    if (span.lane == Lane::main && span.kind == Kind::compute)
      work_[{rank, span.epoch, span.layer, span.pass}].push_back(span.beginNs);
    meetings_.add(rank, span);
    if (span.message == kNoMessage || span.peer < 0) return;
    if (span.lane == Lane::message && span.name == Name::send && isSent(span.message))
      sends_[{rank, span.peer, numberOfBoth(span.message)}] = {span.beginNs, span.epoch};
    if (span.lane == Lane::link && span.name == Name::receive && !isSent(span.message))
      arrivals_.emplace_back(rank, span);
  }

  /// `complete`: epochs all of whose spans were added.
  std::vector<MessageArrow> within(std::int64_t beginNs, std::int64_t endNs,
                                   const std::set<std::int32_t>& complete) {
    for (auto& [key, begins] : work_) std::ranges::sort(begins);
    std::vector<MessageArrow> arrows = meetings_.arrows(complete);
    std::erase_if(arrows,
                  [&](const MessageArrow& arrow) { return arrow.sentNs >= endNs || arrow.usedNs < beginNs; });
    for (const auto& [receiver, span] : arrivals_) {
      const auto send = sends_.find({span.peer, receiver, numberOfBoth(span.message)});
      if (send == sends_.end()) continue;
      MessageArrow arrow;
      arrow.sentNs = send->second.atNs;
      arrow.sentEpoch = send->second.epoch;
      arrow.arrivedNs = span.endNs();
      arrow.usedNs = useOf(receiver, span);
      arrow.usedEpoch = span.epoch;
      arrow.sender = span.peer, arrow.receiver = receiver;
      arrow.layer = span.layer, arrow.pass = span.pass, arrow.bytes = span.bytes;
      if (arrow.sentNs < endNs && arrow.usedNs >= beginNs) arrows.push_back(arrow);
    }
    std::ranges::stable_sort(arrows, {}, &MessageArrow::sentNs);
    return arrows;
  }

 private:
  struct Send {
    std::int64_t atNs = 0;
    std::int32_t epoch = 0;
  };

  /// A transfer carries the epoch that it is used in.
  std::int64_t useOf(std::int64_t receiver, const Span& arrival) const {
    const auto work = work_.find({receiver, arrival.epoch, arrival.layer, arrival.pass});
    if (work == work_.end()) return arrival.endNs();
    const auto begin = std::ranges::lower_bound(work->second, arrival.endNs());
    return begin == work->second.end() ? arrival.endNs() : *begin;
  }

  std::map<WorkKey, std::vector<std::int64_t>> work_;
  Meetings meetings_;
  std::map<MessageKey, Send> sends_;
  std::vector<std::pair<std::int64_t, Span>> arrivals_;  // by receiver
};

}  // namespace

FoundArrows readArrows(const Spans& store, const Epochs& epochs, std::int64_t run, std::int64_t beginNs,
                       std::int64_t endNs) {
  std::int64_t longest = 0;
  const std::vector<EpochRow> rows = epochs.epochs(run);
  for (const EpochRow& epoch : rows) longest = std::max(longest, epoch.wallNs);
  const std::int64_t from = beginNs - kReach * longest, to = endNs + kReach * longest;
  std::set<std::int32_t> complete;
  for (const EpochRow& epoch : rows)
    if (epoch.beginNs >= from && epoch.beginNs + epoch.wallNs < to)
      complete.insert(static_cast<std::int32_t>(epoch.epoch));
  std::vector<SpanBlockInfo> blocks = store.blocks(run);
  std::erase_if(blocks, [&](const SpanBlockInfo& block) {
    return !matters(block.lane) || block.firstNs >= to || block.lastNs < from;
  });
  std::int64_t spans = 0;
  for (const SpanBlockInfo& block : blocks) spans += block.count;
  FoundArrows all;
  all.tooMany = spans > kMostSpans;
  if (all.tooMany) return all;
  Arrows arrows;
  for (const SpanBlockInfo& block : blocks) {
    try {
      for (const Span& span : store.load(block.id)) arrows.add(block.rank, span);
    } catch (const RecordDamaged&) {
      continue;  // said of the block when the timeline read it
    }
  }
  all.arrows = arrows.within(beginNs, endNs, complete);
  return all;
}

}  // namespace halo
