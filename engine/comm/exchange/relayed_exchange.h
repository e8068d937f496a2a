#pragma once

#include <span>
#include <vector>

#include "engine/comm/exchange/row_exchange.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// Rows of one matrix that go to, or come from, a rank.
struct PeerRows {
  int rank = 0;
  std::vector<Vertex> rows;
};

/// How halo rows get to those who need them in two stages: from their owners, and from ranks that got them so
/// to others. Ranks ascend, and so do rows by (owner, global number), at both ends. Every halo row stands
/// once in `direct` or in `relayed`.
struct RelayRoutes {
  Index haloRows = 0;
  std::vector<PeerRows> sent;     // own rows
  std::vector<PeerRows> direct;   // halo rows that come from their owners
  std::vector<PeerRows> passed;   // halo rows that are passed on
  std::vector<PeerRows> relayed;  // halo rows that come from others than their owners
};

/// Exchanges boundary rows along such routes, with the functions of HaloExchange. Backward, a rank that
/// passed a row on adds what comes back for it to its own gradient of that row. It returns one row to the
/// owner. What goes to owners of whom no row was passed on leaves at once, the rest when it is complete.
class RelayedExchange {
 public:
  RelayedExchange(Communicator& comm, RelayRoutes routes);

  void startForward(int layer, const Matrix& X);
  Matrix& finishForward();
  /// haloGradient is added to, until awaitBackward.
  void startBackward(int layer, Matrix& haloGradient);
  void awaitBackward();
  void finishBackward(Matrix& dX);
  /// As HaloExchange::release.
  void release();
  std::size_t bufferBytes() const;

 private:
  void pack(const std::vector<PeerRows>& peers, const Matrix& X, Matrix& packed);
  template <class Take>
  static void eachPeer(const std::vector<PeerRows>& peers, const Matrix& packed, const Take& take);

  Communicator& comm_;
  RelayRoutes routes_;
  std::vector<PeerRows> ready_, late_;  // `direct` by owner: none of its rows is passed on, or some are
  // owners', relays'; the same backward in the other order, of what waits for nothing and what for relays
  RowExchange out_, on_, back_, home_, homeLate_;
  Matrix packed_, packedOn_, halo_;
  Matrix* gradient_ = nullptr;
  const Matrix* returned_ = nullptr;  // to the owner
  int layer_ = 0;
};

}  // namespace halo
