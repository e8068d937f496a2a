#include "engine/record/comparison/layer_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "engine/record/analysis/pairing.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"

namespace halo {
namespace {

/// Forward before backward in every layer. What is outside the layers stands nowhere.
struct Place {
  std::int64_t layer = 0;
  Pass pass = Pass::forward;
  auto operator<=>(const Place&) const = default;
};

struct Sums {
  double aggregateNs = 0, updateNs = 0, quantiseNs = 0, quantiseBytes = 0;
};
using ByRank = std::map<Place, std::map<std::int64_t, Sums>>;

/// The slowest rank's, each time by itself.
LayerTable slowest(const ByRank& sums, double epochs) {
  LayerTable table;
  for (const auto& [place, ranks] : sums) {
    LayerFigures& layer = table.layers.emplace_back(LayerFigures{place.layer, place.pass, 0, 0});
    for (const auto& [rank, sum] : ranks) {
      layer.aggregateNs = std::max(layer.aggregateNs, sum.aggregateNs / epochs);
      layer.updateNs = std::max(layer.updateNs, sum.updateNs / epochs);
    }
  }
  return table;
}

/// `count`: ranks × epochs. A rank that did nothing for a layer counts.
void addCodes(const ByRank& sums, double count, LayerTable& table) {
  std::size_t next = 0;
  for (const auto& [place, ranks] : sums) {
    LayerFigures& layer = table.layers[next++];
    layer.quantiseNs = layer.quantiseBytes = 0;
    for (const auto& [rank, sum] : ranks) {
      layer.quantiseNs += sum.quantiseNs / count;
      layer.quantiseBytes += sum.quantiseBytes / count;
    }
  }
}

bool isInLayer(std::int64_t layer, Pass pass) { return layer >= 0 && pass != Pass::none; }

/// One block at a time. What is damaged is left out and named in `notes`.
template <class Use>
void eachMainSpan(Database& recording, std::int64_t run, std::vector<std::string>& notes, Use use) {
  const Spans table(recording);
  for (const SpanBlockInfo& block : table.blocks(run)) {
    if (block.lane != Lane::main || block.actor) continue;
    try {
      for (const Span& span : table.load(block.id))
        if (isInLayer(span.layer, span.pass)) use(block.rank, span);
    } catch (const RecordDamaged& error) {
      notes.push_back("Run " + std::to_string(run) + ", lane " + std::to_string(block.rank) + ": " +
                      error.what());
    }
  }
}

LayerTable layersOfRanks(Database& recording, std::int64_t run, std::vector<std::string>& notes) {
  ByRank sums;
  eachMainSpan(recording, run, notes, [&](std::int64_t rank, const Span& span) {
    Sums& sum = sums[{span.layer, span.pass}][rank];
    if (span.name == Name::aggregate) sum.aggregateNs += static_cast<double>(span.durationNs);
    if (span.name == Name::update) sum.updateNs += static_cast<double>(span.durationNs);
  });
  return slowest(sums, 1);
}

std::optional<double> clockOf(const std::map<std::string, std::string>& parameters) {
  const auto recorded = parameters.find("device.freq_mhz");
  if (recorded == parameters.end()) return std::nullopt;
  const std::string& text = recorded->second;
  double mhz = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mhz);
  return error == std::errc() && std::isfinite(mhz) && mhz > 0 ? std::optional(mhz) : std::nullopt;
}

/// Devices of one design do alike, and each kind has rows of its own: a layer ends when the last does.
struct DeviceLayer {
  std::int64_t beginNs = std::numeric_limits<std::int64_t>::max(), endNs = 0;
  struct Engine {
    double busyNs = 0;
    std::map<Name, double> stalledNs;
  };
  std::map<std::int64_t, Engine> engines;
};

EngineFigures figuresOf(const DeviceLayer::Engine& engine, std::string name) {
  EngineFigures figures{std::move(name), engine.busyNs, 0, {}};
  double longest = 0;
  for (const auto& [cause, ns] : engine.stalledNs) {
    figures.stalledNs += ns;
    if (ns > longest) longest = ns, figures.stalledBy = cause;
  }
  return figures;
}

LayerTable layersOfDevice(Database& recording, std::int64_t run,
                          const std::map<std::string, std::string>& parameters,
                          std::vector<std::string>& notes) {
  std::map<Place, DeviceLayer> layers;
  eachMainSpan(recording, run, notes, [&](std::int64_t rank, const Span& span) {
    DeviceLayer& layer = layers[{span.layer, span.pass}];
    layer.beginNs = std::min(layer.beginNs, span.beginNs);
    layer.endNs = std::max(layer.endNs, span.beginNs + span.durationNs);
    DeviceLayer::Engine& engine = layer.engines[rank];
    (span.kind == Kind::idle ? engine.stalledNs[span.name] : engine.busyNs) +=
        static_cast<double>(span.durationNs);
  });
  std::map<std::int64_t, std::string> names;
  for (const WorkerRow& worker : Runs(recording).workers(run)) names[worker.rank] = worker.role;
  LayerTable table;
  table.clockMhz = clockOf(parameters);
  for (const auto& [place, layer] : layers) {
    LayerFigures& figures = table.layers.emplace_back(LayerFigures{place.layer, place.pass});
    figures.aggregateNs = static_cast<double>(layer.endNs - layer.beginNs);
    for (const auto& [rank, engine] : layer.engines)
      figures.engines.push_back(figuresOf(engine, names[rank]));
  }
  return table;
}

}  // namespace

LayerTable layersByRows(std::span<const LayerRow> rows, std::span<const EpochRow> inScope) {
  std::set<std::int64_t> epochs, ranks;
  for (const EpochRow& epoch : inScope) epochs.insert(epoch.epoch);
  ByRank sums;
  for (const LayerRow& row : rows) {
    if (!epochs.contains(row.epoch)) continue;
    ranks.insert(row.rank);
    if (!isInLayer(row.layer, row.pass)) continue;
    Sums& sum = sums[{row.layer, row.pass}][row.rank];
    sum.aggregateNs += static_cast<double>(row.aggregateNs);
    sum.updateNs += static_cast<double>(row.updateNs);
    sum.quantiseNs += static_cast<double>(row.quantiseNs);
    sum.quantiseBytes += static_cast<double>(row.quantiseBytes);
  }
  LayerTable table = slowest(sums, static_cast<double>(epochs.size()));
  addCodes(sums, static_cast<double>(ranks.size() * epochs.size()), table);
  return table;
}

LayerTable layersBySpans(Database& recording, const RunRow& simulation, std::vector<std::string>& notes) {
  const std::int64_t run = simulation.id;
  if (trainingWorkers(simulation, Runs(recording).latest(run))) return layersOfRanks(recording, run, notes);
  const auto parameters = Runs(recording).parameters(run);
  return parameters.contains("simulate.device") ? layersOfDevice(recording, run, parameters, notes)
                                                : LayerTable{};
}

LayerTable meanLayers(std::span<const LayerTable> runs) {
  if (runs.empty()) return {};
  LayerTable mean = runs.front();
  constexpr double LayerFigures::*kFigures[] = {&LayerFigures::aggregateNs, &LayerFigures::updateNs,
                                                &LayerFigures::quantiseNs, &LayerFigures::quantiseBytes};
  std::erase_if(mean.layers, [&](LayerFigures& layer) {
    double sums[std::size(kFigures)] = {};
    for (const LayerTable& run : runs) {
      const auto same = std::ranges::find_if(run.layers, [&](const LayerFigures& other) {
        return other.layer == layer.layer && other.pass == layer.pass;
      });
      if (same == run.layers.end()) return true;
      for (std::size_t f = 0; f < std::size(kFigures); ++f) sums[f] += (*same).*kFigures[f];
    }
    for (std::size_t f = 0; f < std::size(kFigures); ++f)
      layer.*kFigures[f] = sums[f] / static_cast<double>(runs.size());
    return false;
  });
  return mean;
}

}  // namespace halo
