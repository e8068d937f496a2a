#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/comm/exchange/batch_transposition.h"
#include "engine/comm/exchange/row_directory.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// One aggregation of all vertices.
struct Aggregated {
  int layer = 0;
  Pass pass = Pass::forward;
  /// Whether the columns that it takes come from who holds rows; those of the features are at hand.
  bool takesRows() const { return layer > 0 || pass == Pass::backward; }
};

/// A chain of aggregations, each followed by the update of its rows; a view.
struct Chain {
  std::span<const Aggregated> steps;
  std::int32_t epoch = 0;
  bool training = false;
  bool fillsCache = false;  // the aggregate of the features, which is kept: nobody asks for them again
};

/// What both sides of the pipeline are built from. All outlive them.
struct PipelineParts {
  WorkerParts& worker;
  const BatchPlan& plan;
  bool weighted = false;  // whether the propagation matrix of the whole graph has values
  bool layer0Cached = false;
  std::function<void(int layer, Pass pass)> workDone;
};

/// One side of the pipeline of MoA (MixGCN 3.2.2). An aggregator multiplies, batch after batch, its slice of
/// the columns with the propagation matrix. An updater does the rest on its rows of every batch. Each works
/// through aggregations and batches in the same order and waits only for what its next batch is made of:
///
///   aggregator   batch b of aggregation p once the rows that it refers to are updated after p − 1
///   updater      batch b of aggregation p once all aggregators have sent their slice of it
///
/// so that, where the first batches do not refer to the last rows, one aggregation begins before the one
/// before is updated.
class PipelineSide {
 public:
  virtual ~PipelineSide() = default;
  virtual std::string_view role() const = 0;
  /// Collective, and complete on return. A chain of layer 0 alone, where that is cached, only fills the
  /// cache.
  virtual void run(const Chain& chain) = 0;
  /// The next chain of these steps will be probed: makes room for what has to be kept of it.
  virtual void prepareProbe(std::span<const Aggregated> /*steps*/) {}
  /// Runs that chain once more: how far what the aggregations bring is from what they brought, over the own
  /// rows; so 0 for who has none. Collective.
  virtual std::vector<Staleness> probe(const Chain& chain) {
    run(chain);
    std::vector<Staleness> rows;
    for (const Aggregated& step : chain.steps) rows.push_back({step.layer, step.pass});
    return rows;
  }
  /// This rank's part of the loss in the last chain that trained.
  virtual double loss() const { return 0; }
  /// Sums over the batches into the gradients of the model; zeros where nothing is updated.
  virtual void takeGradients() = 0;
  /// Of the own vertices in the order of LocalGraph::owned.
  virtual const Matrix& outputs() const = 0;
  virtual void addTo(Memory& memory) const = 0;
  virtual std::size_t graphBytes() const { return 0; }
  /// Columns of all rows travel, so there is no boundary and nothing remote.
  virtual Holdings holdings() const { return {}; }
  /// How long it waited for the other side so far.
  virtual std::int64_t waitedNs() const = 0;
};

// Collective: each rank makes its side.
std::unique_ptr<PipelineSide> makeAggregator(const PipelineParts& parts, RowDirectory& directory, int slice);
std::unique_ptr<PipelineSide> makeUpdater(const PipelineParts& parts, RowDirectory& directory, int holder);

/// Where the columns of the features are turned at set-up.
constexpr Turn kFeaturesTurn = 0;
constexpr int kFeaturesTag = 0;

}  // namespace halo
