#pragma once

#include <span>
#include <vector>

#include "engine/comm/communicator/bytes.h"
#include "engine/hybrid/resource_manager.h"
#include "engine/methods/hyscale/settings.h"
#include "engine/record/rows/hybrid_rows.h"

namespace halo::hyscale {

/// When the resource manager is asked, and by which medians: windows of iterations that a mapping has to
/// itself. Without `manage` the mapping stays.
class Decisions {
 public:
  /// lag: iterations until the first batch has passed all stages; travel: the same of one with a new mapping.
  /// `node` outlives this.
  Decisions(const NodeSettings& node, const HybridMapping& start, Index lag, Index travel);

  const HybridMapping& mapping() const { return manager_.mapping(); }
  /// After iteration t of the run, with what its stages took; nextBatch is the first to be opened after it.
  void iterationDone(Index iteration, const HybridTimes& times, double seconds, Index nextBatch);

  /// What was decided or judged since this was last asked; what is judged is forgotten then. A row's
  /// `iteration` is the number of a batch of the run, its epoch is left out.
  std::span<const DecisionRow> takeRows();
  /// Changes that were tried, kept or not.
  Index count() const { return manager_.tried(); }
  /// Until the manager had nothing left to try; 0: it has.
  Index windowsToRest() const { return manager_.windowsToRest(); }

  /// Those that will not be told again.
  std::size_t forgotten() const { return forgotten_; }
  /// For a run that goes on. Batches count from `first`, a step of the run; `iteration` comes next.
  void keep(ByteWriter& out, Index first, Index iteration) const;
  void resume(ByteReader& in, Index first, Index iteration);

 private:
  struct Measured {
    HybridTimes times;
    double seconds = 0;
  };
  void decide();

  const NodeSettings& node_;
  ResourceManager manager_;
  Index settled_, travel_;
  std::vector<Measured> window_;
  std::vector<Index> firstBatches_ = {0};  // that were opened with the mapping of each of its decisions
  std::vector<DecisionRow> rows_;
  std::size_t forgotten_ = 0;  // decisions before those that the manager still has
  bool rowsAreTaken_ = false;  // as they are now
};

/// Of each stage; of an even number the upper one.
HybridTimes medianTimes(std::span<const HybridTimes> times);

}  // namespace halo::hyscale
