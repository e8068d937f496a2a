// Training in mini-batches: every recorded iteration, and what batches read by layer.
#include <algorithm>

#include "engine/base/index.h"
#include "views/figures/figure_registry.h"
#include "views/recording/iterations_of.h"

namespace halo {
namespace {

constexpr std::string_view kShown[] = {"time", "modelled", "seeds", "arcs", "mteps", "bytes", "loss"};
constexpr Parameter kParameters[] = {{"show", "what of every iteration", Choice{"time", kShown}}};

/// A quantity of an iteration, all workers together.
struct Quantity {
  const char *name, *title, *axis, *unit;
  std::optional<double> (*value)(const IterationRow& row);
};

std::optional<double> milliseconds(const IterationRow& row) { return static_cast<double>(row.wallNs) * 1e-6; }
std::optional<double> modelledMilliseconds(const IterationRow& row) {
  if (!row.modelledNs) return std::nullopt;
  return static_cast<double>(*row.modelledNs) * 1e-6;
}
std::optional<double> seeds(const IterationRow& row) { return static_cast<double>(row.seeds); }
std::optional<double> arcs(const IterationRow& row) { return static_cast<double>(row.arcs); }
/// By modelled time where there is any, as metric `mteps`.
std::optional<double> mteps(const IterationRow& row) {
  const auto ns = static_cast<double>(row.modelledNs.value_or(row.wallNs));
  return ns > 0 ? std::optional(static_cast<double>(row.arcs) * 1e3 / ns) : std::nullopt;
}
std::optional<double> megabytes(const IterationRow& row) { return static_cast<double>(row.bytesSent) * 1e-6; }
std::optional<double> loss(const IterationRow& row) { return row.loss; }

constexpr Quantity kQuantities[] = {
    {"time", "Time of iterations", "time", "ms", milliseconds},
    {"modelled", "Modelled time of iterations", "modelled time", "ms", modelledMilliseconds},
    {"seeds", "Seeds of iterations", "seeds", "", seeds},
    {"arcs", "Sampled arcs of iterations", "arcs", "", arcs},
    {"mteps", "Arcs a second of iterations", "millions of arcs a second", "", mteps},
    {"bytes", "Volume of iterations", "sent", "MB", megabytes},
    {"loss", "Loss of iterations", "loss", "nats", loss}};

Figure makeIterations(const FigureInput& input, const Values& values) {
  const RunData& data = input.runs.front();
  const std::string show = values.text("show");
  const Quantity& quantity =
      *std::ranges::find_if(kQuantities, [&](const Quantity& candidate) { return candidate.name == show; });
  Figure figure;
  figure.title = quantity.title;
  figure.x = {"iteration", "", false, {}};
  figure.x.counts = true;
  figure.y = {quantity.axis, quantity.unit, false, {}};
  figure.y.counts = show == "seeds" || show == "arcs";
  const ShownTime time = shownTime(data.clock(), TimeClock::wall, !data.actors.empty());
  if (show == "time" && !time.title.isEmpty()) figure.y.title = time.title;
  figure.emptyReason =
      show == "modelled" && !data.batches.iterations.empty()
          ? QString("Nothing of this run is modelled: its iterations have a time of the wall alone.")
          : noBatches(data.run);
  const double perEpoch = iterationsPerEpoch(data);
  FigureSeries series;
  series.name = "all workers";
  for (const IterationRow& row : data.batches.iterations) {
    const std::optional<double> value = quantity.value(row);
    if (!value) continue;
    series.x.push_back(placeOf(row, perEpoch));
    series.y.push_back(*value);
  }
  decimate(series.x, series.y);
  if (!series.x.empty()) figure.series.push_back(std::move(series));
  return figure;
}

/// Vertices that batches read in a layer, all workers and epochs together.
struct Sources {
  double own = 0, remote = 0;
};

Figure makeBlocks(const FigureInput& input, const Values&) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Vertices that batches read, mean of epochs";
  figure.form = FigureForm::stackedBars;
  figure.x = {"layer", "", false, {}};
  figure.y = {"vertices", "thousands", false, {}};
  figure.emptyReason = noBatches(data.run);
  std::vector<Sources> layers;
  std::int64_t epochs = 0;
  for (const BlockRow& row : data.batches.blocks) {
    epochs = std::max(epochs, row.epoch + 1);
    if (row.layer < 0 || row.layer > 1000) continue;  // of a damaged recording
    layers.resize(std::max(layers.size(), at(row.layer) + 1));
    Sources& sources = layers[at(row.layer)];
    sources.own += static_cast<double>(row.sources - row.remoteSources);
    sources.remote += static_cast<double>(row.remoteSources);
  }
  if (layers.empty()) return figure;
  FigureSeries own{.name = "of the worker itself"}, remote{.name = "of other workers", .outlined = true};
  for (std::size_t l = 0; l < layers.size(); ++l) {
    figure.x.categories << QString::number(l);
    own.y.push_back(layers[l].own / static_cast<double>(epochs) * 1e-3);
    remote.y.push_back(layers[l].remote / static_cast<double>(epochs) * 1e-3);
  }
  figure.series = {own, remote};
  return figure;
}

const Registered<FigureEntry> iterations{
    {{"iterations", "every recorded iteration of training in mini-batches", "", kParameters},
     makeIterations}};
const Registered<FigureEntry> blocks{
    {{"blocks", "vertices that mini-batches read, by layer and owner", ""}, makeBlocks}};

}  // namespace
}  // namespace halo
