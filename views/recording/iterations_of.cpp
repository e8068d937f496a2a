#include "views/recording/iterations_of.h"

#include <algorithm>

#include "views/recording/nothing_recorded.h"

namespace halo {

QString noBatches(const RunRow& run) {
  return run.kind == "training"
             ? nothingOf(run, "No iteration has been recorded yet.",
                         "This run is %1, and recorded no iterations: it does not train in mini-batches, or "
                         "record.iterations is none.")
             : QString("A simulation records no iterations.");
}

double iterationsPerEpoch(const RunData& data) {
  double most = 1;
  for (const IterationRow& row : data.batches.iterations)
    most = std::max(most, static_cast<double>(row.iteration + 1));
  const auto recorded = data.latest.find("iterations_per_epoch");
  return recorded == data.latest.end() ? most : std::max(most, recorded->second);
}

std::optional<IterationRange> iterationsIn(const RunData& data, TimeRange time) {
  const double perEpoch = iterationsPerEpoch(data);
  std::optional<IterationRange> range;
  for (const IterationRow& row : data.batches.iterations) {
    if (row.beginNs >= time.endNs || row.beginNs + row.wallNs <= time.beginNs) continue;
    const double place = placeOf(row, perEpoch);
    range = range ? IterationRange{std::min(range->first, place), std::max(range->last, place)}
                  : IterationRange{place, place};
  }
  return range;
}

TimeRange timeOf(const RunData& data, const IterationRange& range) {
  const double perEpoch = iterationsPerEpoch(data);
  std::optional<TimeRange> time;
  for (const IterationRow& row : data.batches.iterations) {
    const double place = placeOf(row, perEpoch);
    if (place < range.first || place > range.last) continue;
    const TimeRange own{row.beginNs, row.beginNs + row.wallNs};
    time = time ? TimeRange{std::min(time->beginNs, own.beginNs), std::max(time->endNs, own.endNs)} : own;
  }
  return time.value_or(TimeRange{});
}

}  // namespace halo
