#include "engine/record/spans.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "engine/record/check/checks.h"
#include "engine/record/check/timeline.h"
#include "engine/record/runs.h"

namespace halo {
namespace {

std::string differs(const SpanBlockInfo& row, const std::vector<Span>& spans) {
  if (static_cast<std::int64_t>(spans.size()) != row.count)
    return "its row says " + std::to_string(row.count) + " spans, it holds " + std::to_string(spans.size());
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

}  // namespace

void checkSpans(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  const Spans store(database);
  std::optional<Timeline> timeline;
  if (run.trains()) timeline.emplace(run, Runs(database).workers(run.row.id));
  for (const SpanBlockInfo& row : store.blocks(run.row.id)) try {
      const std::vector<Span> spans = store.load(row.id);
      if (const std::string said = differs(row, spans); !said.empty())
        findings.add("span_block", run.row.id, "row " + std::to_string(row.id) + " of span_block", said);
      if (timeline) timeline->add(row.rank, spans, findings);
    } catch (const RecordError& error) {
      findings.addDamage("run " + std::to_string(run.row.id) + ": " + error.what());
      timeline.reset();  // what is left does not add up
    }
  if (timeline) timeline->compare(database, traits.lateEpochs, findings);
}

}  // namespace halo
