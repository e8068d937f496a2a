// PipeGCN (Wan et al., ICLR 2022) at any depth k: halo rows and their gradients travel while
// the next k epochs compute. Epoch t uses what the peers sent in epoch t − k, zeros while t ≤ k; weights are
// always fresh. Not exact: the error that comes of it is what `record.staleness` measures.
//
//   forward:   Z = P[V,V] drop(H) + P[V,B] drop(H̃(B))      H̃: the rows of k epochs ago,
//                                                           dropped with today's key
//   backward:  dH(V) = mask ⊙ (P[V,V]ᵀ dZ) + Σ_j C̃_j       C̃_j: what peer j returned k epochs ago,
//                                                           its own masks in it
//
// smoothing: features (-F), gradients (-G), both (-GF). The receiver takes a running mean m ← γ m + (1 − γ) x
// of what arrives, from m = 0. With bias_correction it is divided by 1 − γ^c, c the messages seen (not in the
// public code).
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/index.h"
#include "engine/comm/exchange/exchange.h"
#include "engine/methods/contract/staleness.h"
#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 4> kSmoothing = {"none", "features", "gradients", "both"};
const std::array<Parameter, 5> kParameters = {{
    {"smoothing", "what a running mean smooths: nothing, halo features, halo gradients, both",
     Choice{"none", kSmoothing}},
    {"decay", "weight of the past in the running mean; below 1 where anything is smoothed", Real{0.95, 0, 1}},
    {"bias_correction", "undo the running mean's start from zero", Flag{false}},
    {"depth", "epochs that a message may travel", Integer{1, 1, 64}},
    kLayer0CacheParameter,
}};

/// The steps of m ← γ m + (1 − γ) x from m = 0, or of m / (1 − γ^c), c the messages seen. The latter is a
/// running mean too, that keeps γ (1 − γ^(c−1)) / (1 − γ^c) of itself.
class RunningMean {
 public:
  RunningMean(double decay, bool corrected) : decay_(decay), corrected_(corrected) {}

  /// For the next message.
  MeanStep next() {
    const double before = corrected_ ? seenShare() : 1;
    ++epochs_;
    const double now = corrected_ ? seenShare() : 1;
    return {static_cast<Scalar>(decay_ * before / now), static_cast<Scalar>((1 - decay_) / now)};
  }
  /// Empty before the first message; as wide as what arrives.
  Matrix& rows() { return rows_; }
  std::size_t bytes() const { return rows_.heldBytes(); }

 private:
  /// 1 − γ^c
  double seenShare() const { return 1 - std::pow(decay_, static_cast<double>(epochs_)); }

  double decay_;
  bool corrected_;
  std::int64_t epochs_ = 0;
  Matrix rows_;
};

struct Settings {
  int depth = 1;
  bool smoothFeatures = false, smoothGradients = false;
  double decay = 0.95;
  bool corrected = false;
};

/// The messages of one layer and direction: depth + 1 exchanges in turn, so that what arrived stays until the
/// epoch after has been posted.
class Channel {
 public:
  Channel(Communicator& comm, const LocalGraph& graph, const Settings& settings, Pass pass, bool smooth)
      : comm_(comm),
        depth_(settings.depth),
        pass_(pass),
        smooth_(smooth),
        mean_(settings.decay, settings.corrected) {
    for (int slot = 0; slot <= depth_; ++slot) slots_.push_back({HaloExchange(comm, graph.peers), {}});
  }

  /// Before the first message: room for all that will be under way at once, so that no later epoch makes any.
  void reserveFeatures(Index rows, Index width) {
    if (posted_ > 0) return;
    for (Slot& each : slots_) each.exchange.reserve(width);
    reserveMean(rows, width);
  }
  void reserveGradients(Index sent, Index returned, Index width) {
    if (posted_ > 0) return;
    for (Slot& each : slots_) {
      each.exchange.reserveReturned(width);
      each.rows.resize(sent, width);
    }
    reserveMean(returned, width);
  }
  /// Where this epoch's message is posted from; its gradient rows live until the slot's next turn.
  HaloExchange& outgoing() { return slot(posted_).exchange; }
  Matrix& outgoingRows() { return slot(posted_).rows; }
  void posted() { ++posted_; }

  /// Whether a message of `depth` epochs ago exists; to be asked before this epoch's is posted.
  bool due() const { return posted_ >= depth_; }
  /// The halo rows that arrived, smoothed, zeros before the first message; valid until the next epoch's are
  /// posted.
  const Matrix& receiveFeatures(Index rows, Index width) {
    usedAge_.reset();
    if (!due()) {
      Matrix& zeros = slot(posted_ + 1).exchange.halo();  // of a slot that has not had its first turn
      zeros.setZero(rows, width);
      return zeros;
    }
    usedAge_ = depth_;
    const Matrix& arrived = slot(posted_ - depth_).exchange.finishForward();
    if (!smooth_) return arrived;
    const Timed timed(comm_.tracer(), Kind::compute, Name::activation);
    if (mean_.rows().empty()) mean_.rows().setZero(rows, width);
    smooth(mean_.next(), arrived.values(), mean_.rows().values());
    return mean_.rows();
  }
  /// Adds the gradients that arrived, smoothed, to dH; the probe asks for them.
  void addGradients(Matrix& dH) {
    used_ = {};
    usedAge_.reset();
    // this epoch's own message was posted before: the one due stands one further back
    if (posted_ - 1 < depth_) return;
    usedAge_ = depth_;
    HaloExchange& exchange = slot(posted_ - 1 - depth_).exchange;
    if (smooth_) {
      exchange.finishBackwardSmoothed(mean_.next(), mean_.rows(), dH);
      used_ = mean_.rows().values();
    } else {
      used_ = exchange.awaitBackward();
      exchange.addReturned(used_, dH);
    }
  }
  /// The gradient rows of the last epoch, in the order of HaloExchange::awaitBackward; empty: zeros.
  std::span<const Scalar> usedGradients() const { return used_; }
  /// Of the last message that went into what the last epoch used, in epochs; none: there were zeros.
  std::optional<double> usedAge() const { return usedAge_; }
  /// The gradient rows that this rank posted in the last epoch.
  const Matrix& lastPosted() { return slot(posted_ - 1).rows; }

  void drain() {
    for (Slot& each : slots_)
      if (each.exchange.underWay()) each.exchange.drain();
  }
  /// Of the rows that arrive, `depth` times: who uses fresh rows holds them once, as this does one slot's
  /// (resources/manual/reference/methods/pipegcn.md, Memory); and of their mean.
  std::size_t historyBytes() const {
    std::size_t bytes = mean_.bytes();
    for (std::size_t s = 1; s < slots_.size(); ++s) bytes += arrivingBytes(slots_[s].exchange);
    return bytes;
  }
  /// Of the other rows on their way.
  std::size_t bufferBytes() const {
    std::size_t bytes = mean_.bytes();
    for (const Slot& each : slots_) bytes += each.exchange.bufferBytes() + each.rows.heldBytes();
    return bytes - historyBytes();
  }

 private:
  struct Slot {
    HaloExchange exchange;
    Matrix rows;
  };
  std::size_t arrivingBytes(const HaloExchange& exchange) const {
    return pass_ == Pass::forward ? exchange.haloBytes() : exchange.packedBytes();
  }
  void reserveMean(Index rows, Index width) {
    if (!smooth_) return;
    mean_.rows().resize(rows, width);
    mean_.rows().resize(0, width);  // it begins with the first message
  }
  Slot& slot(std::int64_t epoch) { return slots_[at(epoch % static_cast<std::int64_t>(slots_.size()))]; }

  Communicator& comm_;
  int depth_;
  Pass pass_;
  bool smooth_;
  RunningMean mean_;
  std::vector<Slot> slots_;
  std::span<const Scalar> used_;
  std::optional<double> usedAge_;
  std::int64_t posted_ = 0;
};

class StalePropagator final : public Propagator {
 public:
  StalePropagator(WorkerParts& parts, const Settings& settings)
      : parts_(parts),
        aggregation_(parts),
        own_(parts.model, parts.share.graph.own),
        halo_(parts.model, parts.share.graph.halo),
        fresh_(parts.comm, parts.share.graph.peers) {
    const auto layers = at(parts.model.layers());
    used_.resize(layers);
    for (std::size_t l = 0; l < layers; ++l) {
      const LocalGraph& graph = parts.share.graph;
      features_.emplace_back(parts.comm, graph, settings, Pass::forward, settings.smoothFeatures);
      gradients_.emplace_back(parts.comm, graph, settings, Pass::backward, settings.smoothGradients);
    }
  }

  void finish() override {
    for (std::size_t l = 0; l < features_.size(); ++l) {
      const auto layer = static_cast<std::int16_t>(l);
      parts_.tracer.setLayer(layer, Pass::forward);
      features_[l].drain();
      parts_.tracer.setLayer(layer, Pass::backward);
      gradients_[l].drain();
    }
    parts_.tracer.setLayer(-1, Pass::none);
  }

  bool exact() const override { return parts_.comm.size() == 1; }

  void enter(int, const LayerInput& input) override { input_ = input; }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    aggregation_.begin(layer, Y, Z);
    if (!input_.training) {
      fresh_.startForward(layer, Y);
      aggregation_.add(own_.block(), Y);
      addHalo(fresh_.finishForward());
    } else {
      Channel& channel = features_[at(layer)];
      channel.reserveFeatures(parts_.share.graph.halo.cols, Y.cols());
      const Matrix& used = channel.receiveFeatures(parts_.share.graph.halo.cols, Y.cols());
      used_[at(layer)] = &used;
      channel.outgoing().startForward(layer, *input_.raw);
      channel.posted();
      aggregation_.add(own_.block(), Y);
      addHalo(droppedHalo(layer));
    }
    aggregation_.finish();
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    Channel& channel = gradients_[at(layer)];
    const LocalGraph& graph = parts_.share.graph;
    channel.reserveGradients(graph.halo.cols, graph.sendCount(), parts_.model.widths()[at(layer)]);
    Matrix& returned = channel.outgoingRows();
    aggregation_.beginBackward(layer, dZ);
    haloGradients(layer, returned);
    if (input_.rate > 0) {
      const Timed timed(parts_.tracer, Kind::compute, Name::activation);
      dropout(returned, parts_.share.graph.haloIds, keyOf(layer), input_.rate, returned);
    }
    channel.outgoing().startBackward(layer, returned);
    channel.posted();
    aggregation_.ownGradients(own_.block(), dY);
    aggregation_.finishBackward(dY);
  }

  void backwardWeights(int layer, const Matrix& dZ) override {
    Matrix nobodys;
    aggregation_.beginBackward(layer, dZ);
    haloGradients(layer, nobodys);
    aggregation_.ownGradients(own_.block(), nobodys);
    aggregation_.finishBackward(nobodys);
  }

  void addLate(int layer, Matrix& dH) override { gradients_[at(layer)].addGradients(dH); }

  std::vector<Staleness> probe(const ProbedEpoch& epoch) override {
    const std::vector<const Matrix*>& raw = epoch.raw;
    std::vector<Staleness> rows;
    for (std::size_t l = 0; l < raw.size(); ++l) {
      if (raw[l] == nullptr) continue;  // layer 0 was aggregated once, from fresh rows
      fresh_.startForward(static_cast<int>(l), *raw[l]);
      rows.push_back(
          distance(static_cast<int>(l), Pass::forward, used_[l]->values(), fresh_.finishForward().values()));
      rows.back().age = features_[l].usedAge();
    }
    for (std::size_t l = 1; l < raw.size(); ++l) {
      fresh_.startBackward(static_cast<int>(l), gradients_[l].lastPosted());
      rows.push_back(distance(static_cast<int>(l), Pass::backward, gradients_[l].usedGradients(),
                              fresh_.awaitBackward()));
      rows.back().age = gradients_[l].usedAge();
    }
    return rows;
  }

  void release() override {
    fresh_.release();
    dropped_ = Matrix();
  }
  std::size_t bufferBytes() const override {
    std::size_t bytes = fresh_.bufferBytes() + dropped_.heldBytes() + aggregation_.bytes();
    for (const auto* channels : {&features_, &gradients_})
      for (const Channel& channel : *channels) bytes += channel.bufferBytes();
    return bytes;
  }
  std::size_t historyBytes() const override {
    std::size_t bytes = 0;
    for (const auto* channels : {&features_, &gradients_})
      for (const Channel& channel : *channels) bytes += channel.historyBytes();
    return bytes;
  }

 private:
  void addHalo(const Matrix& halo) {
    if (parts_.share.graph.halo.nonzeros() > 0) aggregation_.add(halo_.block(), halo);
  }

  DropoutKey keyOf(int layer) const {
    DropoutKey key = input_.key;
    key.layer = static_cast<std::uint32_t>(layer);
    return key;
  }

  /// The halo rows that this epoch uses, dropped with its key.
  const Matrix& droppedHalo(int layer) {
    const Matrix& used = *used_[at(layer)];
    if (input_.rate == 0) return used;
    const Timed timed(parts_.tracer, Kind::compute, Name::activation);
    dropout(used, parts_.share.graph.haloIds, keyOf(layer), input_.rate, dropped_);
    return dropped_;
  }

  void haloGradients(int layer, Matrix& gradients) {
    // only a layer that attends reads the rows again: then they are dropped once more rather than kept
    const Matrix& rows = aggregation_.attends() ? droppedHalo(layer) : dropped_;
    aggregation_.rowGradients(halo_.block(), rows, gradients);
  }

  WorkerParts& parts_;
  Aggregation aggregation_;
  TurnedEdges own_, halo_;
  HaloExchange fresh_;  // of evaluations, probes and what is computed once
  std::vector<Channel> features_, gradients_;
  std::vector<const Matrix*> used_;  // by layer: the halo rows that the last epoch used, before dropout
  Matrix dropped_;
  LayerInput input_;  // of the layer under way; its key's epoch and rate are those of the backward pass too
};

/// There are depth + 1 exchanges a layer and direction. The rows that arrive in all but one are history, and
/// so are means. Evaluations have an exchange of their own.
Memory memoryOf(const MemoryRequest& request) {
  const std::string& smoothing = request.parameters.text("smoothing");
  const bool features = smoothing == "features" || smoothing == "both";
  const bool gradients = smoothing == "gradients" || smoothing == "both";
  const std::int64_t depth = request.parameters.integer("depth"), both = request.received + request.sent;
  const std::int64_t forwardWidth = widest(request.forward);
  Memory memory{};
  bytesOf(memory, MemoryOf::exchange) = heldRows(both + (request.drops ? request.received : 0), forwardWidth);
  const auto add = [&](std::int64_t arriving, std::int64_t leaving, bool smooths, std::int64_t width) {
    bytesOf(memory, MemoryOf::exchange) += heldRows(arriving + (depth + 1) * leaving, width);
    bytesOf(memory, MemoryOf::history) += heldRows((depth + (smooths ? 1 : 0)) * arriving, width);
  };
  for (const std::int64_t width : request.forward) add(request.received, request.sent, features, width);
  for (const std::int64_t width : request.backward) add(request.sent, request.received, gradients, width);
  return memory;
}

std::vector<Problem> refuse(const RunSettings& run) {
  if (run.parameters.text("smoothing") == "none" || run.parameters.real("decay") < 1) return {};
  return {{.key = "run.decay",
           .message = "1 keeps all of a mean that begins at zero and takes nothing in; use a value below 1"}};
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration =
        {"pipegcn",
         "use the halo rows and gradients of earlier epochs, so that they travel while epochs compute",
         "PipeGCN, Wan et al., ICLR 2022", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      const std::string smoothing = values.text("smoothing");
      Settings settings;
      settings.depth = static_cast<int>(values.integer("depth"));
      settings.smoothFeatures = smoothing == "features" || smoothing == "both";
      settings.smoothGradients = smoothing == "gradients" || smoothing == "both";
      settings.decay = values.real("decay");
      settings.corrected = values.flag("bias_correction");
      return std::make_unique<FullGraph>(parts, std::make_unique<StalePropagator>(parts, settings),
                                         values.flag("layer0_cache"));
    },
    .predict = predictHaloExchange,
    .memory = memoryOf,
    .style = [](const RunSettings& run, int) -> MethodStyle {
      return {.depth = static_cast<int>(run.parameters.integer("depth")), .pairsAlone = true};
    },
    .exact = false,
    .aggregatesFirst = true,
    .attends = true,
    .refuse = refuse}};

}  // namespace
}  // namespace halo
