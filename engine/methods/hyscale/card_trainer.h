#pragma once

#include <memory>

#include "engine/kernels/opencl/card_network.h"
#include "engine/methods/hyscale/part_trainer.h"

namespace halo::hyscale {

/// A trainer on a device of OpenCL. Matrices of blocks are weighed and turned on the host, and the loss is
/// taken there. The seeds' outputs come back, their gradient goes up, and at the end the gradients of the
/// weights come back. Equal to PartTrainer's to rounding.
class CardTrainer final : public PartTrainer {
 public:
  /// Throws EnvironmentError where the device cannot serve. All outlive this.
  CardTrainer(const WorkerParts& worker, const Topology& topology, const BatchSettings& settings,
              const OpenClLibrary& library, const OpenClDeviceInfo& info);

  /// By a queue beside that of the kernels: rows of the next part go up while this one is trained on.
  void transfer(Part& part) override;
  CardUse cardUse() const override;
  std::int64_t transferBytes() const override { return transferBytes_; }
  std::int64_t trainBytes() const override { return trainBytes_; }

 private:
  void pass(Part& part) override;
  void passOnCard(Part& part);
  void setWeights();
  void takeGradients();
  double lossGradient(const Part& part);
  /// The weights of layer l as CardNetwork has them.
  std::vector<Weight*> weights(int l);

  OpenClDevice device_;
  CardLink link_;
  CardNetwork network_;
  Matrix outputs_, dOutputs_;
  std::int64_t transferBytes_ = 0, trainBytes_ = 0;  // of the last
};

}  // namespace halo::hyscale
