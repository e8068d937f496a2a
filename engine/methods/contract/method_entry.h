#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/problem.h"
#include "engine/base/registry.h"
#include "engine/experiment/experiment.h"
#include "engine/methods/contract/holdings.h"
#include "engine/methods/contract/layer_work.h"
#include "engine/methods/contract/placement.h"
#include "engine/methods/contract/predictions.h"
#include "engine/methods/contract/style.h"
#include "engine/record/rows/metric.h"

namespace halo {

class Method;
struct MethodEntry;
struct WorkerParts;  // engine/methods/worker/worker_parts.h

/// What is known of a data set before it is trained on.
struct DataShape {
  std::span<const Index> widths;                   // d_0 … d_L
  std::function<std::vector<Split>()> split = {};  // by vertex; nobody to ask, or empty: not known
};

/// The model as the method trains it. Its order "auto" becomes what the method means by it. Where the method,
/// or dropout after aggregation, is defined for aggregate-first layers only, it becomes aggregate-first.
/// Throws InputError for "update-first" then.
ModelSettings modelFor(const MethodEntry& method, ModelSettings model);

/// Why the method cannot do this run, by the key that is wrong; empty if it can.
std::vector<Problem> refusals(const MethodEntry& method, const RunSettings& run);
/// What a rank keeps besides what all full-graph methods do: as the method's own file says
/// (MethodEntry::memory), or else the buffers of a halo exchange.
Memory predictedMemory(const MethodEntry& method, const MemoryRequest& request);
/// Whether Z(0) = P X is computed once: always with this method, or because "layer0_cache" says so.
bool cachesLayer0(const MethodEntry& method, const Values& parameters);
/// As the method's own file says; or else all epochs after the first are alike.
EpochCycle cycleOf(const MethodEntry& method, const RunSettings& run, int ranks);
/// Whether the model gets an embedding of labels: "label_propagation" is above 0.
bool embedsLabels(const Values& parameters);

/// One method, registered by its own file.
struct MethodEntry {
  Declaration declaration;
  bool distributed = true;         // false: exactly one worker
  std::int64_t fewestWorkers = 1;  // that it can be run on; so many where cluster.workers is not given
  bool probed = true;              // its staleness is measured, not left out
  std::unique_ptr<Method> (*make)(WorkerParts& parts, const Values& values) = nullptr;
  std::vector<PredictedVolume> (*predict)(const VolumeRequest& request) = nullptr;
  /// Bytes that a rank keeps besides what all full-graph methods do (RowSteps and the input rows), after some
  /// epochs and an evaluation. A category may be negative where there is less. Not said: the buffers of a
  /// halo exchange. For who predicts memory without running (simulator/cluster).
  Memory (*memory)(const MemoryRequest& request) = nullptr;
  /// Of the run's parameters, on so many ranks.
  MethodStyle (*style)(const RunSettings& run, int ranks) = nullptr;
  /// Of a method whose epochs after the first do not all send the same.
  EpochCycle (*cycle)(const RunSettings& run, int ranks) = nullptr;
  /// Trains on mini-batches: several updates an epoch, and what it sends is known once they are drawn.
  bool sampled = false;
  /// Of such a method: sums of gradients in an epoch, by what that decided. Not said: one.
  std::int64_t (*reductions)(const VolumeRequest& request) = nullptr;
  /// Of such a method: the batches of an epoch, as a run draws them. For who predicts without training
  /// (simulator/cluster). Throws InputError for batches that these training vertices do not allow.
  DrawnEpoch (*draw)(const DrawRequest& request) = nullptr;
  /// Each rank has some rows of the weights of the features, which it steps alone: they are not summed.
  bool slicesInput = false;
  bool exact = true;  // gives what one worker gives, to rounding
  bool aggregatesFirst =
      false;  // defined for aggregate-first layers only: what model.order = auto then means
  bool alwaysCachesLayer0 = false;
  bool attends = false;           // trains layers whose coefficients depend on both ends of an edge (gat) too
  bool attendsToUpdated = false;  // and these, though it aggregates first else, update first
  /// Parameter values with which it is exact, where it is not with every value of these.
  std::vector<std::pair<std::string, Value>> exactWith = {};
  /// Rules of its own that a run breaks.
  std::vector<Problem> (*refuse)(const RunSettings& run) = nullptr;
  /// What model.order = auto means, where it is not the cheaper order by widths: as
  /// layerOrder takes it.
  std::string_view autoOrder = "auto";
  /// The same for what is known once the data set is.
  std::vector<Problem> (*refuseData)(const RunSettings& run, const DataShape& data) = nullptr;
  /// Who owns which vertex, where that is not for the partitioner to say.
  Owners (*place)(const PlacementRequest& request) = nullptr;
  /// In which order vertices are worked on, where that is not for each rank to say: all learn of it
  /// (Share::order), and `place` before them.
  std::vector<Vertex> (*order)(const PlacementRequest& request) = nullptr;
  /// Cuts vertices: Share::arcs is what it trains on.
  bool placesArcs = false;
  /// What stands in VolumeRequest::tables, where it is not the halo rows: one table, or one for each thing
  /// that its `predict` knows to differ.
  std::vector<RowTable> (*countRows)(const CountRequest& request) = nullptr;
  /// What its `metrics` gives: reports name these so.
  std::vector<Metric> figures = {};
};

}  // namespace halo
