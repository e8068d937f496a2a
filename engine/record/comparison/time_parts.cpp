#include "engine/record/comparison/time_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/record/analysis/breakdown.h"
#include "engine/record/comparison/scope.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/spans.h"
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

void add(EpochParts& epoch, const Breakdown& rank) {
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

/// Adds one rank to every epoch. `spans`: that rank's, by begin. Cost: linear in spans, where few reach on.
void addRank(const std::vector<Span>& spans, const std::vector<EpochRow>& epochs, RunParts& parts) {
  std::vector<Span> within;
  auto next = spans.begin();
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    const std::int64_t begin = epochs[e].beginNs, end = begin + epochs[e].wallNs;
    std::erase_if(within, [&](const Span& span) { return span.endNs() <= begin; });
    for (; next != spans.end() && next->beginNs < end; ++next)
      if (next->endNs() > begin && !liesBetweenEpochs(*next)) within.push_back(*next);
    add(parts.epochs[e], breakdown(within, begin, end));
  }
}

/// Whether something begins in every epoch. `spans`: one rank's, by begin.
bool cover(const std::vector<Span>& spans, const std::vector<EpochRow>& epochs) {
  return std::ranges::all_of(epochs, [&](const EpochRow& epoch) {
    const auto span = std::ranges::lower_bound(spans, epoch.beginNs, {}, &Span::beginNs);
    return span != spans.end() && span->beginNs < epoch.beginNs + epoch.wallNs;
  });
}

RunParts emptyParts(std::int64_t ranks, const std::vector<EpochRow>& epochs) {
  RunParts parts{ranks, {}, false};
  for (const EpochRow& epoch : epochs) parts.epochs.push_back({epoch.wallNs, {}});
  return parts;
}

}  // namespace

std::string_view text(TimePart part) { return kNames[static_cast<std::size_t>(part)]; }

std::optional<RunParts> partsBySpans(Database& database, std::int64_t run, std::int64_t ranks,
                                     const std::vector<EpochRow>& epochs) {
  RunParts parts = emptyParts(ranks, epochs);
  parts.bySpans = true;
  const Spans spans(database);
  try {
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::vector<Span> ofRank = spans.all(run, rank);
      if (!cover(ofRank, epochs)) return std::nullopt;
      addRank(ofRank, epochs, parts);
    }
  } catch (const RecordDamaged&) {
    return std::nullopt;
  }
  return parts;
}

std::optional<RunParts> partsByRows(Database& database, std::int64_t run, std::int64_t ranks,
                                    const std::vector<EpochRow>& epochs) {
  RunParts parts = emptyParts(ranks, epochs);
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t e = 0; e < epochs.size(); ++e) places[epochs[e].epoch] = e;
  std::set<std::size_t> covered;
  for (const LayerRow& row : Epochs(database).layers(run)) {
    const auto place = places.find(row.epoch);
    if (place == places.end()) continue;
    EpochParts& epoch = parts.epochs[place->second];
    covered.insert(place->second);
    at(epoch, TimePart::compute) += row.aggregateNs + row.updateNs + row.activationNs + row.lossNs +
                                    row.optimizerNs + row.sampleNs + row.gatherNs;
    at(epoch, TimePart::quantise) += row.quantiseNs;
    at(epoch, TimePart::unjudged) += row.exchangeWaitNs + row.synchroniseNs;
  }
  if (covered.size() != epochs.size()) return std::nullopt;
  for (EpochParts& epoch : parts.epochs) {
    std::int64_t rest = epoch.wallNs * ranks;
    for (const std::int64_t ns : epoch.ns) rest -= ns;
    at(epoch, TimePart::rest) = rest;
  }
  return parts;
}

}  // namespace halo
