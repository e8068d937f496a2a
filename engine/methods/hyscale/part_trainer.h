#pragma once

#include <vector>

#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/full_graph/row_steps.h"
#include "engine/methods/hyscale/part.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/methods/minibatch/turned_block.h"

namespace halo::hyscale {

/// One trainer: passes its part of a batch through weights of its own, which are copies, and holds the
/// gradient of its mean loss. Trainers share nothing that they write.
class PartTrainer {
 public:
  /// Begins with the weights of `worker.model`. All outlive this.
  PartTrainer(const WorkerParts& worker, const Topology& topology, const BatchSettings& settings);
  PartTrainer(const PartTrainer&) = delete;
  PartTrainer& operator=(const PartTrainer&) = delete;

  /// step: number of the update, from 0. Sets the loss and the nonzeros of the part.
  void train(Part& part, std::int64_t step);
  /// The weights as the worker's model has them now.
  void takeWeights();
  Model& model() { return model_; }

  /// FLOP and CPU time since it was last asked, added by layer and pass.
  void takeWork(std::vector<WorkRow>& rows);
  /// Activations, aggregated rows, gradients, and blocks with their matrices under `exchange`.
  void addTo(Memory& memory) const;

 private:
  void forwardLayer(Part& part, int l);
  void backwardLayer(int l);
  void takeTargets(const Part& part);
  void workDone(int layer, Pass pass);

  const WorkerParts& worker_;
  const Topology& topology_;
  const BatchSettings& settings_;
  Tracer tracer_;  // nobody reads it
  Model model_;
  WorkerParts own_;
  std::vector<TurnedBlock> matrices_;     // by layer
  std::vector<std::vector<Vertex>> ids_;  // V^l, l = 0 … L
  const Matrix* rows_ = nullptr;          // of the part under way
  Aggregation aggregation_;
  RowSteps steps_;
  std::vector<std::int32_t> labels_;
  Matrix multiLabels_;
  std::vector<std::uint8_t> chosen_;
  std::vector<WorkRow> work_;
  Work workAt_;
  std::int64_t cpuAt_ = 0;
};

}  // namespace halo::hyscale
