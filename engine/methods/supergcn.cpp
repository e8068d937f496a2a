// SuperGCN (2025) divides the edges that cross from one part to another. Some are summed by the source's rank
// (pre: one partial row a destination travels). The others are summed by the destination's (post: one raw row
// a source travels). With hybrid each edge goes to the side that makes the pair's message shortest: a minimum
// vertex cover of the cut. Synchronous; exact with bits = 32. With fewer, rows travel in training as codes of
// 8, 4 or 2 bits an element, in both directions. They are rounded up or down at random so that they keep
// their mean.
//
//   i → j forward:    [ Σ_u P[v,u] Y(u), v ∈ pre ; Y(u), u ∈ post ]      j adds, and sums the post edges
//   j → i backward:   [ dZ(v), v ∈ pre ; Σ_v P[v,u] dZ(v), u ∈ post ]    i adds, and sums the pre edges
//
// Departures: edge weights are folded into P instead of scaling rows before and after. The destination's rank
// makes the cover of a pair and tells the source's once, before the first epoch (not counted, as no set-up
// is). Zero points are rounded down and steps up to what travels, so that brain floats keep the mean too.
// Mixed widths: the share of each is fixed and only the rows are drawn, at both ends. So bytes are a closed
// form and no widths travel. Whether a label is shown is drawn for each training vertex alone, so how many
// are varies. The loss is divided by how many are expected not to be, as published.
#include <array>

#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"
#include "engine/comm/exchange/coded_exchange.h"
#include "engine/comm/exchange/row_exchange.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/contract/layer_kinds.h"
#include "engine/methods/full_graph/halo_pass.h"
#include "engine/methods/full_graph/label_input.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"
#include "engine/partition/halo/boundary_sample.h"
#include "engine/partition/halo/cut.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 4> kAggregations = {"auto", "pre", "post", "hybrid"};
constexpr std::array<std::string_view, 5> kBits = {"32", "8", "4", "2", "mixed"};
constexpr std::array<std::string_view, 2> kRoundings = {"stochastic", "nearest"};
constexpr std::array<std::string_view, 2> kRanges = {"bf16", "fp32"};
const std::array<Parameter, 11> kParameters = {{
    {"aggregation",
     "which rank sums an edge between parts: the source's, the destination's, or as is shortest; auto: "
     "hybrid, with gat post",
     Choice{"auto", kAggregations}},
    {"bits", "of an element that travels in training; mixed: 8, 4 and 2, row by row", Choice{"32", kBits}},
    {"rounding", "of codes: up or down at random, keeping the mean, or to the nearest",
     Choice{"stochastic", kRoundings}},
    {"range", "how a row's zero point and step travel", Choice{"bf16", kRanges}},
    {"share_8", "of the rows that have 8 bits, when mixed", Real{0.25, 0, 1}},
    {"share_4", "of the rows that have 4 bits, when mixed; the others have 2", Real{0.25, 0, 1}},
    {"redraw", "epochs after which mixed widths are drawn anew", Integer{50, 1, 1'000'000}},
    {"label_propagation", "share of the training vertices whose label is shown instead of learned; 0: none",
     Real{0, 0, 1}},
    {"label_redraw", "epochs after which it is drawn anew whose label is shown; 0: never",
     Integer{1, 0, 1'000'000}},
    kOverlapParameter,
    kLayer0CacheParameter,
}};

CutAggregation aggregationOf(const Values& values, const ModelSettings& model) {
  const std::string& word = values.text("aggregation");
  if (word == "auto" && attends(model)) return CutAggregation::post;
  return word == "pre" ? CutAggregation::pre : word == "post" ? CutAggregation::post : CutAggregation::hybrid;
}

bool codes(const Values& values) { return values.text("bits") != "32"; }

CodeWidths widthsOf(const Values& values) {
  const std::string& bits = values.text("bits");
  return {bits == "mixed" ? 0 : std::stoi(bits), values.real("share_8"), values.real("share_4"),
          static_cast<std::int32_t>(values.integer("redraw"))};
}

std::string encode(const CutOrder& order) {
  ByteWriter out;
  out.csr(order.preEdges);
  out.array(order.post);
  return out.take();
}
CutOrder decode(const std::string& bytes) {
  ByteReader in(bytes);
  CutOrder order;
  in.csr(order.preEdges);
  in.array(order.post);
  return order;
}

/// Collective. Tells every peer how what it sends here is split, and hears the same from it.
std::vector<CutOrder> exchangeOrders(Communicator& comm, const LocalGraph& graph,
                                     const std::vector<CutSplit>& splits) {
  std::vector<CutOrder> orders;
  for (std::size_t p = 0; p < graph.peers.size(); ++p)  // ascending
    orders.push_back(decode(swapBytes(comm, graph.peers[p].rank, encode(splits[p]))));
  return orders;
}

std::vector<RowBlock> blocksOf(const CutEnd& end) {
  std::vector<RowBlock> blocks;
  for (const CutPeer& peer : end.peers) blocks.push_back({peer.rank, peer.begin, peer.count});
  return blocks;
}

/// What the draws of each message row are keyed by. An own row's are keyed by its global number, so that it
/// is rounded alike wherever it goes. A sum's are keyed by the pair and its place.
std::vector<std::uint64_t> idsOf(const CutEnd& end, const LocalGraph& graph) {
  std::vector<std::uint64_t> ids(at(end.messageRows()));
  for (const CutPeer& peer : end.peers) {
    for (Index row = 0; row < peer.count; ++row)
      ids[at(peer.begin + row)] = std::uint64_t{1} << 63 | static_cast<std::uint64_t>(graph.rank) << 47 |
                                  static_cast<std::uint64_t>(peer.rank) << 32 |
                                  static_cast<std::uint64_t>(row);
    for (std::size_t i = 0; i < peer.raw.size(); ++i)
      ids[at(peer.rawBegin) + i] = static_cast<std::uint64_t>(graph.owned[at(peer.raw[i])]);
  }
  return ids;
}

/// One direction of travel: full rows, and codes where training has them.
struct Channel {
  RowExchange full;
  CodedExchange coded;

  Channel(WorkerParts& parts, const Values& values, const CutEnd& sender, const CutEnd& receiver)
      : full(parts.comm, blocksOf(sender), blocksOf(receiver)),
        coded(parts.comm, blocksOf(sender), blocksOf(receiver), idsOf(sender, parts.share.graph),
              widthsOf(values),
              {.nearest = values.text("rounding") == "nearest",
               .shortRange = values.text("range") == "bf16",
               .seed = parts.settings.training.seed}) {}
  std::size_t bufferBytes() const { return full.bufferBytes() + coded.bufferBytes(); }
};

class CutPropagator final : public Propagator {
 public:
  CutPropagator(WorkerParts& parts, const Values& values)
      : CutPropagator(parts, values,
                      splitHalo(parts.share.graph, aggregationOf(values, parts.settings.model))) {}

  // Evaluation uses full rows.
  bool complete() const override { return !codes_ || parts_.comm.size() == 1; }
  void beginEpoch(std::int32_t epoch) override { epoch_ = epoch; }
  void enter(int, const LayerInput& input) override { training_ = input.training; }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    aggregation_.begin(layer, Y, Z);
    if (source_.partial.nonzeros() > 0)
      aggregate(parts_.tracer, source_.partial, Y, sized(source_, Y), Write::overwrite);
    packRaw(source_, Y);
    const Matrix& arrived = exchange(forward_, 2 * layer, [&] { aggregation_.add(own_.block(), Y); });
    if (destination_.spread.nonzeros() > 0) aggregation_.add(posted(), arrived);
    addRaw(destination_, arrived, Z);
    aggregation_.finish();
    if (aggregation_.attends()) arrived_[at(layer)] = arrived;
    releaseFull(forward_);
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    aggregation_.beginBackward(layer, dZ);
    aggregation_.rowGradients(posted(), arrived_[at(layer)], sized(destination_, dZ));
    packRaw(destination_, dZ);
    const Matrix& arrived =
        exchange(backward_, 2 * layer + 1, [&] { aggregation_.ownGradients(own_.block(), dY); });
    if (source_.spread.nonzeros() > 0) aggregate(parts_.tracer, source_.spread, arrived, dY, Write::add);
    addRaw(source_, arrived, dY);
    aggregation_.finishBackward(dY);
  }

  void release() override {
    packed_ = Matrix();
    forward_.full.release();
  }
  std::size_t bufferBytes() const override {
    std::size_t bytes =
        packed_.heldBytes() + aggregation_.bytes() + forward_.bufferBytes() + backward_.bufferBytes();
    for (const Matrix& rows : arrived_) bytes += rows.heldBytes();
    return bytes;
  }
  // Rows of the messages: those of a sum count as one, those of others once for each message that has them.
  std::optional<Holdings> holdings() const override {
    Holdings holdings = haloHoldings(parts_.share.graph);
    holdings.remote = destination_.messageRows();
    holdings.nonzeros =
        parts_.share.graph.own.nonzeros() + source_.partial.nonzeros() + destination_.spread.nonzeros();
    return holdings;
  }

 private:
  CutPropagator(WorkerParts& parts, const Values& values, const std::vector<CutSplit>& splits)
      : parts_(parts),
        localFirst_(values.text("overlap") == "local-first"),
        codes_(codes(values)),
        aggregation_(parts),
        own_(parts.model, parts.share.graph.own),
        destination_(destinationEnd(parts.share.graph, splits)),
        source_(sourceEnd(parts.share.graph, exchangeOrders(parts.comm, parts.share.graph, splits))),
        forward_(parts, values, source_, destination_),
        backward_(parts, values, destination_, source_),
        arrived_(at(parts.model.layers())) {
    if (aggregation_.attends()) places_ = transposedPlaces(destination_.spread);
  }

  template <class AnyMatrix>
  static auto rawRows(AnyMatrix& rows, const CutPeer& peer) {
    return rows.values().subspan(at(peer.rawBegin * rows.cols()), peer.raw.size() * at(rows.cols()));
  }

  /// The edges that are summed here.
  EdgeBlock posted() const { return {destination_.spread, destination_.partial, places_}; }
  bool coded() const { return codes_ && training_; }

  /// The message rows that this end sends, of X's width.
  Matrix& sized(const CutEnd& end, const Matrix& X) {
    packed_.resize(end.messageRows(), X.cols());
    return packed_;
  }

  void packRaw(const CutEnd& end, const Matrix& X) {
    sized(end, X);
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    for (const CutPeer& peer : end.peers) gatherRows(X, peer.raw, rawRows(packed_, peer));
  }

  /// Sends what is packed; what arrives. `local` needs none of it.
  template <class Local>
  const Matrix& exchange(Channel& channel, int tag, const Local& local) {
    if (coded())
      channel.coded.start(tag, epoch_, packed_);
    else
      channel.full.start(tag, packed_);
    if (localFirst_) local();
    const Matrix& arrived = coded() ? channel.coded.finish() : channel.full.finish();
    if (!localFirst_) local();
    return arrived;
  }

  void addRaw(const CutEnd& end, const Matrix& rows, Matrix& Y) {
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    for (const CutPeer& peer : end.peers) addRows(rawRows(rows, peer), peer.raw, Y);
  }

  // Between evaluations nobody needs full rows.
  void releaseFull(Channel& channel) {
    if (codes_ && !coded()) channel.full.release();
  }

  WorkerParts& parts_;
  bool localFirst_, codes_;
  bool training_ = true;
  std::int32_t epoch_ = 0;
  Aggregation aggregation_;
  TurnedEdges own_;
  CutEnd destination_, source_;  // made in this order, and before the channels
  Channel forward_, backward_;
  Buffer<Index> places_;         // of posted(), where layers attend
  std::vector<Matrix> arrived_;  // by layer, where it attends
  Matrix packed_;
};

std::vector<RowTable> countRows(const CountRequest& request) {
  const RunSettings& run = request.run;
  return {
      cutRows(request.propagation, request.owners, request.parts, aggregationOf(run.parameters, run.model))};
}

// The embedding of labels needs the gradient of the input rows: layer 0 sends backward too.
VolumeRequest withLabels(VolumeRequest request) {
  if (embedsLabels(request.parameters)) request.backward[0] = true;
  return request;
}

// Coded: ⌈rows · bits / 8⌉ · width, for each width of codes, and every row's range in a message of its own.
std::vector<PredictedVolume> predict(const VolumeRequest& plain) {
  const VolumeRequest request = withLabels(plain);
  const Values& values = request.parameters;
  if (!codes(values)) return predictHaloExchange(request);
  const CodeWidths widths = widthsOf(values);
  const std::int64_t rangeBytes = values.text("range") == "bf16" ? 4 : 8;
  return predictMessages(
      request, values.flag("layer0_cache"), request.rows, [&](std::int64_t rows, std::int64_t width) {
        std::int64_t with8 = widths.bits == 8 ? rows : 0, with4 = widths.bits == 4 ? rows : 0;
        if (widths.bits == 0) {
          with8 = sampleSize(widths.share8, false, rows);
          with4 = sampleSize(widths.share4, false, rows);
        }
        const std::int64_t codes = codeBytes(with8, width, 8) + codeBytes(with4, width, 4) +
                                   codeBytes(rows - with8 - with4, width, 2);
        return MessageCost{2, codes + rangeBytes * rows};
      });
}

/// Message rows packed and received, each as wide as the widest layer, and their codes.
Memory memoryOf(const MemoryRequest& request) {
  const Values& values = request.parameters;
  const std::int64_t forwardWidth = widest(request.forward), backwardWidth = widest(request.backward);
  Memory memory{};
  std::int64_t& bytes = bytesOf(memory, MemoryOf::exchange);
  bytes = std::max(heldRows(request.sent, forwardWidth), heldRows(request.received, backwardWidth)) +
          heldRows(request.received, forwardWidth) + heldRows(request.sent, backwardWidth);
  if (!codes(values)) return memory;
  const CodeWidths widths = widthsOf(values);
  const double bits =
      widths.bits > 0 ? widths.bits : 2 + 6 * widths.share8 + 2 * widths.share4;  // 8, 4 or 2 each
  const std::int64_t rangeBytes = values.text("range") == "bf16" ? 4 : 8,
                     both = request.received + request.sent;
  bytes += heldCodes(both, request.forward, bits, rangeBytes) +
           heldCodes(backwardWidth > 0 ? both : 0, request.backward, bits, rangeBytes);
  return memory;
}

std::vector<Problem> refuse(const RunSettings& run) {
  const Values& values = run.parameters;
  std::vector<Problem> problems;
  if (attends(run.model) && aggregationOf(values, run.model) != CutAggregation::post)
    problems.push_back(
        {.key = "run.aggregation",
         .message = toText(values.at("aggregation")) + " cannot be used with " + run.model.kind +
                    ": supergcn cannot sum a part of the neighbours before their softmax is known; "
                    "use \"post\", or " +
                    kindsWithoutAttention()});
  if (values.text("bits") == "mixed" && values.real("share_8") + values.real("share_4") > 1)
    problems.push_back({.key = "run.share_4",
                        .message = toText(values.at("share_4")) +
                                   " and share_8 = " + toText(values.at("share_8")) +
                                   " are more than all rows; they add up to at most 1"});
  if (values.real("label_propagation") == 1)
    problems.push_back(
        {.key = "run.label_propagation",
         .message = "1 shows every training vertex's label and leaves none to learn from; take less than 1"});
  if (embedsLabels(values) && values.flag("layer0_cache"))
    problems.push_back(
        {.key = "run.layer0_cache",
         .message = "true cannot be used with label_propagation: the input rows change in every epoch; "
                    "leave one of the two out"});
  return problems;
}

std::unique_ptr<LabelInput> labelsOf(WorkerParts& parts, const Values& values) {
  if (!embedsLabels(values)) return nullptr;
  return std::make_unique<LabelInput>(parts, values.real("label_propagation"),
                                      static_cast<std::int32_t>(values.integer("label_redraw")));
}

// Which edges a pair's cover takes depends on all of its edges; without one it is the halo rows.
MethodStyle styleOf(const RunSettings& run, int) {
  return {.meanwhile = meanwhile(run.parameters),
          .codes = codes(run.parameters),
          .pairsAlone = aggregationOf(run.parameters, run.model) == CutAggregation::post};
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"supergcn", "sum edges between parts on the side that makes messages shortest",
                    "SuperGCN, Zhuang et al., 2025", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<CutPropagator>(parts, values),
                                         values.flag("layer0_cache"), labelsOf(parts, values));
    },
    .predict = predict,
    .memory = memoryOf,
    .style = styleOf,
    .attends = true,
    .exactWith = {{"bits", Value(std::string("32"))}, {"label_propagation", Value(0.0)}},
    .refuse = refuse,
    .autoOrder = "aggregate-first",
    .refuseData =
        [](const RunSettings& run, const DataShape& data) {
          if (!embedsLabels(run.parameters) || !data.split) return std::vector<Problem>();
          return refuseShownLabels(run, data.split());
        },
    .countRows = countRows}};

}  // namespace
}  // namespace halo
