#pragma once

#include <optional>

#include "engine/methods/full_graph/halo_pass.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/evaluation_draw.h"
#include "engine/methods/minibatch/scoring.h"

namespace halo {

/// The outputs of all own rows by which mini-batch methods are scored. They are made layer by layer, as
/// full-graph methods make them, on the whole graph or on one that is drawn for it.
class FullScores {
 public:
  /// All outlive this.
  FullScores(WorkerParts& parts, const Topology& topology, const BatchSettings& settings);

  /// Collective.
  void make(std::int32_t epoch);
  const Matrix& outputs() const { return scoring_ ? scoring_->outputs() : scored_.outputs(); }
  void addTo(Memory& memory) const;

 private:
  WorkerParts& parts_;
  std::optional<Scoring> scoring_;  // where layers do not attend; else the next two
  RowSteps scored_;
  HaloPass halo_;
  std::optional<EvaluationDraw> drawn_;  // what is seen, if not the whole graph
};

}  // namespace halo
