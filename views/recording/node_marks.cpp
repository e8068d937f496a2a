#include "views/recording/node_marks.h"

#include <algorithm>

#include "engine/record/analysis/run_clock.h"
#include "views/recording/decision_text.h"

namespace halo {

std::vector<NodeSign> NodeMarks::signs() const {
  std::vector<NodeSign> signs;
  const auto any = [this](bool kept) {
    return std::ranges::any_of(decisions, [kept](const Decision& each) { return each.kept == kept; });
  };
  if (!batches.empty()) signs.push_back(NodeSign::batch);
  if (mostQueued > 0) signs.push_back(NodeSign::queue);
  if (any(true)) signs.push_back(NodeSign::kept);
  if (any(false)) signs.push_back(NodeSign::undone);
  return signs;
}

NodeMarks nodeMarksOf(const RunData& run, double divisor) {
  NodeMarks marks;
  const BatchRows& rows = run.batches;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> opened;  // by batch
  std::int64_t perEpoch = 1;
  for (const IterationRow& row : rows.iterations) perEpoch = std::max(perEpoch, row.iteration + 1);
  for (const StageRow& row : rows.stages) {
    const std::int64_t begin = dividedNs(row.beginNs, divisor),
                       end = dividedNs(row.beginNs + row.busyNs, divisor);
    marks.batches[run.run.workers + row.actor].push_back(
        {begin, end, row.epoch, row.iteration, row.epoch * perEpoch + row.iteration});
    const auto first = opened.try_emplace({row.epoch, row.iteration}, begin).first;
    first->second = std::min(first->second, begin);
  }
  for (auto& [rank, batches] : marks.batches) std::ranges::sort(batches, {}, &NodeMarks::Batch::beginNs);
  for (QueueLine& line : queuesOver(rows.stages)) {
    for (QueueStep& step : line.steps) {
      step.ns = dividedNs(step.ns, divisor);
      marks.mostQueued = std::max(marks.mostQueued, step.queued);
    }
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
