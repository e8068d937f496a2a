#pragma once

#include <cstdint>
#include <vector>

#include "engine/methods/hyscale/part.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo::hyscale {

/// What a card of its own has been used for.
struct CardUse {
  std::int64_t memoryBytes = 0;             // allocated there now
  std::int64_t bytesUp = 0, bytesDown = 0;  // to it and from it since the beginning
};

/// What trains a part of a batch: the processors, threads of this machine that stand for a card, or a card.
/// The link's actor calls `transfer`, the trainer's actor all else; the state machine keeps both from a part
/// that the other has.
class Device {
 public:
  virtual ~Device() = default;

  /// The rows of a part, from the host's memory to where they are trained on.
  virtual void transfer(Part& part) = 0;
  /// step: number of the update, from 0. Makes the gradients of the mean loss in model(); sets the loss and
  /// the nonzeros of the part.
  virtual void train(Part& part, std::int64_t step) = 0;
  /// The weights as the worker's model has them now.
  virtual void takeWeights() = 0;
  virtual Model& model() = 0;

  /// FLOP and CPU time since it was last asked, added by layer and pass.
  virtual void takeWork(std::vector<WorkRow>& rows) = 0;
  /// Activations, aggregated rows, gradients, and blocks with their matrices under `exchange`; of the host's
  /// memory.
  virtual void addTo(Memory& memory) const = 0;
  /// Of a device with memory of its own; asked while nothing runs.
  virtual CardUse cardUse() const { return {}; }
  /// The same: bytes to it and from it in the last `transfer`, or the last `train`. Asked by who called for
  /// it.
  virtual std::int64_t transferBytes() const { return 0; }
  virtual std::int64_t trainBytes() const { return 0; }
};

}  // namespace halo::hyscale
