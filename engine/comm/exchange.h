#pragma once

#include <vector>

#include "engine/comm/communicator.h"
#include "engine/partition/halo.h"

namespace halo {

/// Exchanges boundary rows along a halo plan, in either direction (methods.md A1, A2). One exchange at a
/// time: start…, compute something that does not need the halo, finish….
class HaloExchange {
 public:
  HaloExchange(Communicator& communicator, const LocalGraph& graph) : comm_(communicator), graph_(graph) {}

  /// Posts X's boundary rows to the peers that need them. X (own × width) is packed before this returns.
  void startForward(int layer, const Matrix& X);
  /// The halo rows (halo × width), in halo order, once all have arrived; valid until the next start.
  const Matrix& finishForward();

  /// Posts the gradients of halo rows (halo × width) back to their owners. `haloGradient` must live until
  /// finishBackward.
  void startBackward(int layer, const Matrix& haloGradient);
  /// Waits for what the peers return, without adding it yet.
  void awaitBackward();
  /// Adds what the peers returned to dX (own × width), peers in ascending rank.
  void finishBackward(Matrix& dX);

  std::size_t bufferBytes() const { return halo_.bytes() + packed_.size() * sizeof(Scalar); }

 private:
  Communicator& comm_;
  const LocalGraph& graph_;
  Matrix halo_;            // halo rows received
  Buffer<Scalar> packed_;  // boundary rows to send, or gradients received, by peer
  std::vector<Transfer> transfers_;
  Index width_ = 0;
};

}  // namespace halo
