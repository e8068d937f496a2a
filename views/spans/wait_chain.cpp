#include "views/spans/wait_chain.h"

#include <algorithm>
#include <tuple>

#include "engine/record/trace/meeting.h"
#include "engine/record/trace/message_numbers.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::int64_t kMostSpans = 2'000'000;  // unpacked within a tenth of a second
constexpr std::int64_t kReach = 2;              // epochs before a wait that its chain may come from
constexpr std::size_t kMostLinks = 24;
constexpr std::int64_t kLeastShare = 50;  // a wait of less than such a part of the lateness is none

bool isWaiting(const Span& span) {
  return span.lane == Lane::main && (span.kind == Kind::communication || span.kind == Kind::synchronise);
}

bool areOfOneMeeting(const Span& span, const Span& other) {
  return isMeeting(other) && other.name == span.name && other.epoch == span.epoch &&
         other.layer == span.layer && other.pass == span.pass;
}

std::int64_t overlap(const Span& span, std::int64_t fromNs, std::int64_t toNs) {
  return std::max<std::int64_t>(0, std::min(span.endNs(), toNs) - std::max(span.beginNs, fromNs));
}

}  // namespace

bool isOfWait(const Span& span) {
  return isWaiting(span) || (span.lane == Lane::wait && isReason(span.name));
}

void ChainSpans::add(std::int64_t rank, const Span& span) {
  if (span.lane == Lane::main) ranks_[rank].main.push_back(span);
  if (span.lane == Lane::wait) ranks_[rank].reasons.push_back(span);
  if (span.lane == Lane::message && span.name == Name::send && span.message != kNoMessage &&
      isSent(span.message))
    sends_[{{rank, span.peer}, numberOfBoth(span.message)}] = span.beginNs;
}

void ChainSpans::sort() {
  for (auto& [rank, spans] : ranks_)
    for (std::vector<Span>* lane : {&spans.main, &spans.reasons})
      std::ranges::stable_sort(*lane, {}, &Span::beginNs);
}

const ChainSpans::Rank* ChainSpans::of(std::int64_t rank) const {
  const auto spans = ranks_.find(rank);
  return spans == ranks_.end() ? nullptr : &spans->second;
}

/// The wait of lane main that goes on at a moment.
const Span* ChainSpans::waitAround(std::int64_t rank, std::int64_t ns) const {
  const Rank* spans = of(rank);
  if (spans == nullptr) return nullptr;
  const auto after = std::ranges::upper_bound(spans->main, ns, {}, &Span::beginNs);
  for (auto span = after; span != spans->main.begin();) {
    --span;
    if (isWaiting(*span) && span->endNs() > ns) return &*span;
    if (after - span > 8) break;  // few spans of a lane reach over others
  }
  return nullptr;
}

/// The last one that the rank came out of while somebody waited for it.
const Span* ChainSpans::waitBefore(const Late& late) const {
  const Rank* spans = of(late.rank);
  if (spans == nullptr) return nullptr;
  const std::int64_t least = (late.untilNs - late.sinceNs) / kLeastShare;
  for (auto span = std::ranges::lower_bound(spans->main, late.untilNs, {}, &Span::beginNs);
       span != spans->main.begin();) {
    --span;
    if (span->endNs() <= late.sinceNs) break;
    if (isWaiting(*span) && span->endNs() <= late.untilNs && span->durationNs > least) return &*span;
  }
  return nullptr;
}

/// With the reason that most of it has.
ChainLink ChainSpans::waitLink(std::int64_t rank, const Span& wait) const {
  ChainLink link{ChainLink::What::wait, rank, isMeeting(wait) ? -1 : wait.peer, wait.beginNs, wait.endNs()};
  link.layer = wait.layer, link.pass = wait.pass,
  link.name = isMeeting(wait) ? Name::waitsBarrierOrSum : Name::waitsUnknown;
  const std::vector<Span>& reasons = of(rank)->reasons;
  std::map<Name, std::int64_t> sums;
  for (auto piece = std::ranges::lower_bound(reasons, wait.beginNs, {}, &Span::beginNs);
       piece != reasons.end() && piece->beginNs < wait.endNs(); ++piece)
    sums[piece->name] += piece->durationNs;
  const auto most = std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second; });
  if (most != sums.end()) link.name = most->first;
  return link;
}

/// What the rank did most in a time.
ChainLink ChainSpans::workLink(std::int64_t rank, std::int64_t fromNs, std::int64_t toNs) const {
  ChainLink link{ChainLink::What::nothing, rank, -1, fromNs, toNs};
  const Rank* spans = of(rank);
  if (spans == nullptr) return link;
  std::map<std::tuple<Name, std::int16_t, Pass>, std::int64_t> sums;
  for (auto span = std::ranges::lower_bound(spans->main, toNs, {}, &Span::beginNs);
       span != spans->main.begin();) {
    --span;
    if (span->endNs() <= fromNs) break;
    if (!isWaiting(*span)) sums[{span->name, span->layer, span->pass}] += overlap(*span, fromNs, toNs);
  }
  const auto most = std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second; });
  if (most == sums.end() || most->second == 0) return link;
  link.what = ChainLink::What::work;
  std::tie(link.name, link.layer, link.pass) = most->first;
  return link;
}

/// Who came last to a meeting, and whom it kept waiting.
std::optional<ChainSpans::Late> ChainSpans::lastToCome(std::int64_t rank, const Span& meeting,
                                                       WaitChain& chain) const {
  Late last{rank, meeting.beginNs, meeting.beginNs};
  for (const auto& [other, spans] : ranks_) {
    if (other == rank) continue;
    for (auto span = std::ranges::lower_bound(spans.main, meeting.endNs(), {}, &Span::beginNs);
         span != spans.main.begin() && std::prev(span)->endNs() >= meeting.beginNs; --span)
      if (areOfOneMeeting(meeting, *std::prev(span))) {
        const std::int64_t came = std::prev(span)->beginNs;
        if (came > last.untilNs) last = {other, came, meeting.beginNs};
        break;
      }
  }
  ChainLink link{ChainLink::What::meeting, last.rank, rank, last.untilNs, meeting.endNs()};
  link.layer = meeting.layer, link.pass = meeting.pass, link.name = meeting.name;
  chain.links.push_back(link);
  return last.rank == rank ? std::nullopt : std::optional(last);
}

/// Adds the wait and the message that ended it. Where its sender was late, that is where the chain goes on.
std::optional<ChainSpans::Late> ChainSpans::follow(std::int64_t rank, const Span& wait,
                                                   WaitChain& chain) const {
  chain.links.push_back(waitLink(rank, wait));
  if (isMeeting(wait)) return lastToCome(rank, wait, chain);
  if (wait.message == kNoMessage || wait.peer < 0) return std::nullopt;
  if (isSent(wait.message)) return Late{wait.peer, wait.endNs(), wait.beginNs};  // who was to receive it
  const auto send = sends_.find({{wait.peer, rank}, numberOfBoth(wait.message)});
  if (send == sends_.end()) return std::nullopt;
  ChainLink way{ChainLink::What::way, wait.peer, rank, send->second, wait.endNs()};
  way.layer = wait.layer, way.pass = wait.pass, way.name = Name::send;
  chain.links.push_back(way);
  if (send->second <= wait.beginNs) return std::nullopt;
  return Late{wait.peer, send->second, wait.beginNs};
}

WaitChain ChainSpans::chainOf(std::int64_t rank, const Span& selected) const {
  WaitChain chain;
  const Span* wait = waitAround(rank, selected.beginNs);
  while (wait != nullptr) {
    if (chain.links.size() >= kMostLinks) {
      chain.cut = true;
      break;
    }
    const std::optional<Late> late = follow(rank, *wait, chain);
    if (!late) break;
    wait = waitBefore(*late);
    const std::int64_t from = wait == nullptr ? late->sinceNs : std::max(late->sinceNs, wait->endNs());
    if (from < late->untilNs) chain.links.push_back(workLink(late->rank, from, late->untilNs));
    rank = late->rank;
  }
  if (chain.links.size() < 2) chain.links.clear();  // nothing is known but the wait itself
  return chain;
}

WaitChain readChain(const Spans& store, const Epochs& epochs, std::int64_t run, std::int64_t rank,
                    const Span& wait) {
  std::int64_t longest = 0;
  for (const EpochRow& epoch : epochs.epochs(run)) longest = std::max(longest, epoch.wallNs);
  const std::int64_t from = wait.beginNs - kReach * longest, to = wait.endNs();
  std::vector<SpanBlockInfo> blocks = store.blocks(run);
  std::erase_if(blocks, [&](const SpanBlockInfo& block) {
    const bool matters = block.lane == Lane::main || block.lane == Lane::wait || block.lane == Lane::message;
    return !matters || block.firstNs > to || block.lastNs < from;
  });
  std::int64_t count = 0;
  for (const SpanBlockInfo& block : blocks) count += block.count;
  WaitChain chain;
  chain.cut = count > kMostSpans;
  if (chain.cut) return chain;
  ChainSpans spans;
  for (const SpanBlockInfo& block : blocks) {
    try {
      for (const Span& span : store.load(block.id)) spans.add(block.rank, span);
    } catch (const RecordDamaged&) {
      continue;  // said of the block when the timeline read it
    }
  }
  spans.sort();
  return spans.chainOf(rank, wait);
}

namespace {

QString rankText(std::int64_t rank) { return QString("rank %1").arg(rank); }

QString wordsOf(std::string_view words) { return QString::fromUtf8(words.data(), std::ssize(words)); }

/// " of layer 1", or nothing.
QString ofLayer(const ChainLink& link) {
  return link.layer < 0 ? QString() : QString(" of layer %1").arg(link.layer);
}

QString doing(const ChainLink& link) {
  static const std::map<Name, const char*> kWords{
      {Name::aggregate, "aggregating"}, {Name::update, "updating"},  {Name::activation, "activating"},
      {Name::sample, "sampling"},       {Name::gather, "gathering"}, {Name::encode, "encoding"},
      {Name::decode, "decoding"},       {Name::load, "loading"},     {Name::evaluate, "evaluating"}};
  const auto words = kWords.find(link.name);
  const QString work = words == kWords.end() ? "at “" + wordsOf(text(link.name)) + "”" : words->second;
  return link.layer < 0 ? work : work + QString(" layer %1").arg(link.layer);
}

QString waitText(const ChainLink& link) {
  const QString time = formatNs(link.endNs - link.beginNs, 3);
  const QString reason = link.name == Name::waitsUnknown ? QString() : ": " + wordsOf(causeText(link.name));
  if (link.name == Name::waitsBarrierOrSum) return QString("waited %1 for all ranks").arg(time);
  if (link.peer < 0) return "waited " + time + reason;
  return QString("waited %1 for %2's message%3%4").arg(time, rankText(link.peer), ofLayer(link), reason);
}

}  // namespace

std::vector<std::pair<QString, QString>> chainText(const WaitChain& chain) {
  std::vector<std::pair<QString, QString>> lines;
  const char* before = "";  // what came after, seen from the wait
  for (const ChainLink& link : chain.links) {
    const QString time = formatNs(link.endNs - link.beginNs, 3);
    switch (link.what) {
      case ChainLink::What::wait:
        lines.emplace_back(rankText(link.rank), (lines.empty() ? "" : "before that ") + waitText(link));
        before = "";
        break;
      case ChainLink::What::way:
        lines.emplace_back(QString("%1 → %2").arg(link.rank).arg(link.peer),
                           QString("that message was under way for %1").arg(time));
        before = " before it sent that";
        break;
      case ChainLink::What::meeting:
        lines.emplace_back(rankText(link.rank),
                           QString("came last; then “%1” took %2").arg(wordsOf(text(link.name)), time));
        before = " before it came";
        break;
      case ChainLink::What::work:
        lines.emplace_back(rankText(link.rank), QString("was %1 for %2%3").arg(doing(link), time, before));
        break;
      case ChainLink::What::nothing:
        lines.emplace_back(rankText(link.rank), QString("recorded nothing for %1%2").arg(time, before));
        break;
    }
  }
  if (chain.cut)
    lines.emplace_back("…", chain.links.empty() ? "too many spans lie there to follow it" : "it goes on");
  return lines;
}

std::vector<MessageArrow> arrowsOf(const WaitChain& chain) {
  std::vector<MessageArrow> arrows;
  for (const ChainLink& link : chain.links) {
    if (link.what != ChainLink::What::way && link.what != ChainLink::What::meeting) continue;
    if (link.rank == link.peer) continue;
    MessageArrow arrow;
    arrow.sentNs = link.beginNs;
    arrow.arrivedNs = arrow.usedNs = link.endNs;
    arrow.sender = link.rank, arrow.receiver = link.peer;
    arrow.layer = link.layer, arrow.pass = link.pass;
    if (link.what == ChainLink::What::meeting) arrow.meeting = link.name;
    arrow.block = chain.block;
    arrows.push_back(arrow);
  }
  return arrows;
}

}  // namespace halo
