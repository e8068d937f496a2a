#include "simulator/cluster/replay/recorded_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/median.h"
#include "engine/base/problem.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kLayers = 1000;  // no model has more
constexpr std::int64_t kRanks = 1 << 20;
constexpr std::int64_t kLongestNs = std::int64_t{1} << 52, kMostBytes = std::int64_t{1} << 52;

/// The row's times of each kind while its thread had a core. What it computed in no span counts as dense.
StepTimes timesOf(const LayerRow& row) {
  StepTimes times{row.aggregateNs, row.updateNs + row.activationNs + row.lossNs + row.optimizerNs,
                  row.gatherNs + row.sampleNs, row.quantiseNs};
  const std::int64_t wall = times.sparse + times.dense + times.pack + times.quantise;
  if (row.cpuNs <= 0) return times;
  if (row.cpuNs >= wall) {
    times.dense += row.cpuNs - wall;
    return times;
  }
  const double share = static_cast<double>(row.cpuNs) / static_cast<double>(wall);
  for (std::int64_t* ns : {&times.sparse, &times.dense, &times.pack, &times.quantise})
    *ns = static_cast<std::int64_t>(static_cast<double>(*ns) * share);
  return times;
}

}  // namespace

std::int64_t medianNs(std::vector<std::int64_t> values) {
  HALO_CHECK(!values.empty());
  return static_cast<std::int64_t>(median(std::move(values)));
}

RecordedTimes recordedTimes(const std::vector<LayerRow>& rows, int ranks, std::int64_t firstEpoch) {
  std::map<std::pair<std::pair<int, Pass>, std::int64_t>, std::array<std::vector<std::int64_t>, 4>> samples;
  for (const LayerRow& row : rows) {
    if (row.epoch < firstEpoch) continue;
    auto& stepSamples = samples[{{static_cast<int>(row.layer), row.pass}, row.rank}];
    const StepTimes times = timesOf(row);
    stepSamples[0].push_back(times.sparse);
    stepSamples[1].push_back(times.dense);
    stepSamples[2].push_back(times.pack);
    stepSamples[3].push_back(times.quantise);
  }
  RecordedTimes times;
  for (auto& [key, stepSamples] : samples) {
    auto& all = times[key.first];
    all.resize(at(ranks));
    all[at(key.second)] = {medianNs(stepSamples[0]), medianNs(stepSamples[1]), medianNs(stepSamples[2]),
                           medianNs(stepSamples[3])};
  }
  return times;
}

void CheckedRows::damaged(const std::string& message) const {
  throw DamagedInput(Problem{.file = database_.file().string(),
                             .key = "run " + std::to_string(run_),
                             .message = message + "; see `haloscope check`"});
}

void CheckedRows::setRanks(std::int64_t ranks) {
  if (ranks < 1 || ranks > kRanks) damaged(fmt::format("{} workers", ranks));
  ranks_ = ranks;
}

void CheckedRows::inside(const char* table, std::int64_t epoch, const char* name, std::int64_t value,
                         std::int64_t least, std::int64_t below) const {
  if (value >= least && value < below) return;
  const std::string place = epoch < 0 ? table : fmt::format("{}, epoch {}", table, epoch);
  damaged(fmt::format("table {}: {} {} of a run with {} workers; {} to {}", place, name, value, ranks_, least,
                      below - 1));
}

void CheckedRows::check(const LayerRow& row) const {
  inside("layer", row.epoch, "rank", row.rank, 0, ranks_);
  inside("layer", row.epoch, "layer", row.layer, -1, kLayers);
  for (const std::int64_t ns :
       {row.aggregateNs, row.updateNs, row.activationNs, row.lossNs, row.optimizerNs, row.sampleNs,
        row.gatherNs, row.exchangeWaitNs, row.synchroniseNs, row.quantiseNs, row.cpuNs})
    inside("layer", row.epoch, "time", ns, 0, kLongestNs);
}

void CheckedRows::check(const MessageRow& row) const {
  inside("message", row.epoch, "layer", row.layer, -1, kLayers);
  inside("message", row.epoch, "source", row.source, 0, ranks_);
  inside("message", row.epoch, "target", row.target, -1, ranks_);
  inside("message", row.epoch, "messages", row.messages, 0, kMostBytes);
  inside("message", row.epoch, "bytes", row.bytes, 0, kMostBytes);
  if (row.target < 0 && row.layer >= 0 && (ranks_ < 2 || row.bytes % (ranks_ - 1) != 0))
    damaged(fmt::format(
        "table message, epoch {}: {} bytes to all others are not as many to each of the {} others", row.epoch,
        row.bytes, ranks_ - 1));
}

void CheckedRows::check(const WorkerRow& row) const {
  inside("worker", -1, "rank", row.rank, 0, ranks_);
  inside("worker", -1, "vertices", row.vertices, 0, kMostBytes);
  inside("worker", -1, "feature bytes", row.featureBytes, 0, kMostBytes);
}

}  // namespace halo::cluster
