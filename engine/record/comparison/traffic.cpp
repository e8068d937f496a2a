#include "engine/record/comparison/traffic.h"

#include <algorithm>
#include <set>

namespace halo {
namespace {

TrafficSum operator/(const TrafficSum& sum, double by) {
  return {sum.bytes / by, sum.messages / by, sum.predictedBytes / by};
}

}  // namespace

TrafficSum& TrafficSum::operator+=(const TrafficSum& other) {
  bytes += other.bytes;
  messages += other.messages;
  predictedBytes += other.predictedBytes;
  return *this;
}

RunTraffic trafficOf(std::int64_t ranks, const std::vector<EpochRow>& inScope,
                     std::span<const MessageRow> messages, std::span<const LayerRow> layers) {
  std::set<std::int64_t> epochs;
  for (const EpochRow& epoch : inScope) epochs.insert(epoch.epoch);
  RunTraffic traffic;
  traffic.ranks = ranks;
  traffic.epochs = static_cast<std::int64_t>(epochs.size());
  const auto sumOf = [](std::int64_t bytes, std::int64_t count, std::int64_t predicted) {
    return TrafficSum{static_cast<double>(bytes), static_cast<double>(count), static_cast<double>(predicted)};
  };
  for (const MessageRow& row : messages)
    if (epochs.contains(row.epoch))
      traffic.sums[{row.layer, row.pass, row.source, row.target}] +=
          sumOf(row.bytes, row.messages, row.predictedBytes);
  for (const LayerRow& row : layers)
    if (epochs.contains(row.epoch)) traffic.counted += sumOf(row.bytesSent, row.messages, row.predictedBytes);
  return traffic;
}

Traffic meanTraffic(std::span<const RunTraffic> runs) {
  Traffic mean;
  for (const RunTraffic& run : runs) {
    if (run.epochs == 0) continue;
    const auto epochs = static_cast<double>(run.epochs);
    mean.ranks = std::max(mean.ranks, run.ranks);
    mean.counted += run.counted / epochs;
    for (const auto& [place, sum] : run.sums) mean.places[place] += sum / epochs;
  }
  const auto count = static_cast<double>(runs.size());  // last, so that what is alike in all runs stays so
  mean.counted = mean.counted / count;
  for (auto& [place, sum] : mean.places) sum = sum / count;
  return mean;
}

TrafficSum totalOf(const Traffic& traffic) {
  TrafficSum total;
  for (const auto& [place, sum] : traffic.places) total += sum;
  return total;
}

std::map<std::pair<std::int64_t, Pass>, TrafficSum> byLayer(const Traffic& traffic) {
  std::map<std::pair<std::int64_t, Pass>, TrafficSum> sums;
  for (const auto& [place, sum] : traffic.places) sums[{place.layer, place.pass}] += sum;
  return sums;
}

std::vector<double> matrixOf(const Traffic& traffic) {
  const std::int64_t columns = traffic.ranks + 1;
  std::vector<double> cells(static_cast<std::size_t>(traffic.ranks * columns));
  for (const auto& [place, sum] : traffic.places) {
    if (place.source < 0 || place.source >= traffic.ranks || place.target >= traffic.ranks) continue;
    const std::int64_t column = place.target < 0 ? traffic.ranks : place.target;
    cells[static_cast<std::size_t>(place.source * columns + column)] += sum.bytes;
  }
  return cells;
}

}  // namespace halo
