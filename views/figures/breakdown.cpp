// Where the time of every worker went, as stacked parts that add up to the wall time. Hidden transfers lie
// hatched over them, because they run under computing and are no part of the sum.
#include <algorithm>
#include <map>

#include "views/figures/figure_registry.h"
#include "views/look/palette.h"
#include "views/recording/nothing_recorded.h"

namespace halo {
namespace {

constexpr Parameter kParameters[] = {
    {"clock", "in which time, of a run that recorded both", Choice{"modelled", kTimeClocks}}};

struct Part {
  const char* name;
  Kind kind;
  std::int64_t Breakdown::*ns;
};
constexpr Part kParts[] = {
    {"compute", Kind::compute, &Breakdown::computeNs},
    {"exchanges", Kind::communication, &Breakdown::exchangeWaitNs},
    {"quantise", Kind::quantise, &Breakdown::quantiseNs},
    {"synchronise", Kind::synchronise, &Breakdown::synchroniseNs},
    {"other", Kind::other, &Breakdown::otherNs},
};

bool allZero(const std::vector<double>& y) {
  return std::ranges::all_of(y, [](double v) { return v == 0; });
}

/// Parts of a time by its cause, hatched, and what is left of `restNs` in place.
void addCauses(const BreakdownData& breakdown, double unit, std::map<Name, std::int64_t> Breakdown::*causes,
               std::vector<std::int64_t>& restNs, Figure& figure) {
  for (const Name cause : waitsOf(breakdown)) {
    FigureSeries waits;
    waits.name = QString("waits: %1")
                     .arg(QString::fromUtf8(causeText(cause).data(), qsizetype(causeText(cause).size())));
    waits.outlined = true;
    waits.color = causeColor(cause);
    bool any = false;
    for (std::size_t rank = 0; rank < restNs.size(); ++rank) {
      const auto& waited = breakdown.ranks[rank].*causes;
      const auto wait = waited.find(cause);
      const std::int64_t ns = wait == waited.end() ? 0 : wait->second;
      any = any || wait != waited.end();
      waits.y.push_back(static_cast<double>(ns) / unit);
      restNs[rank] = std::max<std::int64_t>(0, restNs[rank] - ns);
    }
    if (any) figure.series.push_back(std::move(waits));
  }
}

std::vector<double> inUnits(const std::vector<std::int64_t>& ns, double unit) {
  std::vector<double> values;
  for (const std::int64_t each : ns) values.push_back(static_cast<double>(each) / unit);
  return values;
}

/// Waiting by its reason, and what has none.
void addReasons(const BreakdownData& breakdown, double unit, Figure& figure) {
  std::vector<std::int64_t> restNs;
  for (const Breakdown& rank : breakdown.ranks) restNs.push_back(rank.waitNs());
  addCauses(breakdown, unit, &Breakdown::reasonNs, restNs, figure);
  if (const auto rest = inUnits(restNs, unit); !allZero(rest))
    figure.series.push_back({"waits: not recorded why", {}, rest, Kind::communication, false});
}

/// Idle time by what was waited for, where the lanes say it, and the rest.
void addIdle(const BreakdownData& breakdown, double unit, Figure& figure) {
  std::vector<std::int64_t> restNs;  // what is left of whole numbers is 0 where nothing is
  for (const Breakdown& rank : breakdown.ranks) restNs.push_back(rank.idleNs);
  addCauses(breakdown, unit, &Breakdown::waitedNs, restNs, figure);
  figure.series.push_back({"idle", {}, inUnits(restNs, unit), Kind::idle, false});
}

/// "3", "3 updater", or what an engine of a simulated device is.
QString barName(const RunData& data, const std::string& name, std::size_t rank) {
  if (name.empty()) return QString::number(rank);
  const QString role = QString::fromStdString(name);
  return ofDevices(data) ? role : QString("%1 %2").arg(rank).arg(role);
}

Figure make(const FigureInput& input, const Values& settings) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = ofDevices(data) ? "Time of every engine" : "Time of every worker";
  figure.form = FigureForm::stackedBars;
  figure.x.title = ofDevices(data) ? "engine" : "worker";
  const QString extent = QString::fromStdString(simulatedExtent(data)).section(',', 0, 0);
  const TimeClock clock = clockNamed(settings.text("clock"));
  const ShownTime time = shownTime(data.clock(), clock, !data.actors.empty());
  figure.y.title = !extent.isEmpty()      ? "time of " + extent
                   : time.title.isEmpty() ? QString("time")
                                          : time.title;
  const BreakdownData breakdown = divided(data.breakdown, time.divisor);
  if (!breakdown.measured) {
    figure.emptyReason = data.spans > 0 ? "The spans of this run are being read."
                                        : noSpans(data) + " Its time cannot be divided.";
    return figure;
  }
  const std::int64_t wall = breakdown.range.lengthNs();
  const double unit = wall >= 10'000'000'000 ? 1e9 : wall >= 10'000'000 ? 1e6 : 1e3;
  figure.y.unit = unit == 1e9 ? "s" : unit == 1e6 ? "ms" : "µs";
  const auto names = engineNames(data, breakdown.ranks.size());
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    figure.x.categories << barName(data, names[rank], rank);
  const auto values = [&](std::int64_t Breakdown::*part) {
    std::vector<double> result;
    for (const Breakdown& rank : breakdown.ranks) result.push_back(static_cast<double>(rank.*part) / unit);
    return result;
  };
  const bool devices = ofDevices(data);
  const bool reasons =
      std::ranges::any_of(breakdown.ranks, [](const Breakdown& rank) { return !rank.reasonNs.empty(); });
  for (const Part& part : kParts) {
    if (reasons && part.kind == Kind::communication) addReasons(breakdown, unit, figure);
    if (reasons && (part.kind == Kind::communication || part.kind == Kind::synchronise)) continue;
    const auto y = values(part.ns);
    if ((devices || part.kind == Kind::quantise) && allZero(y)) continue;
    const bool moves = devices && part.kind == Kind::communication;
    figure.series.push_back({moves ? "moves data" : part.name, {}, y, part.kind, false});
  }
  addIdle(breakdown, unit, figure);
  if (const auto hidden = values(&Breakdown::hiddenNs); !devices || !allZero(hidden))
    figure.series.push_back({"hidden", {}, hidden, Kind::communication, true});
  return figure;
}

void load(Database& database, RunData& data, const FigureRanges& ranges) {
  data.breakdown = readBreakdown(database, data.run.id, data.run.workers, ranges.measured);
}

const Registered<FigureEntry> self{
    {{"breakdown", "where the time of every worker went", "", kParameters}, make, load}};

}  // namespace
}  // namespace halo
