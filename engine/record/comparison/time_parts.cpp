#include "engine/record/comparison/time_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/record/analysis/breakdown.h"
#include "engine/record/comparison/scope.h"
#include "engine/record/tables/waiting.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, kTimeParts> kNames = {
    "compute",         "quantise",     "wait: late sender",   "wait: late receiver",
    "wait: wire",      "wait: queue",  "wait: peer computes", "wait: barrier or sum",
    "wait: quantiser", "wait: memory", "wait: unknown",       "wait: no reason recorded",
    "other",           "idle",         "other and idle"};

std::int64_t& at(EpochParts& epoch, TimePart part) { return epoch.ns[static_cast<std::size_t>(part)]; }

TimePart partOf(Name reason) {
  return static_cast<TimePart>(static_cast<std::size_t>(TimePart::lateSender) + reasonIndex(reason));
}
static_assert(static_cast<int>(TimePart::unknown) - static_cast<int>(TimePart::lateSender) + 1 == kReasons);

void addBreakdown(EpochParts& epoch, const Breakdown& rank) {
  at(epoch, TimePart::compute) += rank.computeNs;
  at(epoch, TimePart::quantise) += rank.quantiseNs;
  at(epoch, TimePart::other) += rank.otherNs;
  at(epoch, TimePart::idle) += rank.idleNs;
  std::int64_t unjudged = rank.waitNs();
  for (const auto& [reason, ns] : rank.reasonNs) {
    at(epoch, partOf(reason)) += ns;
    unjudged -= ns;
  }
  at(epoch, TimePart::unjudged) += unjudged;
}

/// Whether something begins in every epoch.
bool cover(std::span<const Span> spans, const std::vector<EpochRow>& epochs) {
  return std::ranges::all_of(epochs, [&](const EpochRow& epoch) {
    const auto span = std::ranges::lower_bound(spans, epoch.beginNs, {}, &Span::beginNs);
    return span != spans.end() && span->beginNs < epoch.beginNs + epoch.wallNs;
  });
}

void addRow(EpochParts& epoch, const LayerRow& row) {
  at(epoch, TimePart::compute) += row.aggregateNs + row.updateNs + row.activationNs + row.lossNs +
                                  row.optimizerNs + row.sampleNs + row.gatherNs;
  at(epoch, TimePart::quantise) += row.quantiseNs;
  at(epoch, TimePart::unjudged) += row.exchangeWaitNs + row.synchroniseNs;
}

/// What the parts leave of `ranks` times the epoch.
void addRest(EpochParts& epoch, std::int64_t ranks) {
  std::int64_t rest = epoch.wallNs * ranks;
  for (const std::int64_t ns : epoch.ns) rest -= ns;
  at(epoch, TimePart::rest) = rest;
}

RunParts emptyParts(std::int64_t ranks, const std::vector<EpochRow>& epochs) {
  RunParts parts{ranks, {}, false};
  for (const EpochRow& epoch : epochs) parts.epochs.push_back({epoch.wallNs, {}});
  return parts;
}

}  // namespace

std::string_view text(TimePart part) { return kNames[static_cast<std::size_t>(part)]; }

PartsBySpans::PartsBySpans(std::int64_t ranks, const std::vector<EpochRow>& epochs)
    : epochs_(epochs), parts_(emptyParts(ranks, epochs)) {
  parts_.bySpans = true;
}

void PartsBySpans::addRank(std::span<const Span> main, std::span<const Span> wait) {
  ++added_;
  covered_ = covered_ && cover(main, epochs_);
  if (!covered_) return;
  std::vector<Span> within;
  std::array<std::span<const Span>, 2> left = {main, wait};
  for (std::size_t e = 0; e < epochs_.size(); ++e) {
    const std::int64_t begin = epochs_[e].beginNs, end = begin + epochs_[e].wallNs;
    std::erase_if(within, [&](const Span& span) { return span.endNs() <= begin; });
    for (std::span<const Span>& lane : left)
      for (; !lane.empty() && lane.front().beginNs < end; lane = lane.subspan(1))
        if (lane.front().endNs() > begin && !liesBetweenEpochs(lane.front())) within.push_back(lane.front());
    addBreakdown(parts_.epochs[e], breakdown(within, begin, end));
  }
}

void PartsBySpans::add(const PartsBySpans& others) {
  added_ += others.added_;
  covered_ = covered_ && others.covered_;
  for (std::size_t e = 0; e < epochs_.size(); ++e)
    for (std::size_t p = 0; p < kTimeParts; ++p) parts_.epochs[e].ns[p] += others.parts_.epochs[e].ns[p];
}

std::optional<RunParts> PartsBySpans::parts() const {
  return covered_ && added_ == parts_.ranks ? std::optional(parts_) : std::nullopt;
}

std::optional<PartSums> PartsBySpans::sums() const {
  if (!covered_) return std::nullopt;
  PartSums sums{};
  for (const EpochParts& epoch : parts_.epochs)
    for (std::size_t p = 0; p < kTimeParts; ++p) sums[p] += epoch.ns[p];
  return sums;
}

std::optional<RunParts> partsByRows(std::span<const LayerRow> rows, std::int64_t ranks,
                                    const std::vector<EpochRow>& epochs) {
  RunParts parts = emptyParts(ranks, epochs);
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t e = 0; e < epochs.size(); ++e) places[epochs[e].epoch] = e;
  std::set<std::size_t> covered;
  for (const LayerRow& row : rows) {
    const auto place = places.find(row.epoch);
    if (place == places.end()) continue;
    addRow(parts.epochs[place->second], row);
    covered.insert(place->second);
  }
  if (covered.size() != epochs.size()) return std::nullopt;
  for (EpochParts& epoch : parts.epochs) addRest(epoch, ranks);
  return parts;
}

std::vector<PartSums> sumsByRows(std::span<const LayerRow> rows, std::int64_t ranks,
                                 const std::vector<EpochRow>& epochs) {
  std::map<std::int64_t, std::int64_t> walls;
  for (const EpochRow& epoch : epochs) walls[epoch.epoch] = epoch.wallNs;
  std::set<std::int64_t> covered;
  std::vector<EpochParts> ofRanks(static_cast<std::size_t>(ranks));
  for (const LayerRow& row : rows) {
    if (!walls.contains(row.epoch) || row.rank < 0 || row.rank >= ranks) continue;
    covered.insert(row.epoch);
    addRow(ofRanks[static_cast<std::size_t>(row.rank)], row);
  }
  if (covered.size() != walls.size()) return {};
  std::vector<PartSums> sums;
  for (EpochParts& rank : ofRanks) {
    for (const auto& [epoch, wallNs] : walls) rank.wallNs += wallNs;
    addRest(rank, 1);
    sums.push_back(rank.ns);
  }
  return sums;
}

}  // namespace halo
