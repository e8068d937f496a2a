#include "engine/record/check/clocks.h"

#include <algorithm>
#include <string>

#include "engine/record/check/places.h"

namespace halo {
namespace {

std::string fromTo(std::int64_t beginNs, std::int64_t endNs) {
  return "from " + std::to_string(beginNs) + " to " + std::to_string(endNs) + " ns";
}

}  // namespace

void Clocks::Stretch::take(const Span& span) {
  beginNs = std::min(beginNs, span.beginNs);
  endNs = std::max(endNs, span.endNs());
}

Clocks::Clocks(const CheckedRun& run, const std::vector<WorkerRow>& workers) : run_(run) {
  for (const WorkerRow& worker : workers) {
    uncertaintyNs_[worker.rank] = worker.clockUncertaintyNs;
    dropped_ = dropped_ || worker.droppedSpans > 0;
  }
}

void Clocks::add(std::int64_t rank, std::span<const Span> spans) {
  for (const Span& span : spans) {
    Extent& extent = extents_[{span.epoch, rank}];
    if (span.lane == Lane::phase && span.name == Name::epoch) extent.epoch.take(span);
    if (span.lane == Lane::link) extent.link.take(span);
    // scores are measured after the epoch
    if (span.lane == Lane::main && span.name != Name::evaluate) extent.main.take(span);
    if (span.lane == Lane::main && span.kind == Kind::synchronise) meet(rank, span);
  }
}

void Clocks::meet(std::int64_t rank, const Span& span) {
  Met& met = met_[rank];
  if (met.epoch != span.epoch) met = {span.epoch, {}};
  const auto uncertainty = uncertaintyNs_.find(rank);
  const std::int64_t off = uncertainty == uncertaintyNs_.end() ? 0 : uncertainty->second;
  Meeting& meeting = meetings_[{span.epoch, span.name, met.times[span.name]++}];
  ++meeting.came;
  if (span.beginNs - off > meeting.lastBeginNs) {
    meeting.lastRank = rank;
    meeting.lastBeginNs = span.beginNs - off;
  }
  if (span.endNs() + off < meeting.firstEndNs) {
    meeting.firstRank = rank;
    meeting.firstEndNs = span.endNs() + off;
  }
}

void Clocks::compare(std::optional<std::int64_t> late, Findings& findings) const {
  compareLanes(late, findings);
  if (!dropped_) compareMeetings(findings);
}

std::map<std::int64_t, std::int64_t> Clocks::begins() const {
  std::int64_t off = 0;
  for (const auto& [rank, ns] : uncertaintyNs_) off = std::max(off, ns);
  std::map<std::int64_t, std::int64_t> begins;
  for (const auto& [place, extent] : extents_)
    if (!extent.epoch.empty()) {
      const auto begin = begins.try_emplace(place.first, INT64_MAX).first;
      begin->second = std::min(begin->second, extent.epoch.beginNs - 2 * off);
    }
  return begins;
}

// A message enters an emulated link when its sender posts it. That is as many epochs before this as the
// message may be on its way, and the sender may have begun that epoch earlier. The message is waited for in
// this.
void Clocks::compareLanes(std::optional<std::int64_t> late, Findings& findings) const {
  const std::map<std::int64_t, std::int64_t> beginOf = begins();
  for (const auto& [place, extent] : extents_) {
    if (extent.epoch.empty()) continue;  // found otherwise
    const auto wrong = [&](const char* lane, const Stretch& is, std::int64_t beginNs) {
      if (is.empty() || (is.beginNs >= beginNs && is.endNs <= extent.epoch.endNs)) return;
      findings.add(std::string("clock of lane ") + lane, run_.row.id, workerAt(place.first, place.second),
                   std::string("its spans of lane ") + lane + " are " + fromTo(is.beginNs, is.endNs) +
                       ", and could be " + fromTo(beginNs, extent.epoch.endNs) +
                       " by those of its epochs (lane phase)");
    };
    wrong("main", extent.main, extent.epoch.beginNs);
    const auto posted = beginOf.find(place.first - late.value_or(0));
    wrong("link", extent.link, late && posted != beginOf.end() ? posted->second : INT64_MIN);
  }
}

void Clocks::compareMeetings(Findings& findings) const {
  const auto workers = static_cast<std::int64_t>(uncertaintyNs_.size());
  for (const auto& [key, meeting] : meetings_) {
    // of an epoch that did not end only the last spans are there
    const auto extent = extents_.find({key.epoch, meeting.lastRank});
    if (extent == extents_.end() || extent->second.epoch.empty()) continue;
    if (meeting.came != workers || meeting.lastBeginNs <= meeting.firstEndNs) continue;
    findings.add("clock of a worker", run_.row.id, workerAt(key.epoch, meeting.lastRank),
                 "it comes to a meeting of all (" + std::string(text(key.name)) + ") at " +
                     std::to_string(meeting.lastBeginNs) + " ns, worker " +
                     std::to_string(meeting.firstRank) + " has left it at " +
                     std::to_string(meeting.firstEndNs) +
                     " ns; nobody leaves before all have come: the times of one of them are shifted");
  }
}

}  // namespace halo
