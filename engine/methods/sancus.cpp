// Sancus (Peng et al., VLDB 2022): whole row blocks are broadcast one after another, as CAGNET 1D does. Every
// rank keeps a copy of each by layer and direction. Where a copy is still good enough its broadcast is
// skipped. Stale; exact where nothing is skipped.
//
//   layer, direction:  owner j of block j decides, all ranks' decisions are gathered
//                      decided: broadcast, the copies become it; not: every other rank uses its copy
//   forward:   Z_i = P[V_i,V_i] drop(H_i) + Σ_{j≠i} P[V_i,V_j] drop(H̃_j)    H̃: the copies, dropped today
//   backward:  dY_i = Pᵀ[V_i,V_i] dZ_i + Σ_{j≠i} Pᵀ[V_i,V_j] dZ̃_j           pull: exact for directed graphs
//
// policy = fixed      every `interval` epochs, all blocks at once
// policy = age        once the copy is `interval` epochs old; owner j's first copy counts as ⌊j·interval/P⌋
//                     epochs old, so that broadcasts spread over the epochs
// policy = variation  once ‖H_j − H̃_j‖ / ‖H̃_j‖ is `threshold` or more; at 0 that is always
//
// The owner itself uses its fresh block. Departures: the paper's thresholds and names could not be recovered.
// Rows travel as they enter a layer and are dropped where they arrive, with today's key. Otherwise an old
// dropout mask would be used again and every epoch's rows would look changed. Blocks are not padded.
#include <array>
#include <optional>
#include <set>

#include "engine/base/index.h"
#include "engine/comm/exchange/whole_blocks.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/methods/choices/sending_policy.h"
#include "engine/methods/contract/layer_kinds.h"
#include "engine/methods/contract/staleness.h"
#include "engine/methods/full_graph/full_graph.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

const std::array<Parameter, 5> kParameters = {{
    {"policy", "when a block is sent again: every interval epochs, at an age, or once it has changed",
     Choice{"fixed", kSendingPolicies}},
    {"interval", "epochs from one sending to the next (fixed), or a copy's largest age (age)",
     Integer{4, 1, 1'000'000}},
    {"threshold", "relative change from which a block is sent again (variation); 0: always",
     Real{0.2, 0, 1e6}},
    {"skip_backward", "skip the sending of gradients too", Flag{true}},
    kLayer0CacheParameter,
}};

/// Over all ranks and epochs: bytes with nothing skipped, those skipped; broadcasts done and skipped.
struct Skips {
  std::int64_t bytes = 0, skippedBytes = 0, broadcasts = 0, skippedBroadcasts = 0;
};

/// Which of the decided tables is of a layer and direction; a rank's row of it is how often it sent its
/// block.
std::size_t exchangeOf(int layer, Pass pass) { return 2 * at(layer) + (pass == Pass::backward); }

class CachingPropagator final : public Propagator {
 public:
  CachingPropagator(WorkerParts& parts, const Values& values)
      : parts_(parts),
        policy_(values),
        ownTransposed_(transpose(parts.share.graph.own)),
        blocks_(exchangeBlocks(parts.comm, parts.share.graph)),
        broadcast_(parts.comm, rowsOf(blocks_)),
        decisions_(blocks_.size()) {
    for (int l = 0; l < parts.model.layers(); ++l) {
      features_.emplace_back(policy_, parts.comm.rank(), parts.comm.size());
      gradients_.emplace_back(policy_, parts.comm.rank(), parts.comm.size());
    }
  }

  bool exact() const override { return parts_.comm.size() == 1; }
  void beginEpoch(std::int32_t epoch) override {
    epoch_ = epoch;
    if (decided_.empty())
      decided_.assign(features_.size() + gradients_.size(), RowTable(blocks_.size(), {0}));
  }
  void enter(int, const LayerInput& input) override { input_ = input; }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    collectHalo(layer, *input_.raw, input_.training ? &features_[at(layer)] : nullptr, halo_);
    aggregate(parts_.tracer, parts_.share.graph.own, Y, Z, Write::overwrite);
    if (halo_.rows() == 0) return;
    if (input_.rate > 0) {
      const Timed timed(parts_.tracer, Kind::compute, Name::activation);
      dropout(halo_, parts_.share.graph.haloIds, input_.key, input_.rate, halo_);
    }
    aggregate(parts_.tracer, parts_.share.graph.halo, halo_, Z, Write::add);
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    aggregate(parts_.tracer, ownTransposed_, dZ, dY, Write::overwrite);
    addRemote(layer, dZ, policy_.skipsBackward ? &gradients_[at(layer)] : nullptr, dY);
  }

  std::vector<Staleness> probe(const ProbedEpoch& epoch) override {
    const std::vector<const Matrix*>& raw = epoch.raw;
    const Skips counted = skips_;
    std::vector<Staleness> rows;
    Matrix used, fresh;
    for (std::size_t l = 0; l < raw.size(); ++l) {
      if (raw[l] == nullptr) continue;  // layer 0 was aggregated once, from fresh rows
      gatherCopies(features_[l], raw[l]->cols(), used);
      collectHalo(static_cast<int>(l), *raw[l], nullptr, fresh);
      rows.push_back(distance(static_cast<int>(l), Pass::forward, used.values(), fresh.values()));
      rows.back().age = meanAge(features_[l]);
    }
    for (std::size_t l = 1; l < raw.size(); ++l) {
      const Matrix& own = epoch.dZ[l];
      fresh.setZero(own.rows(), own.cols());
      addRemote(static_cast<int>(l), own, nullptr, fresh);
      if (policy_.skipsBackward) {
        used.setZero(own.rows(), own.cols());
        for (int rank = 0; rank < parts_.comm.size(); ++rank) addBlock(rank, gradients_[l].block(rank), used);
      }
      rows.push_back(distance(static_cast<int>(l), Pass::backward,
                              policy_.skipsBackward ? used.values() : fresh.values(), fresh.values()));
      rows.back().age = policy_.skipsBackward ? meanAge(gradients_[l]) : 0;
    }
    skips_ = counted;
    return rows;
  }

  void release() override {
    for (Matrix* rows : {&halo_, &passing_}) *rows = Matrix();
  }
  std::size_t bufferBytes() const override { return halo_.heldBytes() + passing_.heldBytes(); }
  std::size_t historyBytes() const override {
    std::size_t bytes = 0;
    for (const auto* all : {&features_, &gradients_})
      for (const Copies& copies : *all) bytes += copies.bytes();
    return bytes;
  }

  std::optional<Holdings> holdings() const override {
    const LocalGraph& graph = parts_.share.graph;
    const auto own = static_cast<std::int64_t>(graph.owned.size());
    return Holdings{parts_.comm.size() > 1 ? own : 0, graph.globalVertices - own,
                    graph.own.nonzeros() + graph.halo.nonzeros()};
  }
  std::map<std::string, double> metrics() const override {
    if (skips_.bytes == 0) return {};
    return {{"skipped_share", static_cast<double>(skips_.skippedBytes) / static_cast<double>(skips_.bytes)},
            {"broadcasts", static_cast<double>(skips_.broadcasts)},
            {"skipped_broadcasts", static_cast<double>(skips_.skippedBroadcasts)}};
  }
  std::vector<RowTable> decided() const override {
    if (policy_.kind != SendingPolicy::Kind::variation || parts_.comm.size() == 1) return {};
    return decided_;
  }

 private:
  /// Collective. The blocks one after another, as copies have them after their owners' decisions; without
  /// copies all of them fresh. `use` gets each that is another rank's.
  template <class Use>
  void eachBlock(int tag, const Matrix& own, Copies* copies, const Use& use) {
    if (parts_.comm.size() == 1) return;
    if (copies != nullptr) {
      decisions_[at(parts_.comm.rank())] = decideNow(*copies, own) ? 1 : 0;
      parts_.comm.shareFlags(decisions_);
      RowTable& decided = decided_[at(tag)];
      for (std::size_t rank = 0; rank < decided.size(); ++rank) decided[rank] = {decisions_[rank]};
    }
    for (int rank = 0; rank < parts_.comm.size(); ++rank) {
      Matrix& block = copies != nullptr ? copies->block(rank) : passing_;
      const bool sends = copies == nullptr || decisions_[at(rank)] != 0;
      count(rank, own.cols(), sends);
      if (sends) broadcast_.run(rank, tag, own, block);
      if (sends && copies != nullptr) copies->noteCame(rank, epoch_);
      if (rank != parts_.comm.rank()) use(rank, block);
    }
  }
  bool decideNow(Copies& copies, const Matrix& own) {
    const Timed timed(parts_.tracer, Kind::compute, Name::sample);
    return copies.decide(epoch_, own);
  }
  void count(int rank, Index width, bool sends) {
    const Index rows = blocks_[at(rank)].rows;
    if (rows == 0 || !input_.training) return;
    const std::int64_t bytes = rows * width * (parts_.comm.size() - 1) * std::int64_t{sizeof(Scalar)};
    skips_.bytes += bytes;
    (sends ? skips_.broadcasts : skips_.skippedBroadcasts) += 1;
    if (!sends) skips_.skippedBytes += bytes;
  }

  /// The halo rows out of the blocks, in halo order.
  void collectHalo(int layer, const Matrix& own, Copies* copies, Matrix& halo) {
    halo.resize(parts_.share.graph.halo.cols, own.cols());
    eachBlock(2 * layer, own, copies, [&](int rank, const Matrix& block) { gather(rank, block, halo); });
  }
  void gatherCopies(Copies& copies, Index width, Matrix& halo) {
    halo.resize(parts_.share.graph.halo.cols, width);
    for (int rank = 0; rank < parts_.comm.size(); ++rank)
      if (rank != parts_.comm.rank()) gather(rank, copies.block(rank), halo);
  }
  /// Epochs since the copies came, over the rows of them that are needed here; none where none is. The
  /// gradients that come back are weighted by the same rows.
  std::optional<double> meanAge(const Copies& copies) const {
    double ages = 0, rows = 0;
    for (int rank = 0; rank < parts_.comm.size(); ++rank) {
      const std::optional<std::int64_t> cameIn = copies.cameIn(rank);
      if (rank == parts_.comm.rank() || !cameIn) continue;
      const auto needed = static_cast<double>(blocks_[at(rank)].needed.size());
      ages += needed * static_cast<double>(epoch_ - *cameIn);
      rows += needed;
    }
    return rows > 0 ? std::optional(ages / rows) : std::nullopt;
  }
  void gather(int rank, const Matrix& block, Matrix& halo) {
    const RemoteBlock& from = blocks_[at(rank)];
    if (from.needed.empty()) return;
    const Timed timed(parts_.tracer, Kind::compute, Name::gather);
    const auto width = at(halo.cols());
    gatherRows(
        block, from.needed,
        halo.values().subspan(at(static_cast<int>(from.haloBegin)) * width, from.needed.size() * width));
  }

  /// dY += Σ_{j≠i} Pᵀ[V_i,V_j] dZ_j
  void addRemote(int layer, const Matrix& dZ, Copies* copies, Matrix& dY) {
    eachBlock(2 * layer + 1, dZ, copies, [&](int rank, const Matrix& block) { addBlock(rank, block, dY); });
  }
  void addBlock(int rank, const Matrix& block, Matrix& dY) {
    const Csr& transposed = blocks_[at(rank)].transposed;
    if (transposed.nonzeros() > 0) aggregate(parts_.tracer, transposed, block, dY, Write::add);
  }

  WorkerParts& parts_;
  SendingPolicy policy_;
  Csr ownTransposed_;
  std::vector<RemoteBlock> blocks_;  // by rank
  BlockBroadcast broadcast_;
  std::vector<Copies> features_, gradients_;  // by layer
  Buffer<std::uint8_t> decisions_;            // by rank
  std::vector<RowTable> decided_;             // by exchangeOf, of the last epoch
  Matrix passing_;                            // a block that is used and not kept
  Matrix halo_;
  LayerInput input_;  // of the layer under way
  std::int32_t epoch_ = 0;
  Skips skips_;
};

std::vector<RowTable> countRows(const CountRequest& request) {
  return {wholeBlockRows(request.owners, request.parts)};
}

/// Whether rank's block is sent in the request's epoch. What changes cannot be known before the epoch is
/// trained: as if all were.
bool sends(const SendingPolicy& policy, const VolumeRequest& request, int layer, Pass pass, int rank) {
  if (policy.kind == SendingPolicy::Kind::variation)
    return request.decided.empty() || request.decided[exchangeOf(layer, pass)][at(rank)][0] > 0;
  return request.firstEpoch || (request.epoch + policy.head(rank, request.parts)) % policy.interval == 0;
}

void predictPass(const VolumeRequest& request, int layer, Pass pass, const SendingPolicy* skipping,
                 std::vector<PredictedVolume>& flows) {
  const std::int64_t rowBytes = request.propagated[at(layer)] * request.elementBytes;
  for (int i = 0; i < request.parts; ++i) {
    if (skipping != nullptr)  // a byte for each rank to know the decision
      flows.push_back({layer, pass, i, -1, request.parts - 1, request.parts - 1});
    if (skipping != nullptr && !sends(*skipping, request, layer, pass, i)) continue;
    for (int j = 0; j < request.parts; ++j)
      if (const std::int64_t rows = request.rows[at(i)][at(j)]; rows > 0)
        flows.push_back({layer, pass, i, j, 1, rows * rowBytes});
  }
}

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  const SendingPolicy policy(request.parameters);
  std::vector<PredictedVolume> flows;
  if (request.parts == 1) return flows;
  for (int l = 0; l < static_cast<int>(request.propagated.size()); ++l) {
    const bool once = l == 0 && request.parameters.flag("layer0_cache");
    if (!once || request.firstEpoch) predictPass(request, l, Pass::forward, once ? nullptr : &policy, flows);
    if (request.backward[at(l)])
      predictPass(request, l, Pass::backward, policy.skipsBackward ? &policy : nullptr, flows);
  }
  return flows;
}

/// A copy of all others' rows a layer and direction, and of the own ones where changes are looked for. The
/// halo rows are held too, and the block that passes in evaluations.
Memory memoryOf(const MemoryRequest& request) {
  const SendingPolicy policy(request.parameters);
  const std::int64_t forwardWidth = widest(request.forward), backwardWidth = widest(request.backward);
  const std::int64_t copied = policy.kind == SendingPolicy::Kind::variation ? request.rows : 0;
  Memory memory{};
  if (request.ranks == 1) return memory;
  bytesOf(memory, MemoryOf::exchange) =
      heldRows(request.halo, forwardWidth) +
      heldRows(request.largestBlock,
               policy.skipsBackward ? forwardWidth : std::max(forwardWidth, backwardWidth));
  for (const auto* widths : {&request.forward, &request.backward})
    for (const std::int64_t width : *widths)
      if (widths == &request.forward || policy.skipsBackward)
        bytesOf(memory, MemoryOf::history) += heldRows(request.vertices - request.rows + copied, width);
  return memory;
}

/// Epochs in which some rank sends its blocks, each by itself, and one for all the others. Which blocks have
/// changed enough only training tells.
EpochCycle cycleOf(const RunSettings& run, int ranks) {
  const SendingPolicy policy(run.parameters);
  if (policy.kind == SendingPolicy::Kind::variation)
    return policy.threshold <= 0 ? EpochCycle{} : EpochCycle{.bound = "every block sent"};
  std::set<std::int64_t> sending;
  for (int rank = 0; rank < ranks; ++rank)
    sending.insert((policy.interval - policy.head(rank, ranks)) % policy.interval);
  EpochCycle cycle{.turns = {}};
  for (const std::int64_t epoch : sending) cycle.turns.push_back({policy.interval + epoch, 1});
  std::int64_t other = 0;
  while (sending.contains(other)) ++other;
  const std::int64_t others = policy.interval - static_cast<std::int64_t>(sending.size());
  if (others > 0) cycle.turns.push_back({policy.interval + other, others});
  return cycle;
}

std::vector<Problem> refuse(const RunSettings& run) {
  if (!attends(run.model)) return {};
  return {{.key = "model.kind",
           .message = "sancus is not defined for " + run.model.kind +
                      ", whose attention would mix fresh and older rows in one softmax; use " +
                      kindsWithoutAttention()}};
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"sancus", "broadcast whole row blocks, and skip those whose older copies are good enough",
                    "Sancus, Peng et al., VLDB 2022", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<CachingPropagator>(parts, values),
                                         values.flag("layer0_cache"));
    },
    .predict = predict,
    .memory = memoryOf,
    .style = [](const RunSettings&, int) -> MethodStyle { return {.order = ExchangeOrder::broadcasts}; },
    .cycle = cycleOf,
    .exact = false,
    .aggregatesFirst = true,
    .exactWith = {{"interval", Value(std::int64_t{1})}, {"threshold", Value(0.0)}},
    .refuse = refuse,
    .countRows = countRows,
    .figures = {{"skipped_share", "volume skipped by using older copies", Metric::Unit::plain,
                 "bytes of skipped broadcasts ÷ bytes with nothing skipped, over the run"},
                {"broadcasts", "broadcasts of blocks", Metric::Unit::plain,
                 "blocks that were sent, over the run"},
                {"skipped_broadcasts", "broadcasts skipped", Metric::Unit::plain,
                 "blocks that were not sent because their older copy was used, over the run"}}}};

}  // namespace
}  // namespace halo
