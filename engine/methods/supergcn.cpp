// SuperGCN (methods.md 5): of the edges that cross from one part to another, some are summed by the source's
// rank (pre: one partial row a destination travels), the others by the destination's (post: one raw row a
// source travels). hybrid takes for each edge the side that makes the pair's message shortest: a minimum
// vertex cover of the cut. Synchronous, exact.
//
//   i → j forward:    [ Σ_u P[v,u] Y(u), v ∈ pre ; Y(u), u ∈ post ]      j adds, and sums the post edges
//   j → i backward:   [ dZ(v), v ∈ pre ; Σ_v P[v,u] dZ(v), u ∈ post ]    i adds, and sums the pre edges
//
// Departures: edge weights are folded into P instead of scaling rows before and after. The destination's rank
// makes the cover of a pair and tells the source's once, before the first epoch (not counted, as no set-up
// is).
#include <array>
#include <cstring>

#include "engine/comm/row_exchange.h"
#include "engine/kernels/gather.h"
#include "engine/methods/halo_pass.h"
#include "engine/methods/volume.h"
#include "engine/partition/cut.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 3> kAggregations = {"pre", "post", "hybrid"};
const std::array<Parameter, 3> kParameters = {{
    {"aggregation",
     "which rank sums an edge between parts: the source's, the destination's, or as is shortest",
     Choice{"hybrid", kAggregations}},
    kOverlapParameter,
    kLayer0CacheParameter,
}};

CutAggregation aggregationOf(const Values& values) {
  const std::string& word = values.text("aggregation");
  return word == "pre" ? CutAggregation::pre : word == "post" ? CutAggregation::post : CutAggregation::hybrid;
}

template <class Array>
void write(std::string& bytes, const Array& values) {
  const std::size_t count = values.size(), size = count * sizeof(*values.data());
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(values.data()), size);
}
template <class Array>
void read(std::string_view& bytes, Array& values) {
  std::size_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  values.resize(count);
  const std::size_t size = count * sizeof(*values.data());
  HALO_CHECK(sizeof count + size <= bytes.size());
  if (size > 0) std::memcpy(values.data(), bytes.data() + sizeof count, size);
  bytes.remove_prefix(sizeof count + size);
}

std::string encode(const CutOrder& order) {
  std::string bytes;
  write(bytes, order.preEdges.offsets);
  write(bytes, order.preEdges.columns);
  write(bytes, order.preEdges.values);
  write(bytes, order.post);
  return bytes;
}
CutOrder decode(std::string_view bytes) {
  CutOrder order;
  read(bytes, order.preEdges.offsets);
  read(bytes, order.preEdges.columns);
  read(bytes, order.preEdges.values);
  read(bytes, order.post);
  return order;
}

/// Collective. Tells every peer how what it sends here is split, and hears the same from it. Pairs go in the
/// same order on both sides, so nobody waits in a circle.
std::vector<CutOrder> exchangeOrders(Communicator& comm, const LocalGraph& graph,
                                     const std::vector<CutSplit>& splits) {
  std::vector<CutOrder> orders;
  for (std::size_t p = 0; p < graph.peers.size(); ++p) {
    const int peer = graph.peers[p].rank;
    if (comm.rank() < peer) comm.sendBytes(peer, encode(splits[p]));
    orders.push_back(decode(comm.receiveBytes(peer)));
    if (comm.rank() > peer) comm.sendBytes(peer, encode(splits[p]));
  }
  return orders;
}

std::vector<RowBlock> blocksOf(const CutEnd& end) {
  std::vector<RowBlock> blocks;
  for (const CutPeer& peer : end.peers) blocks.push_back({peer.rank, peer.begin, peer.count});
  return blocks;
}

class CutPropagator final : public Propagator {
 public:
  CutPropagator(WorkerParts& parts, const Values& values)
      : CutPropagator(parts, values, splitHalo(parts.share.graph, aggregationOf(values))) {}

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    pass(forward_, source_, destination_, 2 * layer, parts_.share.graph.own, Y, Z);
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    pass(backward_, destination_, source_, 2 * layer + 1, ownTransposed_, dZ, dY);
  }

  std::size_t bufferBytes() const override {
    return packed_.bytes() + forward_.bufferBytes() + backward_.bufferBytes();
  }

 private:
  CutPropagator(WorkerParts& parts, const Values& values, const std::vector<CutSplit>& splits)
      : parts_(parts),
        localFirst_(values.text("overlap") == "local-first"),
        ownTransposed_(transpose(parts.share.graph.own)),
        destination_(destinationEnd(parts.share.graph, splits)),
        source_(sourceEnd(parts.share.graph, exchangeOrders(parts.comm, parts.share.graph, splits))),
        forward_(parts.comm, blocksOf(source_), blocksOf(destination_)),
        backward_(parts.comm, blocksOf(destination_), blocksOf(source_)) {}

  template <class AnyMatrix>
  static auto rawRows(AnyMatrix& rows, const CutPeer& peer) {
    return rows.values().subspan(static_cast<std::size_t>(peer.rawBegin * rows.cols()),
                                 peer.raw.size() * static_cast<std::size_t>(rows.cols()));
  }

  // One direction is the other with the ends' roles swapped.
  void pass(RowExchange& exchange, const CutEnd& from, const CutEnd& to, int tag, const Csr& own,
            const Matrix& X, Matrix& Y) {
    pack(from, X);
    exchange.start(tag, packed_);
    if (localFirst_) aggregate(parts_.tracer, own, X, Y, Write::overwrite);
    const Matrix& arrived = exchange.finish();
    if (!localFirst_) aggregate(parts_.tracer, own, X, Y, Write::overwrite);
    add(to, arrived, Y);
  }

  void pack(const CutEnd& end, const Matrix& X) {
    packed_.resize(end.messageRows(), X.cols());
    if (end.partial.nonzeros() > 0) aggregate(parts_.tracer, end.partial, X, packed_, Write::overwrite);
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    for (const CutPeer& peer : end.peers) gatherRows(X, peer.raw, rawRows(packed_, peer));
  }

  void add(const CutEnd& end, const Matrix& rows, Matrix& Y) {
    if (end.spread.nonzeros() > 0) aggregate(parts_.tracer, end.spread, rows, Y, Write::add);
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    for (const CutPeer& peer : end.peers) addRows(rawRows(rows, peer), peer.raw, Y);
  }

  WorkerParts& parts_;
  bool localFirst_;
  Csr ownTransposed_;
  CutEnd destination_, source_;  // made in this order
  RowExchange forward_, backward_;
  Matrix packed_;
};

std::vector<std::vector<std::int64_t>> countRows(const Csr& propagation, const Owners& owners, int parts,
                                                 const Values& parameters) {
  return cutRows(propagation, owners, parts, aggregationOf(parameters));
}

std::vector<Problem> refuse(const RunSettings& run) {
  if (run.model.kind != "gat" || aggregationOf(run.parameters) == CutAggregation::post) return {};
  return {{"", 0, 0, "aggregation",
           "supergcn cannot sum a part of gat's neighbours before their softmax is known; use aggregation = "
           "\"post\", or gcn, graphsage or gin"}};
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"supergcn", "sum edges between parts on the side that makes messages shortest",
                    "SuperGCN, Zhuang et al., 2025", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<CutPropagator>(parts, values),
                                         values.flag("layer0_cache"));
    },
    .predict = predictHaloExchange,
    .refuse = refuse,
    .countRows = countRows}};

}  // namespace
}  // namespace halo
