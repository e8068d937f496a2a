#include "engine/record/analysis/wait_reasons.h"

#include <algorithm>
#include <utility>

#include "engine/record/trace/meeting.h"
#include "engine/record/trace/message_numbers.h"

namespace halo {
namespace {

bool isWait(const Span& span) {
  return span.lane == Lane::main && (span.kind == Kind::communication || span.kind == Kind::synchronise);
}

bool isWork(const Span& span) {
  return span.lane == Lane::main && (span.kind == Kind::compute || span.kind == Kind::quantise);
}

}  // namespace

WaitReasons::WaitReasons(std::int64_t late, bool emulated, std::span<const WorkerRow> workers)
    : late_(late), emulated_(emulated) {
  for (const WorkerRow& worker : workers) uncertaintyNs_[worker.rank] = worker.clockUncertaintyNs;
}

void WaitReasons::add(std::int64_t rank, std::span<const Span> spans) {
  std::vector<Work>& work = work_[rank];
  const std::size_t before = work.size();
  for (const Span& span : spans) {
    const Stretch time{span.beginNs, span.endNs()};
    if (isWait(span)) epochs_[span.epoch].waits.push_back({rank, span});
    if (isWork(span)) work.push_back({time, span.kind});
    if (span.message != kNoMessage && span.peer >= 0 && span.lane != Lane::main) noteMessage(rank, span);
    if (span.lane == Lane::phase && span.name == Name::epoch && uncertaintyNs_.contains(rank)) {
      Epoch& epoch = epochs_[span.epoch];
      epoch.came.insert(rank);
      epoch.firstEndNs = std::min(epoch.firstEndNs, time.endNs);
      if (epoch.came.size() == uncertaintyNs_.size()) newest_ = std::max<std::int64_t>(newest_, span.epoch);
    }
  }
  const auto begin = [](const Work& piece) { return piece.time.beginNs; };
  const auto from = work.begin() + static_cast<std::ptrdiff_t>(before);
  std::ranges::sort(from, work.end(), {}, begin);
  std::ranges::inplace_merge(work.begin(), from, work.end(), {}, begin);
}

void WaitReasons::noteMessage(std::int64_t rank, const Span& span) {
  const bool sent = isSent(span.message);
  const MessageKey key = sent ? MessageKey{rank, span.peer, numberOfBoth(span.message)}
                              : MessageKey{span.peer, rank, numberOfBoth(span.message)};
  Message& message = messages_[key];
  message.epoch = std::max<std::int64_t>(message.epoch, span.epoch);
  message.meeting = meetings_;
  const Stretch time{span.beginNs, span.endNs()};
  switch (span.name) {
    case Name::send:
      message.sent = true;
      message.sentNs = span.beginNs;
      return;
    case Name::receive:
      message.received = true;
      message.way = time;
      return;
    case Name::queued:
      (sent ? message.queuedOut : message.queuedIn) = time;
      return;
    case Name::copied:
      (sent ? message.copiedOut : message.copiedIn) = time;
      return;
    default:
      return;
  }
}

std::optional<Kind> WaitReasons::peersWorkAt(const Case& situation, std::int64_t ns) const {
  const auto after = std::ranges::upper_bound(*situation.peersWork, ns, {},
                                              [](const Work& work) { return work.time.beginNs; });
  if (after == situation.peersWork->begin() || !std::prev(after)->time.holds(ns)) return std::nullopt;
  return std::prev(after)->kind;
}

Name WaitReasons::senderDoes(const Case& situation, std::int64_t ns) const {
  const std::optional<Kind> work = peersWorkAt(situation, ns);
  if (!work) return Name::waitsLateSender;
  return *work == Kind::compute ? Name::waitsPeerComputes : Name::waitsQuantiser;
}

/// The wait for what MPI does beneath an emulated link: it moves bytes only while both ranks are inside it.
Name WaitReasons::beneathLink(const Case& situation, std::int64_t ns) const {
  if (!peersWorkAt(situation, ns)) return Name::waitsUnknown;
  return situation.received ? senderDoes(situation, ns) : Name::waitsLateReceiver;
}

Name WaitReasons::reasonAt(const Case& situation, std::int64_t ns) const {
  const Message& message = *situation.message;
  if (!message.sent || !message.received) return Name::waitsUnknown;
  const bool delivered = ns >= message.way.endNs;
  // an emulated link keeps no sender waiting, and no receiver once it has delivered
  if (emulated_ && (delivered || !situation.received)) return beneathLink(situation, ns);
  if (delivered) return Name::waitsUnknown;
  if (!situation.received) {
    if (ns < message.way.beginNs) return Name::waitsLateReceiver;
    return message.queuedOut.holds(ns) ? Name::waitsQueue : Name::waitsWire;
  }
  if (ns < message.sentNs) return senderDoes(situation, ns);
  if (message.copiedOut.holds(ns) || message.copiedIn.holds(ns)) return Name::waitsMemory;
  if (message.queuedOut.holds(ns) || message.queuedIn.holds(ns)) return Name::waitsQueue;
  return emulated_ && ns < message.way.beginNs ? Name::waitsQueue : Name::waitsWire;
}

/// Where the reason may change, in order, the wait's ends among them.
std::vector<std::int64_t> WaitReasons::borders(const Case& situation, Stretch wait) const {
  const Message& message = *situation.message;
  std::vector<std::int64_t> at = {wait.beginNs, wait.endNs, message.sentNs};
  const auto add = [&](Stretch time) { at.insert(at.end(), {time.beginNs, time.endNs}); };
  for (const Stretch time :
       {message.way, message.queuedOut, message.copiedOut, message.queuedIn, message.copiedIn})
    add(time);
  if (situation.received || emulated_) {
    auto work = std::ranges::lower_bound(*situation.peersWork, wait.beginNs, {},
                                         [](const Work& piece) { return piece.time.beginNs; });
    if (work != situation.peersWork->begin()) --work;
    for (; work != situation.peersWork->end() && work->time.beginNs < wait.endNs; ++work) add(work->time);
  }
  std::erase_if(at, [&](std::int64_t ns) { return ns < wait.beginNs || ns > wait.endNs; });
  std::ranges::sort(at);
  at.erase(std::ranges::unique(at).begin(), at.end());
  return at;
}

/// A change shortly before or after the wait makes its ends unsure, too.
std::vector<WaitReasons::Piece> WaitReasons::piecesOf(const Case& situation, Stretch wait) const {
  const std::int64_t off = uncertaintyNs_.at(situation.rank) + uncertaintyNs_.at(situation.peer);
  std::vector<Piece> pieces;
  const std::vector<std::int64_t> at = borders(situation, {wait.beginNs - off, wait.endNs + off});
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const Name reason = reasonAt(situation, at[i]);
    if (!pieces.empty() && pieces.back().reason == reason)
      pieces.back().time.endNs = at[i + 1];
    else
      pieces.push_back({{at[i], at[i + 1]}, reason});
  }
  pieces = blurred(situation, std::move(pieces));
  for (auto& [time, reason] : pieces)
    time = {std::max(time.beginNs, wait.beginNs), std::min(time.endNs, wait.endNs)};
  std::erase_if(pieces, [](const Piece& piece) { return piece.time.endNs <= piece.time.beginNs; });
  return pieces;
}

/// Near a change that the other rank's clock tells, the reason is not known.
std::vector<WaitReasons::Piece> WaitReasons::blurred(const Case& situation, std::vector<Piece> pieces) const {
  const std::int64_t off = uncertaintyNs_.at(situation.rank) + uncertaintyNs_.at(situation.peer);
  if (off == 0) return pieces;
  const Message& message = *situation.message;
  const auto own = [&](std::int64_t ns) {
    const auto bounds = [&](Stretch time) {  // one that did not occur bounds nothing
      return time.beginNs < time.endNs && (ns == time.beginNs || ns == time.endNs);
    };
    return situation.received &&
           (ns == message.way.endNs || bounds(message.queuedIn) || bounds(message.copiedIn));
  };
  std::vector<Stretch> unsure;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
    if (const std::int64_t at = pieces[i].time.endNs; !own(at)) unsure.push_back({at - off, at + off});
  std::vector<Piece> sharp;
  const auto add = [&](std::int64_t beginNs, std::int64_t endNs, Name reason) {
    if (endNs <= beginNs) return;
    if (!sharp.empty() && sharp.back().reason == reason)
      sharp.back().time.endNs = endNs;
    else
      sharp.push_back({{beginNs, endNs}, reason});
  };
  std::size_t first = 0;
  for (const auto& [time, reason] : pieces) {
    std::int64_t at = time.beginNs;
    while (first < unsure.size() && unsure[first].endNs <= at) ++first;
    for (std::size_t i = first; i < unsure.size() && unsure[i].beginNs < time.endNs; ++i) {
      const std::int64_t from = std::max(unsure[i].beginNs, at), to = std::min(unsure[i].endNs, time.endNs);
      add(at, from, reason);
      add(from, to, Name::waitsUnknown);
      at = std::max(at, to);
    }
    add(at, time.endNs, reason);
  }
  return sharp;
}

/// That ended the wait; nullptr: it is not known.
const WaitReasons::Message* WaitReasons::messageOf(const Wait& wait) const {
  const Span& span = wait.span;
  const bool known = uncertaintyNs_.contains(wait.rank) && uncertaintyNs_.contains(span.peer);
  if (isMeeting(span) || span.message == kNoMessage || !known) return nullptr;
  const std::int64_t number = numberOfBoth(span.message);
  const auto message = messages_.find(isSent(span.message) ? MessageKey{wait.rank, span.peer, number}
                                                           : MessageKey{span.peer, wait.rank, number});
  return message == messages_.end() ? nullptr : &message->second;
}

/// Whether nothing more will be known of it.
bool WaitReasons::isTold(const Wait& wait) const {
  if (isMeeting(wait.span) || wait.span.message == kNoMessage) return true;
  const Message* message = messageOf(wait);
  return message != nullptr && message->sent && message->received;
}

std::vector<Span> WaitReasons::pieces(const Wait& wait) const {
  static const std::vector<Work> nothing;
  Span piece = wait.span;
  piece.lane = Lane::wait;
  piece.kind = Kind::idle;
  piece.name = Name::waitsUnknown;
  if (isMeeting(wait.span)) piece.name = Name::waitsBarrierOrSum;
  if (wait.span.name == Name::copied) piece.name = Name::waitsMemory;
  const Message* message = messageOf(wait);
  if (message == nullptr) return {piece};
  const auto peers = work_.find(piece.peer);
  const Case situation{wait.rank, piece.peer, !isSent(piece.message), message,
                       peers == work_.end() ? &nothing : &peers->second};
  std::vector<Span> cut;
  for (const Piece& part : piecesOf(situation, {piece.beginNs, piece.endNs()})) {
    piece.beginNs = part.time.beginNs;
    piece.durationNs = part.time.endNs - part.time.beginNs;
    piece.name = part.reason;
    cut.push_back(piece);
  }
  return cut;
}

std::vector<WaitReasons::Judged> WaitReasons::judge(std::int64_t epoch) {
  std::map<std::int64_t, Judged> byRank;
  for (const Wait& wait : epochs_[epoch].waits) {
    if (wait.span.durationNs <= 0) continue;
    Judged& judged = byRank.try_emplace(wait.rank, Judged{epoch, wait.rank, {}}).first->second;
    const std::vector<Span> cut = pieces(wait);
    judged.pieces.insert(judged.pieces.end(), cut.begin(), cut.end());
  }
  std::vector<Judged> all;
  for (auto& [rank, judged] : byRank) {
    std::ranges::stable_sort(judged.pieces, {}, &Span::beginNs);
    all.push_back(std::move(judged));
  }
  return all;
}

void WaitReasons::forget(std::int64_t upTo, std::int64_t beforeNs) {
  std::erase_if(messages_, [&](const auto& message) { return message.second.epoch + late_ <= upTo; });
  for (auto& [rank, work] : work_)
    std::erase_if(work, [&](const Work& kernel) { return kernel.time.endNs <= beforeNs; });
}

std::vector<WaitReasons::Judged> WaitReasons::take() {
  std::vector<Judged> all;
  std::int64_t upTo = -1, endedNs = INT64_MIN;
  while (!epochs_.empty() && epochs_.begin()->first + late_ <= newest_) {
    upTo = epochs_.begin()->first;
    endedNs = epochs_.begin()->second.firstEndNs;
    for (Judged& judged : judge(upTo)) all.push_back(std::move(judged));
    epochs_.erase(epochs_.begin());
  }
  if (upTo >= 0) {
    judgedTo_ = upTo;
    forget(upTo, endedNs);
  }
  return all;
}

std::vector<WaitReasons::Judged> WaitReasons::takeMet() {
  std::vector<Judged> all;
  std::int64_t waitedSinceNs = INT64_MAX;
  for (auto& [number, epoch] : epochs_) {
    const auto untold = std::stable_partition(epoch.waits.begin(), epoch.waits.end(),
                                              [&](const Wait& wait) { return isTold(wait); });
    std::vector<Wait> rest(untold, epoch.waits.end());
    epoch.waits.erase(untold, epoch.waits.end());
    for (Judged& judged : judge(number)) all.push_back(std::move(judged));
    epoch.waits = std::move(rest);
    for (const Wait& wait : epoch.waits) waitedSinceNs = std::min(waitedSinceNs, wait.span.beginNs);
  }
  forgetMet(waitedSinceNs);
  return all;
}

/// What came before the meeting before the last: who waits for it now has waited since.
void WaitReasons::forgetMet(std::int64_t waitedSinceNs) {
  std::int64_t off = 0, now = INT64_MAX;
  for (const auto& [rank, ns] : uncertaintyNs_) {
    const auto work = work_.find(rank);
    if (work != work_.end() && !work->second.empty()) now = std::min(now, work->second.back().time.endNs);
    off = std::max(off, 2 * ns);
  }
  ++meetings_;
  if (late_ == 0)
    std::erase_if(messages_, [&](const auto& message) {
      return message.second.sent && message.second.received && message.second.meeting + 2 < meetings_;
    });
  const std::int64_t beforeNs = std::min(metBeforeNs_, waitedSinceNs) - off;
  if (metBeforeNs_ != INT64_MIN && late_ == 0)
    for (auto& [rank, work] : work_)
      std::erase_if(work, [&](const Work& kernel) { return kernel.time.endNs <= beforeNs; });
  metBeforeNs_ = std::exchange(metNs_, now);
}

std::vector<WaitReasons::Judged> WaitReasons::takeRest() {
  std::vector<Judged> all;
  for (; !epochs_.empty(); epochs_.erase(epochs_.begin()))
    for (Judged& judged : judge(epochs_.begin()->first)) all.push_back(std::move(judged));
  return all;
}

}  // namespace halo
