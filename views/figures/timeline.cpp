// The lanes of every worker as rectangles: exact where they are few, else the kind that fills most of each
// stretch.
#include <algorithm>
#include <cmath>

#include "engine/record/tables/hybrid.h"
#include "views/figures/figure_registry.h"
#include "views/recording/nothing_recorded.h"

namespace halo {
namespace {

constexpr Parameter kParameters[] = {
    {"clock", "in which time, of a run that recorded both", Choice{"modelled", kTimeClocks}}};

QString timeTitle(const RunData& data, const ShownTime& time) {
  const std::string extent = simulatedExtent(data);
  if (extent.empty()) return time.title.isEmpty() ? "time" : time.title;
  return QString("simulated time, %1%2")
      .arg(data.lanes.complete ? "" : "part of ", QString::fromStdString(extent));
}

/// "worker 3", "3 updater", or what an engine of a simulated device is.
QString laneName(const RunData& data, std::int64_t rank) {
  const auto lane = std::ranges::find(data.workers, rank, &WorkerRow::rank);
  if (lane == data.workers.end() || engineName(*lane).empty()) return QString("worker %1").arg(rank);
  const QString role = QString::fromStdString(lane->role);
  return data.run.kind == "simulation" ? role : QString("%1 %2").arg(rank).arg(role);
}

Figure make(const FigureInput& input, const Values& values) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Timeline";
  figure.form = FigureForm::lanes;
  const ShownTime time = shownTime(data.clock(), clockNamed(values.text("clock")), !data.actors.empty());
  const std::int64_t length = dividedNs(data.lanes.range.lengthNs(), time.divisor);
  const double unit = length >= 10'000'000'000 ? 1e9 : length >= 10'000'000 ? 1e6 : 1e3;
  const double perUnit = unit * time.divisor;
  figure.x = {timeTitle(data, time), unit == 1e9 ? "s" : unit == 1e6 ? "ms" : "µs", false, {}};
  figure.emptyReason = noSpans(data);
  // a simulation, or a node of actors, has lanes for links only where it has some
  const bool links =
      (data.run.kind != "simulation" && data.actors.empty()) ||
      std::ranges::any_of(data.lanes.boxes, [](const LaneBox& b) { return b.lane == Lane::link; });
  const std::int64_t lanesARank = links ? 2 : 1;
  for (const LaneBox& box : data.lanes.boxes)
    figure.boxes.push_back({static_cast<double>(box.beginNs - data.lanes.range.beginNs) / perUnit,
                            static_cast<double>(box.endNs - data.lanes.range.beginNs) / perUnit,
                            static_cast<int>(lanesARank * box.rank + (box.lane == Lane::link)), box.kind,
                            false, box.waits, box.share});
  for (std::int64_t rank = 0; rank < data.run.workers; ++rank) {
    const QString name = laneName(data, rank);
    figure.y.categories << name;
    if (links) figure.y.categories << name + " link";
  }
  for (const ActorRow& actor : data.actors) {
    figure.y.categories << QString::fromStdString(actor.name);
    if (links) figure.y.categories << QString::fromStdString(actor.name) + " link";
  }
  if (const auto all = data.latest.find("simulated_workers");
      all != data.latest.end() && all->second > static_cast<double>(data.run.workers) && data.run.workers > 1)
    figure.marks << QString("%1 of %2 workers shown").arg(data.run.workers).arg(std::llround(all->second));
  if (const auto left = data.lanes.leftOut.size(); left > 0)
    figure.marks << QString("%1 damaged span block%2 left out").arg(left).arg(left == 1 ? "" : "s");
  if (data.lanes.coalesced)
    figure.marks << "each stretch by its largest kind, paler where it is less at work";
  return figure;
}

void load(Database& database, RunData& data, const FigureRanges& ranges) {
  // a vector figure of more than 20,000 rectangles helps nobody
  data.actors = Hybrid(database).actors(data.run.id);
  const auto rows = std::max<std::int64_t>(1, 2 * (data.run.workers + std::ssize(data.actors)));
  const auto columns = std::clamp<std::int64_t>(20'000 / rows, 1, 2000);
  data.lanes = readLanes(database, data.run.id, data.run.workers, ranges.visible, static_cast<int>(columns));
}

const Registered<FigureEntry> self{{{"timeline", "the lanes of every worker", "", kParameters}, make, load}};

}  // namespace
}  // namespace halo
