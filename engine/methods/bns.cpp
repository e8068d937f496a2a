// BNS-GCN, boundary-node sampling (Wan et al., MLSys 2022): every epoch each worker exchanges only a random
// subset of its boundary rows. The subset is the same for all layers and both directions, scaled so that the
// aggregate stays unbiased. Synchronous; exact at rate 1, islands at rate 0.
//
//   each epoch, owner j, receiver i:   S_ij ⊂ B_ij, s_ij = ⌊rate · |B_ij|⌋ rows without replacement
//   layer 0:      Z_i = P[V_i,V_i] X_i + P[V_i,B_i] X(B_i), once, over the full halo
//   layer l ≥ 1:  Z_i = P[V_i,V_i] Y_i + Σ_j |B_ij|/s_ij P[V_i,S_ij] Y(S_ij);   backward its adjoint
//
// P keeps the full graph's degrees. Evaluation uses the full halo. Departures: the ratio is multiplied into
// the sampled columns of P at the receiver instead of into the rows that travel. The product is the same, and
// backward cannot forget it. With indices = "derived" both ends draw the sample from the keyed generator, so
// that no list of positions need travel. The paper's, "sent", sends 8 bytes a row.
#include <array>

#include "engine/base/index.h"
#include "engine/methods/contract/layer_kinds.h"
#include "engine/methods/full_graph/halo_pass.h"
#include "engine/methods/laws/volume.h"
#include "engine/partition/halo/boundary_sample.h"

namespace halo {
namespace {

constexpr int kSampleTag = (1 << 14) - 1;  // beyond every layer's
constexpr std::array<std::string_view, 2> kIndices = {"sent", "derived"};
const std::array<Parameter, 4> kParameters = {{
    {"rate", "share of the boundary rows that travel in an epoch", Real{0.1, 0, 1}},
    {"at_least_one", "one row where the share of a pair's rows is less (rate above 0)", Flag{false}},
    {"indices", "how receivers learn the sample: the owner sends it, or both draw it",
     Choice{"sent", kIndices}},
    kOverlapParameter,
}};

class SamplingPropagator final : public Propagator {
 public:
  SamplingPropagator(WorkerParts& parts, const Values& values)
      : parts_(parts),
        graph_(parts.share.graph),
        rate_(values.real("rate")),
        sends_(values.text("indices") == "sent"),
        ownTransposed_(transpose(graph_.own)),
        sample_(graph_, rate_, values.flag("at_least_one")),
        pass_(parts, sample_.peers(), values.text("overlap") == "local-first") {}

  bool complete() const override { return rate_ >= 1 || parts_.comm.size() == 1; }

  void beginEpoch(std::int32_t epoch) override {
    if (parts_.model.layers() < 2) return;  // layer 0 needs no sample
    {
      const Timed timed(parts_.tracer, Kind::compute, Name::sample);
      sample_.drawSent(parts_.settings.training.seed, epoch);
      if (!sends_) sample_.drawReceived(parts_.settings.training.seed, epoch);
    }
    if (sends_) exchangePositions();
    const Timed timed(parts_.tracer, Kind::compute, Name::sample);
    sample_.cut();
  }

  void enter(int, const LayerInput& input) override { training_ = input.training; }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    if (training_) return pass_.forward(layer, own(), sampled(), Y, Z);
    // the full halo's buffers live only as long: between evaluations a rank holds a share of it
    const EdgeBlock fullHalo{graph_.halo, /*transposed=*/graph_.halo};  // which no forward pass reads
    HaloPass(parts_, graph_.peers, false).forward(layer, own(), fullHalo, Y, Z);
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    pass_.backward(layer, own(), sampled(), dZ, dY);
  }

  // The rows used were fresh: what is missing is no staleness.
  std::size_t bufferBytes() const override { return pass_.bufferBytes(); }

 private:
  EdgeBlock own() const { return {graph_.own, ownTransposed_}; }
  EdgeBlock sampled() { return {sample_.halo(), sample_.transposed()}; }

  void exchangePositions() {
    for (std::size_t p = 0; p < graph_.peers.size(); ++p)
      if (!sample_.received()[p].empty())
        transfers_.push_back(
            parts_.comm.startReceive(graph_.peers[p].rank, kSampleTag, std::span(sample_.received()[p])));
    for (std::size_t p = 0; p < graph_.peers.size(); ++p)
      if (!sample_.sent()[p].empty())
        transfers_.push_back(parts_.comm.startSend(graph_.peers[p].rank, kSampleTag,
                                                   std::span<const Index>(sample_.sent()[p])));
    parts_.comm.waitAll(transfers_);
    transfers_.clear();
  }

  WorkerParts& parts_;
  const LocalGraph& graph_;
  double rate_;
  bool sends_;
  Csr ownTransposed_;
  SampledHalo sample_;
  HaloPass pass_;
  std::vector<Transfer> transfers_;
  bool training_ = true;
};

// The size of a sample does not depend on the draw: the closed form is exact, not an expectation.
std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  auto rows = request.rows;
  for (auto& from : rows)
    for (std::int64_t& count : from)
      count = sampleSize(request.parameters.real("rate"), request.parameters.flag("at_least_one"), count);
  std::vector<PredictedVolume> flows = predictHaloRows(request, /*layer0Cached=*/true, rows);
  if (request.parameters.text("indices") != "sent" || request.propagated.size() < 2) return flows;
  for (int i = 0; i < request.parts; ++i)
    for (int j = 0; j < request.parts; ++j)
      if (const std::int64_t count = rows[at(i)][at(j)]; count > 0)
        flows.push_back({-1, Pass::none, i, j, 1, count * std::int64_t{sizeof(Index)}});
  return flows;
}

std::vector<Problem> refuse(const RunSettings& run) {
  if (!attends(run.model)) return {};
  return {{.key = "model.kind",
           .message = "bns scales the sampled rows of a sum, and inside " + run.model.kind +
                      "'s softmax no such scale is defined; use " + kindsWithoutAttention()}};
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"bns", "exchange a random share of the boundary rows, another one every epoch",
                    "BNS-GCN, Wan et al., MLSys 2022", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<SamplingPropagator>(parts, values),
                                         /*layer0Cached=*/true);
    },
    .predict = predict,
    .style = [](const RunSettings& run, int) -> MethodStyle {
      return {.meanwhile = meanwhile(run.parameters), .pairsAlone = true};
    },
    .exact = false,
    .alwaysCachesLayer0 = true,
    .exactWith = {{"rate", Value(1.0)}},
    .refuse = refuse,
    .autoOrder = "aggregate-first"}};

}  // namespace
}  // namespace halo
