#include "views/run_data.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "engine/base/problem.h"
#include "engine/record/epochs.h"
#include "engine/record/runs.h"
#include "engine/record/spans.h"

namespace halo {

namespace {

std::vector<MessageRow> summed(const std::vector<MessageRow>& rows) {
  std::map<std::tuple<std::int64_t, Pass, std::int64_t, std::int64_t>, MessageRow> sums;
  for (const MessageRow& row : rows) {
    MessageRow& sum = sums[{row.layer, row.pass, row.source, row.target}];
    sum.epoch = -1;
    sum.layer = row.layer;
    sum.pass = row.pass;
    sum.source = row.source;
    sum.target = row.target;
    sum.messages += row.messages;
    sum.bytes += row.bytes;
    sum.predictedBytes += row.predictedBytes;
  }
  std::vector<MessageRow> result;
  for (const auto& [key, sum] : sums) result.push_back(sum);
  return result;
}

TimeRange extentOf(const std::vector<SpanBlockInfo>& blocks) {
  TimeRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const SpanBlockInfo& block : blocks) {
    range.beginNs = std::min(range.beginNs, block.firstNs);
    range.endNs = std::max(range.endNs, block.lastNs);
  }
  return blocks.empty() ? TimeRange{} : range;
}

}  // namespace

RunsData readRuns(Database& database) {
  Runs table(database);
  RunsData data{table.all(), table.latestOfAll(), {}};
  for (const RunRow& run : data.runs)
    if (!data.experiments.contains(run.experimentId)) {
      ExperimentRow row = table.experiment(run.experimentId);
      row.text.clear();
      data.experiments.emplace(run.experimentId, std::move(row));
    }
  return data;
}

RunData readRun(Database& database, std::int64_t run) {
  Runs runs(database);
  const auto row = runs.find(run);
  if (!row)
    throw DamagedInput(
        Problem{database.file().string(), 0, 0, "run",
                "there is no run " + std::to_string(run) + "; `haloscope list` names those there are"});
  RunData data;
  data.run = *row;
  data.experimentText = runs.experiment(row->experimentId).text;
  data.parameters = runs.parameters(run);
  data.latest = runs.latest(run);
  data.workers = runs.workers(run);
  Epochs epochs(database);
  data.epochs = epochs.epochs(run);
  data.messages = summed(epochs.messages(run));
  data.spans = Spans(database).count(run);
  if (const auto log = runs.artifact(run, "log")) data.log = log->bytes;
  return data;
}

BreakdownData readBreakdown(Database& database, std::int64_t run, std::int64_t ranks, TimeRange range) {
  const Spans spans(database);
  const auto blocks = spans.blocks(run);
  if (range.empty()) range = extentOf(blocks);
  BreakdownData data{range, {}, !blocks.empty() && !range.empty()};
  if (!data.measured) return data;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    std::vector<Span> within;
    for (const SpanBlockInfo& block : blocks)
      if (block.rank == rank && block.firstNs < range.endNs && block.lastNs > range.beginNs) {
        const std::vector<Span> loaded = spans.load(block.id);
        within.insert(within.end(), loaded.begin(), loaded.end());
      }
    data.ranks.push_back(breakdown(within, range.beginNs, range.endNs));
  }
  return data;
}

double secondsAt(const RunData& data, std::size_t i) {
  const EpochRow& row = data.epochs[i];
  return static_cast<double>(row.beginNs + row.wallNs - data.epochs.front().beginNs) * 1e-9;
}

std::int64_t medianEpochNs(const RunData& data) {
  std::vector<std::int64_t> times;
  for (const EpochRow& row : data.epochs)
    if (row.epoch > 0 || data.epochs.size() == 1) times.push_back(row.wallNs);
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace halo
