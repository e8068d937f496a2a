#pragma once

#include <vector>

#include "engine/comm/communicator/communicator.h"
#include "engine/kernels/dense/running_mean.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// Which peer's message to take next: whichever is here first, or by ascending rank.
enum class Arrival { any, inOrder };

/// Exchanges boundary rows along a halo plan, in either direction (resources/design/methods.md, The halo
/// plan). One exchange at a time: start…, compute something that does not need the halo, finish….
class HaloExchange {
 public:
  /// The plan may change between exchanges, never while one is under way.
  HaloExchange(Communicator& communicator, const std::vector<HaloPeer>& peers)
      : comm_(communicator), peers_(peers) {
    transfers_.reserve(2 * peers.size());
  }

  /// Makes the buffers large enough for rows of `width`, so that no start has to.
  void reserve(Index width);
  /// Makes known that messages of this layer will come, so that none that is the first of its kind, some
  /// epochs later, has to.
  void announce(int layer);
  /// As reserve, where only startBackward comes.
  void reserveReturned(Index width);

  /// Posts X's boundary rows to the peers that need them. X (own × width) is packed before this returns.
  void startForward(int layer, const Matrix& X);
  /// The halo rows (halo × width), in halo order, once all have arrived; valid until the next start.
  Matrix& finishForward();

  /// Posts the gradients of halo rows (halo × width) back to their owners. `haloGradient` must live until
  /// finishBackward.
  void startBackward(int layer, const Matrix& haloGradient);
  /// Waits for the rows that the peers return, without adding them yet. The peers' rows follow one another in
  /// ascending rank, each peer's in the order of its sendRows. Valid until the next start.
  std::span<Scalar> awaitBackward();
  /// Adds what the peers returned to dX (own × width), peers in ascending rank.
  void finishBackward(Matrix& dX);
  /// Adds rows that stand as awaitBackward gives them.
  void addReturned(std::span<const Scalar> rows, Matrix& dX);
  /// Instead of finishBackward: what the peers returned enters `mean`, whose rows stand as awaitBackward
  /// gives them, and the mean is added to dX. At the first step the mean may still be empty.
  void finishBackwardSmoothed(const MeanStep& step, Matrix& mean, Matrix& dX);

  /// Instead of finishForward or awaitBackward, one peer a call: the next whose rows have come, into halo()
  /// or for addReturned. Gives nullptr once all have come and all was sent.
  const HaloPeer* next(Arrival order);
  /// The same, once this peer's have come.
  const HaloPeer* next(const HaloPeer& peer);
  Matrix& halo() { return halo_; }
  /// Adds what this peer returned to dX.
  void addReturned(const HaloPeer& peer, Matrix& dX);

  bool underWay() const { return !transfers_.empty(); }
  /// Completes what is under way, whatever arrives.
  void drain() { finishForward(); }

  /// Gives its buffers back, until they are needed again; never while an exchange is under way.
  void release() {
    halo_ = Matrix();
    packed_ = Buffer<Scalar>();
  }
  std::size_t bufferBytes() const { return haloBytes() + packedBytes(); }
  /// Of them, those of the halo rows; and those of rows that are packed, or returned.
  std::size_t haloBytes() const { return halo_.heldBytes(); }
  std::size_t packedBytes() const { return heldBytes(packed_); }

 private:
  const HaloPeer* taken(std::span<Transfer>::iterator receive);

  Communicator& comm_;
  const std::vector<HaloPeer>& peers_;
  Matrix halo_;                      // halo rows received
  Buffer<Scalar> packed_;            // boundary rows to send, or gradients received, by peer
  std::vector<Transfer> transfers_;  // receives, then sends
  std::size_t receives_ = 0;
  Index width_ = 0;
};

}  // namespace halo
