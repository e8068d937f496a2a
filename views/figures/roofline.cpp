// What devices do beside the most they could: operations a second over operations per byte. Of one device or
// worker: a simulation's operations and bytes are of all its devices, its time is the slowest one's. Measured
// aggregations have a measured height, but how many bytes they moved is modelled. Each is therefore drawn
// from every row read for every arc (left) to every row read once (right).
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "engine/base/index.h"
#include "engine/base/median.h"
#include "views/experiment/experiment_text.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/compared_runs.h"
#include "views/recording/runs_model.h"

namespace halo {
namespace {

constexpr std::size_t kNamed = 40;     // names on the picture
constexpr std::size_t kMeasured = 20;  // runs that have a line each

struct DevicePoint {
  const RunRow* run = nullptr;
  double intensity = 0, rate = 0, devices = 1;
};

/// With the eight colours in turn, 32 devices differ in one or the other.
constexpr FigureMark kMarks[] = {FigureMark::square, FigureMark::triangle, FigureMark::diamond,
                                 FigureMark::cross};

constexpr int kColors = 8;  // of seriesColor

/// What its file calls the device (files of one design are devices of their own), or the design.
std::string deviceOf(const RunsData& data, const RunRow& run) {
  const auto& parameters = parametersOf(data, run);
  const auto device = parameters.find("simulate.device");
  return device == parameters.end() ? run.method : unquoted(device->second).value_or(run.method);
}

/// Device, and the most that one can do.
using RoofKey = std::tuple<std::string, double, double>;

std::map<RoofKey, std::vector<DevicePoint>> devicePoints(const RunsData& data,
                                                         const std::vector<const RunRow*>& runs) {
  std::map<RoofKey, std::vector<DevicePoint>> drawnDevices;
  for (const RunRow* run : runs) {
    const auto figureOf = [&](const char* name) { return metricOf(data, *run, name).value_or(0); };
    const double peak = figureOf("roof_operations_per_second"), bandwidth = figureOf("roof_bytes_per_second");
    const double operations = figureOf("simulated_operations"), bytes = figureOf("simulated_dram_bytes");
    const double devices = figureOf("simulated_devices"), seconds = figureOf("simulated_seconds");
    if (peak <= 0 || bandwidth <= 0 || devices <= 0) continue;
    auto& points = drawnDevices[{deviceOf(data, *run), peak, bandwidth}];
    if (operations > 0 && bytes > 0 && seconds > 0)
      points.push_back({run, operations / bytes, operations / devices / seconds, devices});
  }
  return drawnDevices;
}

QString describePoint(const RoofKey& roof, const DevicePoint& point, const RunsData& data) {
  const double most = std::min(std::get<1>(roof), std::get<2>(roof) * point.intensity);
  return QString(
             "run %1: %2\nsimulated, mean of %3 device%4\n%5 operations per byte, %6 operations/s, %7 of the "
             "roof there")
      .arg(point.run->id)
      .arg(shortRunName(*point.run, data), formatCountOf(point.devices), point.devices == 1 ? "" : "s",
           formatNumber(point.intensity, 3), formatShort(point.rate), formatShare(point.rate / most));
}

FigureSeries devicesOf(const RoofKey& roof, const std::vector<DevicePoint>& points, const RunsData& data,
                       int color) {
  FigureSeries series;
  series.name = QString("%1, simulated").arg(QString::fromStdString(std::get<0>(roof)));
  series.mark = kMarks[at(color + color / kColors) % std::size(kMarks)];
  series.outlined = true;
  series.joined = false;
  series.color = color;
  for (const DevicePoint& point : points) {
    series.x.push_back(point.intensity);
    series.y.push_back(point.rate);
    series.labels.push_back(describePoint(roof, point, data));
  }
  return series;
}

/// Of one training run, or of all of a method on one data set with as many workers.
struct Aggregation {
  std::vector<const RunRow*> runs;
  double rate = 0, least = 0, most = 0;  // FLOP/s; per byte: every row read for every arc, or once
};

std::vector<Aggregation> measuredOf(const RunsData& data, const std::vector<const RunRow*>& runs) {
  std::vector<Aggregation> aggregations;
  for (const RunRow* run : runs) {
    const auto figureOf = [&](const char* name) { return metricOf(data, *run, name).value_or(0); };
    const double flop = figureOf("aggregation_flop_per_epoch"),
                 seconds = figureOf("aggregation_seconds_per_epoch");
    const double least = figureOf("aggregation_least_bytes_per_epoch"),
                 most = figureOf("aggregation_most_bytes_per_epoch");
    if (run->kind != "training" || flop <= 0 || seconds <= 0 || least <= 0 || most <= 0) continue;
    aggregations.push_back({{run}, flop / seconds, flop / most, flop / least});
  }
  return aggregations;
}

/// The medians of those of a method on one data set with as many workers: more lines lie on each other.
std::vector<Aggregation> together(const RunsData& data, const std::vector<Aggregation>& each) {
  std::map<std::pair<QString, std::string>, std::vector<const Aggregation*>> groups;
  for (const Aggregation& aggregation : each)
    groups[{methodAndWorkers(data, *aggregation.runs.front()), aggregation.runs.front()->dataset}].push_back(
        &aggregation);
  std::vector<Aggregation> medians;
  for (const auto& [key, members] : groups) {
    const auto medianOf = [&members = members](double Aggregation::*figure) {
      std::vector<double> values;
      for (const Aggregation* aggregation : members) values.push_back(aggregation->*figure);
      return median(std::move(values));
    };
    Aggregation all{
        {}, medianOf(&Aggregation::rate), medianOf(&Aggregation::least), medianOf(&Aggregation::most)};
    for (const Aggregation* aggregation : members) all.runs.push_back(aggregation->runs.front());
    medians.push_back(std::move(all));
  }
  return medians;
}

QString describeAggregation(const Aggregation& aggregation, bool once, const RunsData& data) {
  const RunRow& first = *aggregation.runs.front();
  const QString runs =
      aggregation.runs.size() == 1
          ? QString("run %1: %2").arg(first.id).arg(shortRunName(first, data))
          : QString("%1, median of %2 runs").arg(methodAndWorkers(data, first)).arg(aggregation.runs.size());
  return QString(
             "%1\nmeasured: %2 FLOP/s of a worker while it aggregates (FLOP counted)\n"
             "modelled: %3 FLOP per byte if every row is read %4")
      .arg(runs, formatShort(aggregation.rate), formatNumber(once ? aggregation.most : aggregation.least, 3),
           once ? "once" : "for every arc");
}

/// Two points each, between them nothing.
FigureSeries measuredSeries(const RunsData& data, const std::vector<Aggregation>& all,
                            std::vector<FigureNote>& names) {
  FigureSeries series;
  series.name = "aggregation of a worker, measured; bytes modelled";
  series.mark = FigureMark::dot;
  for (const Aggregation& aggregation : all) {
    if (!series.x.empty()) {
      series.x.push_back(std::numeric_limits<double>::quiet_NaN());
      series.y.push_back(std::numeric_limits<double>::quiet_NaN());
      series.labels.emplace_back();
    }
    for (const bool once : {false, true}) {
      series.x.push_back(once ? aggregation.most : aggregation.least);
      series.y.push_back(aggregation.rate);
      series.labels.push_back(describeAggregation(aggregation, once, data));
    }
    const QString method = methodAndWorkers(data, *aggregation.runs.front());
    names.push_back({aggregation.most,
                     aggregation.runs.size() == 1
                         ? QString("%1 %2").arg(aggregation.runs.front()->id).arg(method)
                         : QString("%1 (%2)").arg(method).arg(aggregation.runs.size()),
                     aggregation.rate});
  }
  return series;
}

FigureSeries roofOf(const RoofKey& roof, double low, double high, int color) {
  const auto& [device, peak, bandwidth] = roof;
  FigureSeries series;
  series.name = QString("roof of %1: %2 operations/s, %3B/s")
                    .arg(QString::fromStdString(device), formatShort(peak), formatShort(bandwidth));
  series.color = color;
  series.dash = color;  // roofs of the same bandwidth lie on each other
  for (const double x : {low, peak / bandwidth, high}) {
    series.x.push_back(x);
    series.y.push_back(std::min(peak, bandwidth * x));
  }
  return series;
}

/// Each data set once, at its fastest point: the colour says of which device, a pointer the rest.
void nameDataSets(const std::vector<DevicePoint>& points, std::vector<FigureNote>& names) {
  std::map<std::string, const DevicePoint*> fastest;
  for (const DevicePoint& point : points) {
    const DevicePoint*& best = fastest[point.run->dataset];
    if (best == nullptr || point.rate > best->rate) best = &point;
  }
  for (const auto& [dataset, point] : fastest)
    names.push_back({point->intensity, QString::fromStdString(dataset), point->rate});
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Roofline of one device or worker";
  figure.form = FigureForm::points;
  figure.x = {"operations per byte of memory", "", true, {}};
  figure.y = {"operations per second", "", true, {}};
  figure.emptyReason =
      "No completed run here simulates a device ([[simulate]] device), or has recorded how many operations "
      "its aggregations were.";
  const std::vector<const RunRow*> runs = completedRuns(input.all, input.chosen);
  const auto devices = devicePoints(input.all, runs);
  std::vector<FigureNote> names;
  std::vector<const RunRow*> drawn;
  std::vector<Aggregation> aggregations = measuredOf(input.all, runs);
  for (const Aggregation& aggregation : aggregations) drawn.push_back(aggregation.runs.front());
  const bool many = aggregations.size() > kMeasured;
  if (many) aggregations = together(input.all, aggregations);
  FigureSeries measured = measuredSeries(input.all, aggregations, names);
  double low = 1e300, high = 0;
  const auto reach = [&](double x) {
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  };
  std::ranges::for_each(measured.x, reach);
  for (const auto& [roof, points] : devices) {
    reach(std::get<1>(roof) / std::get<2>(roof));
    for (const DevicePoint& point : points) {
      reach(point.intensity);
      drawn.push_back(point.run);
    }
    nameDataSets(points, names);
  }
  low = std::pow(10, std::floor(std::log10(low)));  // as far as the axis goes
  high = std::pow(10, std::ceil(std::log10(high * 1.5)));
  std::ranges::sort(drawn, {}, &RunRow::id);
  addProvenance(figure, input.all, drawn);
  int color = 0;
  for (const auto& [roof, points] : devices) {
    figure.series.push_back(roofOf(roof, low, high, color));
    if (!points.empty()) figure.series.push_back(devicesOf(roof, points, input.all, color));
    ++color;
  }
  measured.color = color;
  if (!measured.x.empty()) {
    figure.series.push_back(std::move(measured));
    if (std::ranges::none_of(runs, [](const RunRow* run) { return run->method == "cpu"; }))
      figure.marks << "measured points have no roof: `haloscope doctor --calibrate` makes a device file, "
                      "simulate it here";
  }
  if (many)
    figure.marks << "(n): median of n runs of a method with as many workers; choose fewer runs to see each";
  if (names.size() <= kNamed) figure.notes = std::move(names);
  return figure;
}

const Registered<FigureEntry> self{
    {{"roofline", "operations a second beside the most a device can do", ""}, make, {}, true}};

}  // namespace
}  // namespace halo
