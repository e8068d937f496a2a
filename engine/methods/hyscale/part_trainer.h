#pragma once

#include <vector>

#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/full_graph/row_steps.h"
#include "engine/methods/hyscale/device.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/methods/minibatch/turned_block.h"

namespace halo::hyscale {

/// A trainer on threads of this machine. It passes its part of a batch through weights of its own, which are
/// copies, and holds the gradient of its mean loss. Trainers share nothing that they write.
class PartTrainer : public Device {
 public:
  /// Begins with the weights of `worker.model`. All outlive this.
  PartTrainer(const WorkerParts& worker, const Topology& topology, const BatchSettings& settings);
  PartTrainer(const PartTrainer&) = delete;
  PartTrainer& operator=(const PartTrainer&) = delete;

  void transfer(Part& part) override;
  void train(Part& part, std::int64_t step) final;
  void takeWeights() final;
  Model& model() final { return model_; }
  void takeWork(std::vector<WorkRow>& rows) final;
  void addTo(Memory& memory) const final;

 protected:
  /// Forward, loss and backward of a part that has seeds.
  virtual void pass(Part& part);
  /// The matrix of layer l, turned too or not.
  const TurnedBlock& weigh(Part& part, int l, bool turned);
  void takeTargets(const Part& part);
  void workDone(int layer, Pass pass);

  const WorkerParts& worker_;
  std::int64_t step_ = 0;                 // of the part under way
  std::vector<std::vector<Vertex>> ids_;  // V^l, l = 0 … L
  std::vector<std::int32_t> labels_;      // of the seeds, as are the next two
  Matrix multiLabels_;
  std::vector<std::uint8_t> chosen_;

 private:
  void forwardLayer(Part& part, int l);
  void backwardLayer(int l);

  const Topology& topology_;
  const BatchSettings& settings_;
  Tracer tracer_;  // nobody reads it
  Model model_;
  WorkerParts own_;
  std::vector<TurnedBlock> matrices_;  // by layer
  const Matrix* rows_ = nullptr;       // of the part under way
  Aggregation aggregation_;
  RowSteps steps_;
  std::vector<WorkRow> work_;
  Work workAt_;
  std::int64_t cpuAt_ = 0;
};

}  // namespace halo::hyscale
