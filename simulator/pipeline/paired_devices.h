#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/device/component.h"
#include "simulator/device/graph_source.h"
#include "simulator/pipeline/pipeline_batches.h"
#include "simulator/pipeline/pipeline_laws.h"

namespace halo::sim {

/// MixGCN's mixture of accelerators: sparse devices that aggregate slices of the columns beside dense devices
/// that update shares of the rows, batch by batch (MixGCN 3.2).
struct PairedSettings {
  std::string sparse, dense;  // accelerators; dense may be empty
  Values sparseFigures, denseFigures;
  double denseGmacs = 0;     // without a dense device: 10^9 multiply-adds a second of each
  std::int64_t slices = 32;  // sparse devices, and as many dense ones
  std::int64_t units = 0;    // 2 or more: this many in all, divided so that neither kind waits for the other
  ModelSettings model;
  bool training = true;
  Level level = Level::tile;
  bool ordered = false;  // reverse Cuthill–McKee
  PipelineDependence dependence = PipelineDependence::exact;
  int stages = 0;     // 0: chosen
  LinkSettings link;  // of each device, a direction; not emulated: takes no time
  int stateBuffers = 2, aggregatedBatches = 0;
  double overheadUs = 0;  // of a batch on either device
};

/// Products of an update: rows × in by in × out, so many of them.
struct Update {
  std::int64_t in = 0, out = 0;
  std::int64_t products = 1;
};

/// One aggregation of all vertices with the updates up to the next one.
struct PairedPhase {
  std::int64_t layer = 0;
  Pass direction = Pass::forward;
  std::int64_t width = 0;  // columns aggregated; 0: none, what the first layer multiplies beforehand
  bool masked = false;
  std::vector<Update> updates = {};
  std::int64_t out = 0;  // columns of the updated rows that are aggregated next; 0: none are
  std::int64_t aggregatePs = 0, updatePs = 0;
};

/// The phases of an epoch or inference, not timed. A layer of gcn has one product forward and two backward,
/// of its weights and its input. The first layer has only that of its weights backward. The products come
/// before or after the aggregation as the layer updates first or not. A layer of graphsage has as many more
/// of the row itself, always before what travels on. A layer of gin has as many more of its second product,
/// out × out, after the aggregation.
std::vector<PairedPhase> phasesOf(const ModelSettings& model, std::int64_t features, std::int64_t classes,
                                  bool training);

struct PairedResult {
  std::vector<PairedPhase> phases;
  std::int64_t sparseDevices = 0, denseDevices = 0;
  Index vertices = 0, bandwidth = 0;  // of what was cut: a replica's own
  int stages = 1;
  Index propositionStages = 1;
  PipelineTimes times;
  std::int64_t sequentialPs = 0;  // one batch a phase: no overlap
  std::int64_t unorderedPs = 0;   // the same batches, each waiting for every update of the phase before
  double balance = 0;             // ρ of the phases' sums
  double lawGain = 1;             // of ordering, where all batches are alike
  double mostGain = 1;            // of any ordering with these batches
  std::vector<Factor> factors;    // of the sparse device
};

/// Times batches by the devices' models and runs them through the pipeline. Aggregation of a pass is shared
/// among batches by their nonzeros (by rows where there are none), updates are timed batch by batch. The
/// source is put in order in place where that is asked. Deterministic.
/// Throws InputError for what simulatePipeline, timePhase and splitUnits refuse; what `progress` throws.
PairedResult simulatePaired(const PairedSettings& settings, SourceGraph& source, const Library& library,
                            const Progress& progress = {});

}  // namespace halo::sim
