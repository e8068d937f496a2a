#include "views/spans/span_choice.h"

#include <algorithm>

namespace halo {
namespace {

template <class Value, class Other>
bool fits(const std::optional<Value>& wanted, Other value) {
  return !wanted || *wanted == static_cast<Value>(value);
}

bool isMeant(const SpanChoice& choice, const Span& span) {
  return fits(choice.peer, span.peer) && fits(choice.layer, span.layer) && fits(choice.pass, span.pass) &&
         fits(choice.kind, span.kind);
}

/// Ranks begin and end an epoch at other moments than its row says: its number decides.
std::vector<SpanId> spansOf(const std::vector<RowEntry>& rows, const SpanChoice& choice,
                            const EpochRow& epoch) {
  std::vector<SpanId> chosen;
  const std::int64_t margin = epoch.wallNs;
  for (const RowEntry& entry : rows) {
    if (entry.id.lane != choice.lane || !fits(choice.rank, entry.id.rank)) continue;
    const auto [first, last] =
        entry.row->spans.touching(epoch.beginNs - margin, epoch.beginNs + epoch.wallNs + margin);
    for (std::size_t i = first; i < last && chosen.size() < kMostChosen; ++i)
      if (const Span span = entry.row->spans.at(i); span.epoch == epoch.epoch && isMeant(choice, span))
        chosen.push_back({entry.id, i});
  }
  return chosen;
}

}  // namespace

std::vector<SpanId> chosenSpans(const TimelineModel& model, const SpanChoice& choice, std::int64_t fromNs) {
  const std::vector<RowEntry> rows = model.everyRow();
  const std::vector<EpochRow>& epochs = model.epochs();
  if (choice.epoch) {
    const auto epoch = std::ranges::find(epochs, *choice.epoch, &EpochRow::epoch);
    return epoch == epochs.end() ? std::vector<SpanId>() : spansOf(rows, choice, *epoch);
  }
  const std::size_t from = model.epochAt(fromNs).value_or(0);
  for (std::size_t i = from; i < std::min(epochs.size(), from + kMostEpochs); ++i)
    if (auto chosen = spansOf(rows, choice, epochs[i]); !chosen.empty()) return chosen;
  return {};
}

}  // namespace halo
