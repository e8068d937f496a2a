// Where the time of every worker went: stacked parts that add up to the wall time; hidden transfers lie over
// them, hatched, because they run under computing and are no part of the sum.
#include <algorithm>

#include "views/figure_registry.h"

namespace halo {
namespace {

struct Part {
  const char* name;
  Kind kind;
  std::int64_t Breakdown::*ns;
};
constexpr Part kParts[] = {
    {"compute", Kind::compute, &Breakdown::computeNs},
    {"exposed", Kind::communication, &Breakdown::exposedNs},
    {"quantise", Kind::quantise, &Breakdown::quantiseNs},
    {"synchronise", Kind::synchronise, &Breakdown::synchroniseNs},
    {"other", Kind::other, &Breakdown::otherNs},
    {"idle", Kind::idle, &Breakdown::idleNs},
};

Figure make(const FigureInput& input, const Values&) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Time of every worker";
  figure.form = FigureForm::stackedBars;
  figure.x.title = "worker";
  figure.y.title = "time";
  const BreakdownData& breakdown = data.breakdown;
  if (!breakdown.measured) {
    figure.emptyReason = data.spans > 0
                             ? "The spans of this run are being read."
                             : "This run recorded no spans (record.spans), so its time cannot be divided.";
    return figure;
  }
  const std::int64_t wall = breakdown.range.lengthNs();
  const double unit = wall >= 10'000'000'000 ? 1e9 : wall >= 10'000'000 ? 1e6 : 1e3;
  figure.y.unit = unit == 1e9 ? "s" : unit == 1e6 ? "ms" : "µs";
  const auto names = engineNames(data, breakdown.ranks.size());
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    figure.x.categories << (names[rank].empty() ? QString::number(rank)
                                                : QString::fromStdString(names[rank]));
  const auto values = [&](std::int64_t Breakdown::*part) {
    std::vector<double> result;
    for (const Breakdown& rank : breakdown.ranks) result.push_back(static_cast<double>(rank.*part) / unit);
    return result;
  };
  for (const Part& part : kParts) {
    const auto y = values(part.ns);
    if (part.kind == Kind::quantise && std::ranges::all_of(y, [](double v) { return v == 0; })) continue;
    figure.series.push_back({part.name, {}, y, part.kind, false});
  }
  figure.series.push_back({"hidden", {}, values(&Breakdown::hiddenNs), Kind::communication, true});
  return figure;
}

void load(Database& database, RunData& data, const FigureRanges& ranges) {
  data.breakdown = readBreakdown(database, data.run.id, data.run.workers, ranges.measured);
}

const Registered<FigureEntry> self{{{"breakdown", "where the time of every worker went", ""}, make, load}};

}  // namespace
}  // namespace halo
