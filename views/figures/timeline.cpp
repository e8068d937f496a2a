// The lanes of every worker as rectangles: exact where they are few, else the kind that fills most of each
// stretch.
#include "views/figure_registry.h"

namespace halo {
namespace {

Figure make(const FigureInput& input, const Values&) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Timeline";
  figure.form = FigureForm::lanes;
  figure.x = {"time", "ms", false, {}};
  figure.emptyReason = "This run recorded no spans (record.spans).";
  for (const LaneBox& box : data.lanes.boxes) {
    const auto lane = static_cast<int>(2 * box.rank + (box.lane == Lane::link));
    figure.boxes.push_back({static_cast<double>(box.beginNs - data.lanes.range.beginNs) * 1e-6,
                            static_cast<double>(box.endNs - data.lanes.range.beginNs) * 1e-6, lane, box.kind,
                            false});
  }
  for (std::int64_t rank = 0; rank < data.run.workers; ++rank)
    figure.y.categories << QString("worker %1").arg(rank) << "its link";
  if (data.lanes.coalesced) figure.marks << "each stretch by its largest kind";
  return figure;
}

const Registered<FigureEntry> self{{{"timeline", "the lanes of every worker", ""}, make}};

}  // namespace
}  // namespace halo
