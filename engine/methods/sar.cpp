// SAR, sequential aggregation (methods.md 12; Mostafa, MLSys 2022): the halo is never held whole. The rows of
// one remote part at a time are fetched, aggregated and dropped, in P − 1 rounds, while those of the next
// round travel. Synchronous, exact; halo memory is bound by the two largest single messages.
//
//   round r = 1 … P − 1 of rank i:   Z_i += P[V_i, B_ij] Y(B_ij),  j = i + r mod P
//
// Backward the same rounds return P[V_i, B_ij]ᵀ dZ_i to part j and add what part i − r returned.
#include <algorithm>
#include <array>

#include "engine/kernels/gather.h"
#include "engine/methods/full_graph.h"
#include "engine/methods/volume.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    kLayer0CacheParameter,
}};

/// What this rank exchanges with one other.
struct Partner {
  const HaloPeer* peer = nullptr;
  Csr block, transposed;  // own × its rows here, and back
};

class SequentialPropagator final : public Propagator {
 public:
  explicit SequentialPropagator(WorkerParts& parts)
      : parts_(parts), ownTransposed_(transpose(parts.share.graph.own)) {
    partners_.resize(static_cast<std::size_t>(parts.share.graph.parts));
    for (const HaloPeer& peer : parts.share.graph.peers) {
      Partner& partner = partners_[static_cast<std::size_t>(peer.rank)];
      partner.peer = &peer;
      partner.block = columnsOf(parts.share.graph.halo, peer.receiveBegin, peer.receiveCount);
      partner.transposed = transpose(partner.block);
    }
  }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    startForward(1, layer, Y);
    aggregate(parts_.tracer, parts_.share.graph.own, Y, Z, Write::overwrite);
    for (int r = 1; r < rounds(); ++r) {
      if (r + 1 < rounds()) startForward(r + 1, layer, Y);
      Round& round = round_[r % 2];
      wait(round);
      const Partner& from = partner(r);
      if (from.block.nonzeros() > 0) aggregate(parts_.tracer, from.block, round.received, Z, Write::add);
    }
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    startBackward(1, layer, dZ);
    aggregate(parts_.tracer, ownTransposed_, dZ, dY, Write::overwrite);
    for (int r = 1; r < rounds(); ++r) {
      if (r + 1 < rounds()) startBackward(r + 1, layer, dZ);
      Round& round = round_[r % 2];
      wait(round);
      const HaloPeer* from = partner(-r).peer;
      if (from == nullptr || from->sendRows.empty()) continue;
      const Timed timed(parts_.tracer, Kind::compute, Name::gather);
      addRows(round.received.values(), from->sendRows, dY);
    }
  }

  std::size_t bufferBytes() const override {
    std::size_t bytes = 0;
    for (const Round& round : round_) bytes += round.received.bytes() + round.sent.bytes();
    return bytes;
  }

 private:
  /// One message in and one out; two of these take turns.
  struct Round {
    Matrix received, sent;
    std::vector<Transfer> transfers;
  };

  int rounds() const { return parts_.share.graph.parts; }
  Partner& partner(int steps) {
    const int parts = rounds(), at = (parts_.share.graph.rank + steps % parts + parts) % parts;
    return partners_[static_cast<std::size_t>(at)];
  }

  // Round r fetches from rank + r and serves rank − r.
  void startForward(int r, int layer, const Matrix& Y) {
    if (r >= rounds()) return;
    Round& round = round_[r % 2];
    const HaloPeer* from = partner(r).peer;
    const HaloPeer* to = partner(-r).peer;
    receive(round, from, from == nullptr ? 0 : from->receiveCount, 2 * layer, Y.cols());
    if (to == nullptr || to->sendRows.empty()) return;
    round.sent.resize(static_cast<Index>(to->sendRows.size()), Y.cols());
    {
      const Timed timed(parts_.tracer, Kind::compute, Name::gather);
      gatherRows(Y, to->sendRows, round.sent.values());
    }
    send(round, *to, 2 * layer);
  }

  // Round r returns gradients to rank + r and takes those that rank − r returns.
  void startBackward(int r, int layer, const Matrix& dZ) {
    if (r >= rounds()) return;
    Round& round = round_[r % 2];
    const HaloPeer* from = partner(-r).peer;
    Partner& to = partner(r);
    receive(round, from, from == nullptr ? 0 : static_cast<Index>(from->sendRows.size()), 2 * layer + 1,
            dZ.cols());
    if (to.peer == nullptr || to.peer->receiveCount == 0) return;
    aggregate(parts_.tracer, to.transposed, dZ, round.sent, Write::overwrite);
    send(round, *to.peer, 2 * layer + 1);
  }

  void receive(Round& round, const HaloPeer* from, Index rows, int tag, Index width) {
    round.received.resize(rows, width);
    if (rows > 0)
      round.transfers.push_back(parts_.comm.startReceive(from->rank, tag, round.received.values(), width));
  }
  void send(Round& round, const HaloPeer& to, int tag) {
    round.transfers.push_back(
        parts_.comm.startSend(to.rank, tag, std::as_const(round.sent).values(), round.sent.cols()));
  }
  void wait(Round& round) {
    parts_.comm.waitAll(round.transfers);
    round.transfers.clear();
  }

  WorkerParts& parts_;
  Csr ownTransposed_;
  std::vector<Partner> partners_;  // by rank
  std::array<Round, 2> round_;
};

const Registered<MethodEntry> self{
    {{"sar", "fetch and aggregate the halo one part at a time, so that it is never held whole",
      "SAR, Mostafa, MLSys 2022", kParameters},
     true,
     [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
       return std::make_unique<FullGraph>(parts, std::make_unique<SequentialPropagator>(parts),
                                          values.flag("layer0_cache"));
     },
     predictHaloExchange}};

}  // namespace
}  // namespace halo
