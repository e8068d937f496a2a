#include "engine/record/analysis/stage_times.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "engine/base/index.h"
#include "engine/record/analysis/median.h"

namespace halo {
namespace {

/// The later of two, where at least one is known.
void keepLongest(std::optional<std::int64_t>& longest, const std::optional<std::int64_t>& ns) {
  if (ns) longest = std::max(longest.value_or(*ns), *ns);
}

void add(std::vector<StageTime>& batches, const StageRow& row) {
  if (batches.empty() || batches.back().epoch != row.epoch || batches.back().iteration != row.iteration)
    batches.push_back({row.epoch, row.iteration, {}, {}, 0, 0});
  StageTime& batch = batches.back();
  keepLongest(batch.predictedNs, row.predictedNs);
  keepLongest(batch.plannedNs, row.plannedNs);
  batch.measuredNs = std::max(batch.measuredNs, row.modelledNs.value_or(row.busyNs));
  batch.waitNs += row.waitNs;
}

void setMedians(StageSeries& series) {
  Median predicted, planned, measured;
  for (const StageTime& batch : series.batches) {
    if (batch.predictedNs) predicted.add(static_cast<double>(*batch.predictedNs));
    if (batch.plannedNs) planned.add(static_cast<double>(*batch.plannedNs));
    measured.add(static_cast<double>(batch.measuredNs));
  }
  if (!predicted.empty()) series.predictedNs = predicted.value();
  if (!planned.empty()) series.plannedNs = planned.value();
  series.measuredNs = measured.value();
}

template <class Keep>
std::vector<StageSeries> seriesOf(std::span<const StageRow> rows, Keep keep) {
  std::array<StageSeries, kBatchStages> stages;
  for (const StageRow& row : rows)
    if (keep(row)) add(stages[at(row.stage)].batches, row);
  std::vector<StageSeries> all;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].batches.empty()) continue;
    stages[i].stage = static_cast<BatchStage>(i);
    setMedians(stages[i]);
    all.push_back(std::move(stages[i]));
  }
  return all;
}

}  // namespace

std::vector<StageSeries> stagesOver(std::span<const StageRow> rows) {
  return seriesOf(rows, [](const StageRow&) { return true; });
}

std::vector<StageSeries> stagesOver(std::span<const StageRow> rows, std::int64_t actor) {
  return seriesOf(rows, [actor](const StageRow& row) { return row.actor == actor; });
}

std::vector<QueueLine> queuesOver(std::span<const StageRow> rows) {
  std::map<std::pair<BatchStage, std::int64_t>, std::vector<QueueStep>> lines;
  for (const StageRow& row : rows) lines[{row.stage, row.actor}].push_back({row.beginNs, row.queued});
  std::vector<QueueLine> all;
  for (auto& [key, steps] : lines) {
    std::ranges::stable_sort(steps, {}, &QueueStep::ns);
    const auto rest = std::ranges::unique(steps, {}, &QueueStep::queued);
    steps.erase(rest.begin(), rest.end());
    all.push_back({key.first, key.second, std::move(steps)});
  }
  return all;
}

}  // namespace halo
