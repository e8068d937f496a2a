// SAR, sequential aggregation (Mostafa, MLSys 2022): the halo is never held whole. The rows of one remote
// part at a time are fetched, aggregated and dropped, in P − 1 rounds, while those of the next round travel.
// Synchronous, exact. Halo memory is bound by the two largest single messages. The buffers that others' rows
// come into are those that their gradients leave from. What is packed to leave has buffers of its own, into
// which gradients come back. That bounds both passes of every layer.
//
//   round r = 1 … P − 1 of rank i:   Z_i += P[V_i, B_ij] Y(B_ij),  j = i + r mod P
//
// Backward the same rounds return P[V_i, B_ij]ᵀ dZ_i to part j and add what part i − r returned. Where layers
// attend, the softmax runs along from part to part. The rounds backward fetch the rows once more to make the
// coefficients anew: another R · width an epoch and layer. There the rows of the next round travel while
// those of this one are worked on. Its gradients have left by the time the next round's are made.
#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    kLayer0CacheParameter,
}};

/// What this rank exchanges with one other.
struct Partner {
  const HaloPeer* peer = nullptr;
  Csr edges;                          // own × its rows here
  std::optional<TurnedEdges> turned;  // of edges
};

class SequentialPropagator final : public Propagator {
 public:
  explicit SequentialPropagator(WorkerParts& parts)
      : parts_(parts),
        aggregation_(parts),
        own_(parts.model, parts.share.graph.own),
        sources_(at(parts.model.layers())),
        partners_(at(parts.share.graph.parts)) {
    for (Partner& partner : partners_) partner.edges.offsets.assign(parts.share.graph.owned.size() + 1, 0);
    for (const HaloPeer& peer : parts.share.graph.peers) {
      Partner& partner = partners_[at(peer.rank)];
      partner.peer = &peer;
      partner.edges = columnsOf(parts.share.graph.halo, peer.receiveBegin, peer.receiveCount);
    }
    for (Partner& partner : partners_) partner.turned.emplace(parts.model, partner.edges);
  }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    sources_[at(layer)] = &Y;
    startFetch(1, layer);
    aggregation_.begin(layer, Y, Z);
    aggregation_.add(own_.block(), Y);
    for (int r = 1; r < rounds(); ++r) {
      startFetch(r + 1, layer);
      const Matrix& rows = finish(r).halo;
      const Partner& from = partner(r);
      if (from.edges.nonzeros() > 0) aggregation_.add(from.turned->block(), rows);
    }
    aggregation_.finish();
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    aggregation_.beginBackward(layer, dZ);
    if (aggregation_.attends())
      backwardByFetching(layer, dY);
    else
      backwardAlone(layer, dZ.cols(), dY);
    aggregation_.finishBackward(dY);
  }

  void release() override {
    for (Round& round : rounds_) round = Round();
  }
  std::size_t bufferBytes() const override {
    std::size_t bytes = aggregation_.bytes();
    for (const Round& round : rounds_) bytes += round.halo.heldBytes() + round.boundary.heldBytes();
    return bytes;
  }

 private:
  /// One message in and one out; two of these take turns. Rows of the part that is fetched from, or their
  /// gradients; own rows for the part that is served, or theirs.
  struct Round {
    Matrix halo, boundary;
    std::vector<Transfer> transfers;
  };

  int rounds() const { return parts_.share.graph.parts; }
  Partner& partner(int steps) {
    const int parts = rounds(), part = (parts_.share.graph.rank + steps % parts + parts) % parts;
    return partners_[at(part)];
  }

  void backwardAlone(int layer, Index width, Matrix& dY) {
    startGradients(1, layer, width);
    aggregation_.ownGradients(own_.block(), dY);
    for (int r = 1; r < rounds(); ++r) {
      startGradients(r + 1, layer, width);
      addGradients(r, dY);
    }
  }

  // Gradients take the place of the rows that they are made of, and those that come back that of the rows
  // that went out. So what returns to a round has to be there before the round after the next is fetched.
  void backwardByFetching(int layer, Matrix& dY) {
    startFetch(1, layer);
    aggregation_.ownGradients(own_.block(), dY);
    for (int r = 1; r < rounds(); ++r) {
      if (r > 1) addGradients(r - 1, dY);
      startFetch(r + 1, layer);
      Round& round = finish(r);
      const Partner& to = partner(r);
      if (to.peer != nullptr && to.peer->receiveCount > 0)
        aggregation_.rowGradientsInPlace(to.turned->block(), round.halo);
      exchangeGradients(r, layer, dY.cols());
    }
    if (rounds() > 1) addGradients(rounds() - 1, dY);
  }

  // Round r fetches from rank + r and serves rank − r.
  void startFetch(int r, int layer) {
    if (r >= rounds()) return;
    const Matrix& Y = *sources_[at(layer)];
    Round& round = rounds_[at(r % 2)];
    const HaloPeer* from = partner(r).peer;
    const HaloPeer* to = partner(-r).peer;
    receive(round, round.halo, from, from == nullptr ? 0 : from->receiveCount, 2 * layer, Y.cols());
    if (to == nullptr || to->sendRows.empty()) return;
    round.boundary.resize(static_cast<Index>(to->sendRows.size()), Y.cols());
    {
      const Timed timed(parts_.tracer, Kind::compute, Name::gather);
      gatherRows(Y, to->sendRows, round.boundary.values());
    }
    send(round, round.boundary, *to, 2 * layer);
  }

  // Makes the gradients of round r, where that takes no rows.
  void startGradients(int r, int layer, Index width) {
    if (r >= rounds()) return;
    Round& round = rounds_[at(r % 2)];
    const Partner& to = partner(r);
    if (to.peer != nullptr && to.peer->receiveCount > 0)
      aggregation_.rowGradients(to.turned->block(), round.halo, round.halo);
    exchangeGradients(r, layer, width);
  }

  // Round r returns gradients to rank + r and takes those that rank − r returns.
  void exchangeGradients(int r, int layer, Index width) {
    Round& round = rounds_[at(r % 2)];
    const HaloPeer* from = partner(-r).peer;
    const HaloPeer* to = partner(r).peer;
    receive(round, round.boundary, from, from == nullptr ? 0 : static_cast<Index>(from->sendRows.size()),
            2 * layer + 1, width);
    if (to != nullptr && to->receiveCount > 0) send(round, round.halo, *to, 2 * layer + 1);
  }

  void addGradients(int r, Matrix& dY) {
    const Matrix& rows = finish(r).boundary;
    const HaloPeer* from = partner(-r).peer;
    if (from == nullptr || from->sendRows.empty()) return;
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    addRows(rows.values(), from->sendRows, dY);
  }

  void receive(Round& round, Matrix& into, const HaloPeer* from, Index rows, int tag, Index width) {
    into.resize(rows, width);
    if (rows > 0) round.transfers.push_back(parts_.comm.startReceive(from->rank, tag, into.values(), width));
  }
  void send(Round& round, const Matrix& rows, const HaloPeer& to, int tag) {
    round.transfers.push_back(parts_.comm.startSend(to.rank, tag, rows.values(), rows.cols()));
  }
  Round& finish(int r) {
    Round& round = rounds_[at(r % 2)];
    parts_.comm.waitAll(round.transfers);
    round.transfers.clear();
    return round;
  }

  WorkerParts& parts_;
  Aggregation aggregation_;
  TurnedEdges own_;
  std::vector<const Matrix*> sources_;  // by layer: the own rows that are sent
  std::vector<Partner> partners_;       // by rank
  std::array<Round, 2> rounds_;
};

// Where layers attend, what is fetched forward is fetched backward too.
std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  std::vector<PredictedVolume> flows = predictHaloExchange(request);
  if (!request.attends) return flows;
  const std::size_t once = flows.size();
  for (std::size_t i = 0; i < once; ++i)
    if (flows[i].pass == Pass::forward) {
      flows.push_back(flows[i]);
      flows.back().pass = Pass::backward;
    }
  return flows;
}

/// One part's rows in and out, of the two rounds that are under way at a time; no less than is kept.
Memory memoryOf(const MemoryRequest& request) {
  const std::int64_t width = std::max(widest(request.forward), widest(request.backward));
  Memory memory{};
  bytesOf(memory, MemoryOf::exchange) =
      std::min(2, request.ranks - 1) * heldRows(request.largestReceived + request.largestSent, width);
  return memory;
}

MethodStyle styleOf(const RunSettings& run, int) {
  MethodStyle style{.order = ExchangeOrder::rounds, .pairsAlone = true};
  if (attends(run.model))
    style.unknown = "its rows are fetched again among the gradients of the other rounds";
  return style;
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"sar", "fetch and aggregate the halo one part at a time, so that it is never held whole",
                    "SAR, Mostafa, MLSys 2022", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<SequentialPropagator>(parts),
                                         values.flag("layer0_cache"));
    },
    .predict = predict,
    .memory = memoryOf,
    .style = styleOf,
    .attends = true}};

}  // namespace
}  // namespace halo
