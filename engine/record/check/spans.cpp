#include "engine/record/tables/spans.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "engine/record/analysis/rest_share.h"
#include "engine/record/check/clocks.h"
#include "engine/record/check/figures.h"
#include "engine/record/check/hidden.h"
#include "engine/record/check/timeline.h"
#include "engine/record/check/waits.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

std::string differs(const SpanBlockInfo& row, const std::vector<Span>& spans) {
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Span& span : spans) {
    if (span.lane != row.lane)
      return "its row says lane " + std::string(text(row.lane)) + ", it holds another";
    first = std::min(first, span.beginNs);
    last = std::max(last, span.endNs());
  }
  if (!spans.empty() && (first != row.firstNs || last != row.lastNs))
    return "its row says first_ns " + std::to_string(row.firstNs) + " and last_ns " +
           std::to_string(row.lastNs) + ", its spans go from " + std::to_string(first) + " to " +
           std::to_string(last);
  return {};
}

/// What the spans of a training run are held against.
struct SpanChecks {
  SpanChecks(Database& database, const CheckedRun& run, const std::vector<WorkerRow>& workers,
             const MethodTraits& traits)
      : timeline(run, workers), clocks(run, workers), waits(run, traits.lateEpochs, workers) {
    if (traits.lateEpochs) hidden.emplace(run, *traits.lateEpochs, Epochs(database).epochs(run.row.id));
    for (const WorkerRow& worker : workers) dropped = dropped || worker.droppedSpans > 0;
  }
  void add(const SpanBlockInfo& row, std::span<const Span> spans, Findings& findings) {
    const std::int64_t rank = row.rank;
    if (row.actor) {
      acts = true;
      return timeline.addOfActor(rank, spans, findings);
    }
    timeline.add(rank, spans, findings);
    clocks.add(rank, spans);
    waits.add(rank, spans);
    if (hidden) hidden->add(rank, spans);
  }

  Timeline timeline;
  Clocks clocks;
  Waits waits;
  std::optional<HiddenShare> hidden;
  bool dropped = false, acts = false;
};

void compareHidden(Database& database, const CheckedRun& run, HiddenShare& hidden, Findings& findings) {
  const Figures latest = Runs(database).latest(run.row.id);
  if (!latest.contains("hidden_share")) return;
  Figures expected = hidden.figures();
  if (!latest.contains(kOtherShare)) expected.erase(kOtherShare);  // of an older version, or of actors
  compareFigures(run.row.id, latest, expected, "its spans", findings);
}

}  // namespace

void checkSpans(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  const Spans store(database);
  std::optional<SpanChecks> checks;
  if (run.trains()) checks.emplace(database, run, Runs(database).workers(run.row.id), traits);
  for (const SpanBlockInfo& row : store.claimedBlocks(run.row.id)) try {
      const std::vector<Span> spans = store.load(row.id);
      if (const std::string fault = differs(row, spans); !fault.empty())
        findings.add("span_block", run.row.id, "row " + std::to_string(row.id) + " of span_block", fault);
      if (checks) checks->add(row, spans, findings);
    } catch (const RecordError& error) {
      findings.addDamage(error, run.row.id);
      checks.reset();  // what is left does not add up
    }
  if (!checks) return;
  checks->timeline.compare(database, traits.lateEpochs, findings);
  checks->clocks.compare(traits.lateEpochs, findings);
  checks->waits.compare(database, checks->acts, findings);
  if (checks->hidden && !checks->dropped) compareHidden(database, run, *checks->hidden, findings);
}

}  // namespace halo
