// AdaQP (Wan, Zhao & Wu, MLSys 2023): vanilla's halo exchange in codes of 8, 4 or 2 bits an element. The
// width of each group of rows is chosen anew every `cycle` epochs. Central rows, those without remote
// neighbours, are summed while marginal rows' neighbours travel. Synchronous; rounding keeps every mean.
//
//   epochs [0, cycle)              all 8 bits
//   epoch k · cycle + cycle − 1    each rank notes (largest − smallest)² of every row that it sends
//   before epoch k · cycle         rank 0 gathers by group  Σ_rows (Σ α²) · d · (largest − smallest)² / 6,
//                                  chooses by bit_assignment.h, per layer and direction, and tells all
//
// α: what the receiver multiplies the row with; 1 for gradients, which are summed before they travel.
//
// Departures: groups are rows next to one another in a message, so that both ends know them. The ranges of
// one epoch stand for the cycle. All links are taken to be equally fast, so that widths depend on the data
// alone and not on the hour. What chooses the widths is control traffic, not counted. Zero points are rounded
// down and steps up to the brain floats that travel. Evaluation uses full rows.
#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/choices/coded_channel.h"
#include "engine/methods/choices/width_choice.h"
#include "engine/methods/full_graph/central_rows.h"
#include "engine/methods/full_graph/halo_pass.h"
#include "engine/methods/full_graph/message_blocks.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 5> kBits = {"adaptive", "32", "8", "4", "2"};
const std::array<Parameter, 6> kParameters = {{
    {"bits", "of an element that travels in training; adaptive: chosen for each group of rows",
     Choice{"adaptive", kBits}},
    {"cycle", "epochs after which widths are chosen anew; 8 bits before", Integer{50, 1, 1'000'000}},
    {"trade_off", "weight of variance against time when widths are chosen: 1 all 8 bits, 0 all 2",
     Real{0.5, 0, 1}},
    {"group", "rows of a message that share a width", Integer{100, 1, 1'000'000'000}},
    {"overlap",
     "what to sum while halo rows travel: central rows (those without remote neighbours), all rows' own "
     "part, "
     "nothing",
     Choice{"central", kOverlaps}},
    kLayer0CacheParameter,
}};
constexpr std::int64_t kRangeBytes = 4;

bool codes(const Values& values) { return values.text("bits") != "32"; }
bool adapts(const Values& values) { return values.text("bits") == "adaptive"; }
int firstBits(const Values& values) { return adapts(values) ? 8 : std::stoi(values.text("bits")); }
int bitsOfCodes(const Values& values) { return codes(values) ? firstBits(values) : 8; }

/// Which of the decided tables holds the rows that a layer sends, forward (0) or backward (1), in codes of
/// kCodeWidths[w] bits. The second function says how many tables there are.
std::size_t decidedTable(int layer, int pass, std::size_t w) {
  return (2 * at(layer) + at(pass)) * kCodeWidths.size() + w;
}
std::size_t decidedTables(int layers) { return decidedTable(layers, 0, 0); }

class QuantisedPropagator final : public Propagator {
 public:
  QuantisedPropagator(WorkerParts& parts, const Values& values)
      : parts_(parts),
        graph_(parts.share.graph),
        codes_(codes(values)),
        cycle_(adapts(values) ? values.integer("cycle") : 0),
        group_(values.integer("group")),
        tradeOff_(values.real("trade_off")),
        overlaps_(values.text("overlap") != "none"),
        own_(parts.model, graph_.own),
        halo_(parts.model, graph_.halo),
        full_(parts, graph_.peers, overlaps_),
        forward_(parts, bitsOfCodes(values), boundaryBlocks(graph_), haloBlocks(graph_), boundaryIds(graph_)),
        backward_(parts, bitsOfCodes(values), haloBlocks(graph_), boundaryBlocks(graph_), haloIds(graph_)) {
    if (values.text("overlap") == "central") rows_ = rowsByReach(graph_.own, graph_.halo);
    if (cycle_ > 0) forward_.weights = weightsOf(parts.comm, graph_, forward_);
    for (int l = 0; cycle_ > 0 && l < parts.model.layers();
         ++l) {  // of epochs to come: they shall not allocate
      if (l > 0 || !values.flag("layer0_cache")) forward_.traced[at(l)].reserve(at(graph_.sendCount()));
      if (l > 0 || parts.model.layer(l).backwardNeedsPropagation())
        backward_.traced[at(l)].reserve(graph_.haloIds.size());
    }
  }

  // Evaluation uses full rows.
  bool complete() const override { return !codes_ || parts_.comm.size() == 1; }
  void enter(int, const LayerInput& input) override { training_ = input.training; }

  void beginEpoch(std::int32_t epoch) override {
    if (cycle_ > 0 && epoch_ >= 0 && !choice_) prepareChoice();
    if (cycle_ > 0 && epoch % cycle_ == 0 && traced_ && epoch == epoch_ + 1) chooseWidths();
    epoch_ = epoch;
    traced_ = cycle_ > 0 && (epoch + 1) % cycle_ == 0;
  }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    if (!codes_ || !training_) return forwardFull(layer, Y, Z);
    pack(Y);
    start(forward_, layer, 2 * layer, packed_);
    if (overlaps_) aggregate(parts_.tracer, rows_ ? rows_->central : graph_.own, Y, Z, Write::overwrite);
    const Matrix& arrived = forward_.exchange.finish();
    if (!overlaps_) aggregate(parts_.tracer, graph_.own, Y, Z, Write::overwrite);
    if (rows_ && rows_->marginal.nonzeros() > 0) aggregate(parts_.tracer, rows_->marginal, Y, Z, Write::add);
    if (graph_.halo.nonzeros() > 0) aggregate(parts_.tracer, graph_.halo, arrived, Z, Write::add);
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    if (!codes_) return full_.backward(layer, own_.block(), halo_.block(), dZ, dY);
    const Csr& ownTransposed = own_.block().transposed;
    aggregate(parts_.tracer, halo_.block().transposed, dZ, packed_, Write::overwrite);
    start(backward_, layer, 2 * layer + 1, packed_);
    if (overlaps_) aggregate(parts_.tracer, ownTransposed, dZ, dY, Write::overwrite);
    const Matrix& arrived = backward_.exchange.finish();
    if (!overlaps_) aggregate(parts_.tracer, ownTransposed, dZ, dY, Write::overwrite);
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    std::span<const Scalar> rows = arrived.values();
    for (const HaloPeer& peer : graph_.peers) {
      const std::size_t size = peer.sendRows.size() * at(dY.cols());
      addRows(rows.first(size), peer.sendRows, dY);
      rows = rows.subspan(size);
    }
  }

  void release() override {
    full_.release();
    packed_ = Matrix();
  }
  std::size_t bufferBytes() const override {
    std::size_t bytes = packed_.heldBytes() + full_.bufferBytes();
    for (const CodedChannel* channel : {&forward_, &backward_}) {
      bytes += channel->exchange.bufferBytes() + heldBytes(channel->weights);
      for (const auto& rows : channel->traced) bytes += heldBytes(rows);
    }
    return bytes;
  }

  std::map<std::string, double> metrics() const override {
    if (!assigned_) return {};
    return {{"mean_bits", choice_->meanBits()}, {"assigned_bytes", choice_->bytes()}};
  }
  std::vector<RowTable> decided() const override { return assigned_ ? decided_ : std::vector<RowTable>(); }

 private:
  void forwardFull(int layer, const Matrix& Y, Matrix& Z) {
    if (!rows_) return full_.forward(layer, own_.block(), halo_.block(), Y, Z);
    const Csr& turned = own_.block().transposed;
    full_.forward(layer, {rows_->central, turned}, {rows_->marginal, turned}, halo_.block(), Y, Z);
  }

  void pack(const Matrix& Y) {
    packed_.resize(graph_.sendCount(), Y.cols());
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    std::span<Scalar> rows = packed_.values();
    for (const HaloPeer& peer : graph_.peers) {
      const std::size_t size = peer.sendRows.size() * at(Y.cols());
      gatherRows(Y, peer.sendRows, rows.first(size));
      rows = rows.subspan(size);
    }
  }

  void start(CodedChannel& channel, int layer, int tag, const Matrix& rows) {
    channel.widths[at(layer)] = rows.cols();
    if (traced_) channel.trace(parts_.tracer, layer, rows);
    channel.exchange.start(tag, epoch_, rows, assigned_ ? &channel.chosen[at(layer)] : nullptr);
  }

  /// Collective. Once the first epoch has told what travels: makes room for all choices to come.
  void prepareChoice() {
    std::vector<WidthRequest> own;
    for (int layer = 0; layer < parts_.model.layers(); ++layer)
      for (const int pass : {0, 1}) {
        CodedChannel& channel = channelOf(pass);
        if (channel.widths[at(layer)] == 0) continue;  // nothing travels, or what was aggregated once
        describe(channel, layer, pass, own);
        channel.makeRoom(layer);
      }
    choice_.emplace(parts_.comm, own, tradeOff_, kRangeBytes);
    const auto ranks = at(parts_.comm.size());
    decided_.assign(decidedTables(parts_.model.layers()),
                    RowTable(ranks, std::vector<std::int64_t>(ranks, 0)));
  }

  void describe(const CodedChannel& channel, int layer, int pass, std::vector<WidthRequest>& requests) const {
    for (const RowBlock& block : channel.sent) {
      WidthMessage message{parts_.comm.rank(), block.rank, channel.widths[at(layer)], {}};
      for (Index from = 0; from < block.count; from += group_)
        message.groups.push_back({std::min(group_, block.count - from), 0});
      requests.push_back({{layer, pass, message.sender, message.receiver}, message});
    }
  }

  /// Collective.
  void chooseWidths() {
    std::span<double> scores = choice_->scores();
    for (const MessageName& name : choice_->own()) scores = score(name, scores);
    choice_->choose();
    assigned_ = true;
    noteDecision();
    for (int layer = 0; layer < parts_.model.layers(); ++layer)
      for (const int pass : {0, 1}) use(channelOf(pass), layer, pass);
  }

  /// Of the groups of one message; returns what is left of `scores`.
  std::span<double> score(const MessageName& name, std::span<double> scores) {
    const CodedChannel& channel = channelOf(name.pass);
    const std::vector<double>& squares = channel.traced[at(name.layer)];
    const auto width = static_cast<double>(channel.widths[at(name.layer)]);
    const RowBlock block = *std::ranges::find(channel.sent, name.receiver, &RowBlock::rank);
    for (Index from = 0; from < block.count; from += group_) {
      const Index to = std::min(from + group_, block.count);
      double sum = 0;
      for (Index i = block.begin + from; i < block.begin + to; ++i)
        sum += channel.weights[at(i)] * width * squares[at(i)] / 6;
      scores.front() = sum;
      scores = scores.subspan(1);
    }
    return scores;
  }

  void noteDecision() {
    for (const WidthRequest& request : choice_->messages()) {
      const auto& [layer, pass, sender, receiver] = request.name;
      const std::array<std::int64_t, 3> rows = choice_->rowsOfWidth(request);
      for (std::size_t w = 0; w < kCodeWidths.size(); ++w)
        decided_[decidedTable(layer, pass, w)][at(sender)][at(receiver)] = rows[w];
    }
  }

  /// Both ends of every message of one exchange learn what was chosen.
  void use(CodedChannel& channel, int layer, int pass) {
    const auto fill = [&](const RowBlock& block, int sender, int receiver, RowsByWidth& rows) {
      for (std::vector<Vertex>& each : rows) each.clear();
      const std::span<const std::uint8_t> widths = choice_->widths({layer, pass, sender, receiver});
      if (widths.empty()) return;
      for (Index i = 0; i < block.count; ++i)
        rows[indexOfWidth(widths[at(i / group_)])].push_back(static_cast<Vertex>(block.begin + i));
    };
    ChosenWidths& chosen = channel.chosen[at(layer)];
    const int own = parts_.comm.rank();
    for (std::size_t m = 0; m < chosen.sent.size(); ++m)
      fill(channel.sent[m], own, channel.sent[m].rank, chosen.sent[m]);
    for (std::size_t m = 0; m < chosen.received.size(); ++m)
      fill(channel.received[m], channel.received[m].rank, own, chosen.received[m]);
  }

  CodedChannel& channelOf(int pass) { return pass == 0 ? forward_ : backward_; }

  WorkerParts& parts_;
  const LocalGraph& graph_;
  bool codes_;
  std::int64_t cycle_;  // 0: widths never change
  Index group_;
  double tradeOff_;
  bool overlaps_;
  TurnedEdges own_, halo_;
  std::optional<RowsByReach> rows_;  // of the own block, where central ones come first
  HaloPass full_;
  CodedChannel forward_, backward_;
  Matrix packed_;
  std::int32_t epoch_ = -1;
  bool training_ = true, traced_ = false, assigned_ = false;
  std::optional<WidthChoice> choice_;
  std::vector<RowTable> decided_;
};

/// Bits of every row of the request's epoch before it is trained. What is chosen between the ends of
/// trade_off depends on values that nobody knows then: as in the first cycle, which it does not exceed.
int predictedBits(const VolumeRequest& request) {
  const Values& values = request.parameters;
  const bool chosen = adapts(values) && request.epoch >= values.integer("cycle");
  return chosen && values.real("trade_off") <= 0 ? 2 : firstBits(values);
}

/// Of an epoch whose widths are known.
std::vector<PredictedVolume> predictDecided(const VolumeRequest& request) {
  std::vector<PredictedVolume> flows;
  const auto add = [&](int layer, Pass pass, std::int64_t width, int source, int target) {
    std::int64_t rows = 0, bytes = 0;
    for (std::size_t w = 0; w < kCodeWidths.size(); ++w) {
      const std::int64_t count =
          request.decided[decidedTable(layer, pass == Pass::backward, w)][at(source)][at(target)];
      rows += count;
      bytes += codeBytes(count, width, kCodeWidths[w]) + kRangeBytes * count;
    }
    if (rows * width > 0) flows.push_back({layer, pass, source, target, 2, bytes});
  };
  for (int layer = 0; layer < static_cast<int>(request.propagated.size()); ++layer)
    for (int i = 0; i < request.parts; ++i)
      for (int j = 0; j < request.parts; ++j) {
        add(layer, Pass::forward, request.propagated[at(layer)], i, j);
        if (request.backward[at(layer)]) add(layer, Pass::backward, request.returned[at(layer)], i, j);
      }
  return flows;
}

/// Rows packed and received are held, each as wide as the widest layer, with their codes and weights. Where
/// widths are chosen, what they are chosen by is held too. Evaluations hold full rows.
Memory memoryOf(const MemoryRequest& request) {
  if (!codes(request.parameters)) return haloMemory(request);
  const std::int64_t forwardWidth = widest(request.forward), backwardWidth = widest(request.backward);
  const std::int64_t both = request.received + request.sent;
  Memory memory{};
  std::int64_t& bytes = bytesOf(memory, MemoryOf::exchange);
  bytes = heldRows(both, forwardWidth) +
          std::max(heldRows(request.sent, forwardWidth), heldRows(request.received, backwardWidth)) +
          heldRows(request.received, forwardWidth) + heldRows(request.sent, backwardWidth) +
          both * std::int64_t{sizeof(double)};
  const int bits = firstBits(request.parameters);
  bytes += heldCodes(both, request.forward, bits, kRangeBytes) +
           heldCodes(backwardWidth > 0 ? both : 0, request.backward, bits, kRangeBytes);
  if (!adapts(request.parameters)) return memory;
  for (std::size_t l = 0; l < request.forward.size(); ++l)
    bytes += std::int64_t{sizeof(double)} *
             ((request.forward[l] > 0 ? request.sent : 0) + (request.backward[l] > 0 ? request.received : 0));
  return memory;
}

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  if (!codes(request.parameters)) return predictHaloExchange(request);
  if (!request.decided.empty()) return predictDecided(request);
  const int bits = predictedBits(request);
  return predictMessages(request, request.parameters.flag("layer0_cache"), request.rows,
                         [&](std::int64_t rows, std::int64_t width) {
                           return MessageCost{2, codeBytes(rows, width, bits) + kRangeBytes * rows};
                         });
}

MethodStyle styleOf(const RunSettings& run, int) {
  return {.meanwhile = meanwhile(run.parameters), .codes = codes(run.parameters), .pairsAlone = true};
}

/// As predictedBits: widths that are chosen by values are known to nobody before.
EpochCycle cycleOf(const RunSettings& run, int) {
  const double tradeOff = run.parameters.real("trade_off");
  if (!adapts(run.parameters) || tradeOff >= 1) return {};
  if (tradeOff > 0) return {.bound = "8 bits as in the first cycle"};
  const std::int64_t cycle = run.parameters.integer("cycle");
  return {.turns = {{run.training.epochs > cycle ? cycle : 1, 1}}};  // a short run has no choice
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"adaqp", "exchange rows as codes whose widths weigh variance against time",
                    "AdaQP, Wan et al., MLSys 2023", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<QuantisedPropagator>(parts, values),
                                         values.flag("layer0_cache"));
    },
    .predict = predict,
    .memory = memoryOf,
    .style = styleOf,
    .cycle = cycleOf,
    .exactWith = {{"bits", Value(std::string("32"))}},
    .autoOrder = "aggregate-first",
    .figures = {{"mean_bits", "bits an element travelled with, mean of widths chosen", Metric::Unit::plain,
                 "mean width of an element by the widths last chosen"},
                {"assigned_bytes", "volume by the widths last chosen", Metric::Unit::bytes,
                 "what the widths last chosen take in an epoch, over all ranks, by the closed form"}}}};

}  // namespace
}  // namespace halo
