// The lanes of every worker as rectangles: exact where they are few, else the kind that fills most of each
// stretch.
#include <algorithm>

#include "views/figure_registry.h"

namespace halo {
namespace {

Figure make(const FigureInput& input, const Values&) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Timeline";
  figure.form = FigureForm::lanes;
  const std::int64_t wall = data.lanes.range.lengthNs();
  const double unit = wall >= 10'000'000'000 ? 1e9 : wall >= 10'000'000 ? 1e6 : 1e3;
  figure.x = {"time", unit == 1e9 ? "s" : unit == 1e6 ? "ms" : "µs", false, {}};
  figure.emptyReason = "This run recorded no spans (record.spans).";
  // engines of a simulated device are named, and have no links
  const bool simulated = data.run.kind == "simulation";
  for (const LaneBox& box : data.lanes.boxes) {
    if (simulated && box.lane == Lane::link) continue;
    const auto lane = static_cast<int>(simulated ? box.rank : 2 * box.rank + (box.lane == Lane::link));
    figure.boxes.push_back({static_cast<double>(box.beginNs - data.lanes.range.beginNs) / unit,
                            static_cast<double>(box.endNs - data.lanes.range.beginNs) / unit, lane, box.kind,
                            false});
  }
  for (std::int64_t rank = 0; rank < data.run.workers; ++rank)
    if (!simulated)
      figure.y.categories << QString("worker %1").arg(rank) << QString("worker %1 link").arg(rank);
    else if (const auto lane = std::ranges::find(data.workers, rank, &WorkerRow::rank);
             lane != data.workers.end())
      figure.y.categories << QString::fromStdString(lane->role);
    else
      figure.y.categories << QString("engine %1").arg(rank);
  if (const auto left = data.lanes.leftOut.size(); left > 0)
    figure.marks << QString("%1 damaged span block%2 left out").arg(left).arg(left == 1 ? "" : "s");
  if (data.lanes.coalesced) figure.marks << "each stretch by its largest kind";
  return figure;
}

void load(Database& database, RunData& data, const FigureRanges& ranges) {
  // a vector figure of more than 20,000 rectangles helps nobody
  const auto rows = std::max<std::int64_t>(1, 2 * data.run.workers);
  const auto columns = std::clamp<std::int64_t>(20'000 / rows, 1, 2000);
  data.lanes = readLanes(database, data.run.id, data.run.workers, ranges.visible, static_cast<int>(columns));
}

const Registered<FigureEntry> self{{{"timeline", "the lanes of every worker", ""}, make, load}};

}  // namespace
}  // namespace halo
