// What is sampled over the iterations of a run in mini-batches. Shown is how large the blocks are, how often
// caches have what they read, and how fast blocks are drawn. Blocks and caches are recorded by epoch: each is
// a step of one.
#include <algorithm>
#include <cmath>
#include <map>

#include "views/figures/figure_registry.h"
#include "views/recording/iterations_of.h"

namespace halo {
namespace {

constexpr std::string_view kShown[] = {"sizes", "hits", "speed"};
constexpr Parameter kParameters[] = {
    {"show", "vertices of blocks by layer, hits of caches, or arcs drawn in a second of CPU time",
     Choice{"sizes", kShown}}};

/// A value of every epoch that has one.
using ByEpoch = std::map<std::int64_t, double>;

/// Holds from the first iteration of an epoch to the next epoch.
FigureSeries stepsOf(QString name, const ByEpoch& values, double perEpoch) {
  FigureSeries series{.name = std::move(name)};
  for (const auto& [epoch, value] : values) {
    if (!std::isfinite(value)) continue;
    const double begin = static_cast<double>(epoch) * perEpoch;
    for (const double x : {begin, begin + perEpoch}) series.x.push_back(x), series.y.push_back(value);
  }
  decimate(series.x, series.y);
  return series;
}

/// Adds a line where there is one.
void add(Figure& figure, FigureSeries series) {
  if (!series.x.empty()) figure.series.push_back(std::move(series));
}

ByEpoch divided(ByEpoch values, const ByEpoch& by) {
  for (auto& [epoch, value] : values) {
    const auto divisor = by.find(epoch);
    value = divisor != by.end() && divisor->second > 0 ? value / divisor->second : NAN;
  }
  return values;
}

void addSizes(const RunData& data, double perEpoch, Figure& figure) {
  figure.title = "Vertices of a mini-batch, mean of the epoch";
  figure.y = {"vertices, all workers", "", true, {}};
  std::map<std::int64_t, ByEpoch> sources;
  ByEpoch targets;
  std::int64_t last = -1;
  for (const BlockRow& row : data.batches.blocks) last = std::max(last, row.layer);
  for (const BlockRow& row : data.batches.blocks) {
    sources[row.layer][row.epoch] += static_cast<double>(row.sources) / perEpoch;
    if (row.layer == last) targets[row.epoch] += static_cast<double>(row.targets) / perEpoch;
  }
  for (const auto& [layer, sizes] : sources)
    add(figure, stepsOf(QString("sources of layer %1").arg(layer), sizes, perEpoch));
  add(figure, stepsOf(QString("targets of layer %1").arg(last), targets, perEpoch));
}

void addHits(const RunData& data, double perEpoch, Figure& figure) {
  figure.title = "Input rows that caches had";
  figure.y = {"share of the rows that batches read", "%", false, {}};
  if (!data.batches.blocks.empty())
    figure.emptyReason =
        "This run has no cache of features: pagraph has one, and it records hits and misses.";
  ByEpoch hits, expected, read;
  for (const CacheRow& row : data.batches.caches) {
    hits[row.epoch] += 100 * static_cast<double>(row.hits);
    expected[row.epoch] += 100 * row.expectedHits;
    read[row.epoch] += static_cast<double>(row.hits + row.misses);
  }
  add(figure, stepsOf("hits", divided(hits, read), perEpoch));
  FigureSeries byDegree = stepsOf("expected by degrees", divided(expected, read), perEpoch);
  byDegree.color = 1;
  byDegree.dash = 1;
  add(figure, std::move(byDegree));
}

void addSpeed(const RunData& data, double perEpoch, Figure& figure) {
  figure.title = "Arcs drawn in a second of CPU time";
  figure.y = {"arcs a second and core", "millions", false, {}};
  ByEpoch arcs, microseconds;
  for (const BlockRow& row : data.batches.blocks) {
    arcs[row.epoch] += static_cast<double>(row.arcs);
    microseconds[row.epoch] += static_cast<double>(row.sampleCpuNs) * 1e-3;
  }
  add(figure, stepsOf("all workers", divided(arcs, microseconds), perEpoch));
}

Figure make(const FigureInput& input, const Values& values) {
  const RunData& data = input.runs.front();
  const std::string show = values.text("show");
  Figure figure;
  figure.x = {"iteration", "", false, {}};
  figure.x.counts = true;
  figure.emptyReason = noBatches(data.run);
  const double perEpoch = iterationsPerEpoch(data);
  if (show == "sizes") addSizes(data, perEpoch, figure);
  if (show == "hits") addHits(data, perEpoch, figure);
  if (show == "speed") addSpeed(data, perEpoch, figure);
  return figure;
}

const Registered<FigureEntry> self{
    {{"sampling", "block sizes, hits of caches and speed of sampling over iterations", "", kParameters},
     make}};

}  // namespace
}  // namespace halo
