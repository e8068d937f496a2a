#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/comparison/configuration.h"
#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// What an engine of a simulated device does in a layer and pass, ns.
struct EngineFigures {
  std::string name;  // as the worker's role says: "fpga 0-6: gather"
  double busyNs = 0, stalledNs = 0;
  std::optional<Name> stalledBy = {};  // for what it waits longest; none: it never waits
};

/// What a layer takes in one pass of an epoch, ns. NaN: not recorded. Ranks and engines work side by side, so
/// a time is that of the slowest where nothing else is said.
struct LayerFigures {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::int64_t layer = 0;
  Pass pass = Pass::forward;
  double aggregateNs = kNone;  // of a device: from the first engine's begin to the last one's end
  double updateNs = kNone;     // of ranks alone: devices aggregate
  std::vector<EngineFigures> engines = {};
  double quantiseNs = kNone;     // coding, of training; the mean of the ranks, as a rank's bytes are
  double quantiseBytes = kNone;  // parameters of codes that a rank sent, in the mean
};

/// The layers of a configuration, forward before backward.
struct LayerTable {
  std::vector<LayerFigures> layers;
  std::optional<double> clockMhz = {};  // that a simulated device counts its cycles by
};

/// Of a run that trains: the mean of the epochs in scope, rank by rank.
LayerTable layersByRows(std::span<const LayerRow> rows, std::span<const EpochRow> inScope);

/// Of a simulated device or cluster: the one epoch that its spans are of. Of other simulations: nothing.
/// Blocks that are damaged are left out and named in `notes`. Cost: reads its spans once.
LayerTable layersBySpans(Database& recording, const RunRow& simulation, std::vector<std::string>& notes);

/// The mean over runs of one configuration; a layer and pass is there where all have it. Engines are those of
/// the first: simulations of unlike seeds have unlike stalls.
LayerTable meanLayers(std::span<const LayerTable> runs);

}  // namespace halo
