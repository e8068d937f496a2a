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
  for (const MessageRow& row : messages) {
    if (!epochs.contains(row.epoch)) continue;
    const TrafficPlace place{row.layer, row.pass, row.source, row.target};
    const TrafficSum sum = sumOf(row.bytes, row.messages, row.predictedBytes);
    traffic.sums[place] += sum;
    traffic.byEpoch[row.epoch].emplace_back(place, sum);
  }
  for (auto& [epoch, places] : traffic.byEpoch)
    std::ranges::stable_sort(places, {}, &std::pair<TrafficPlace, TrafficSum>::first);
  for (const LayerRow& row : layers) {
    if (!epochs.contains(row.epoch)) continue;
    const TrafficSum sum = sumOf(row.bytesSent, row.messages, row.predictedBytes);
    traffic.counted += sum;
    traffic.counters[{row.epoch, {row.layer, row.pass, -1, -1}}] += sum;
  }
  return traffic;
}

bool isChosen(const TrafficPlace& place, const TrafficChoice& choice) {
  return (!choice.layer || place.layer == *choice.layer) && (!choice.pass || place.pass == *choice.pass);
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
  mean.runs = std::make_shared<const std::vector<RunTraffic>>(runs.begin(), runs.end());
  return mean;
}

Traffic chosenOf(const Traffic& traffic, const TrafficChoice& choice) {
  const bool all = !choice.layer && !choice.pass && !choice.epoch;
  if (all) return traffic;
  std::vector<RunTraffic> runs;
  if (traffic.runs == nullptr) return {};
  for (const RunTraffic& run : *traffic.runs) {
    RunTraffic part;
    part.ranks = run.ranks;
    part.epochs = choice.epoch ? 1 : run.epochs;
    for (const auto& [epoch, places] : run.byEpoch) {
      if (choice.epoch && epoch != *choice.epoch) continue;
      for (const auto& [place, sum] : places)
        if (isChosen(place, choice)) part.sums[place] += sum;
    }
    for (const auto& [key, sum] : run.counters)
      if ((!choice.epoch || key.first == *choice.epoch) && isChosen(key.second, choice)) part.counted += sum;
    const bool there = !choice.epoch || run.byEpoch.contains(*choice.epoch);
    if (there) runs.push_back(std::move(part));
  }
  return runs.empty() ? Traffic{} : meanTraffic(runs);
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
