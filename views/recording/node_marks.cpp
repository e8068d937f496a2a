#include "views/recording/node_marks.h"

#include <algorithm>

#include "views/recording/decision_text.h"

namespace halo {

NodeMarks nodeMarksOf(const RunData& run) {
  NodeMarks marks;
  const BatchRows& rows = run.batches;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> opened;  // by batch
  std::int64_t perEpoch = 1;
  for (const IterationRow& row : rows.iterations) perEpoch = std::max(perEpoch, row.iteration + 1);
  for (const StageRow& row : rows.stages) {
    marks.batches[run.run.workers + row.actor].push_back({row.beginNs, row.beginNs + row.busyNs, row.epoch,
                                                          row.iteration,
                                                          row.epoch * perEpoch + row.iteration});
    const auto first = opened.try_emplace({row.epoch, row.iteration}, row.beginNs).first;
    first->second = std::min(first->second, row.beginNs);
  }
  for (auto& [rank, batches] : marks.batches) std::ranges::sort(batches, {}, &NodeMarks::Batch::beginNs);
  for (QueueLine& line : queuesOver(rows.stages)) {
    for (const QueueStep& step : line.steps) marks.mostQueued = std::max(marks.mostQueued, step.queued);
    marks.queues[run.run.workers + line.actor] = std::move(line.steps);
  }
  for (const MappingChange& change : mappingChanges(rows.decisions)) {
    const DecisionRow& row = change.decision;
    const auto at = opened.find({row.epoch, row.iteration});
    if (row.action == MappingAction::start || row.action == MappingAction::rest || at == opened.end())
      continue;
    marks.decisions.push_back({at->second, row.outcome == DecisionOutcome::kept, decisionText(change)});
  }
  std::ranges::sort(marks.decisions, {}, &NodeMarks::Decision::ns);
  return marks;
}

}  // namespace halo
