// P2P-GCN's trainer on mini-batches (Demirci et al., VLDB 2023). Every worker draws the same vertex set,
// takes the members that it owns, and exchanges rows with others as p2p.cpp does. Synchronous.
//
//   iteration t:   V'_t drawn by all;   V'_i = V'_t ∩ V_i;   i sends row v ∈ V'_i to j iff some u ∈ V'_j
//                  has P_uv ≠ 0: both know the graph around their own, so no vertex number travels
//   layers:        those of p2p.cpp with P̂ on V'_t, updates last, partial gradients pushed;   one all-reduce
//   I = ⌈n / b⌉ (uniform) or ⌈n_train / mean |V'|⌉ (saint-node);   an iteration whose V'_t has no training
//   vertex sends, reduces and updates nothing
//
//   rows R'_t = Σ_{v ∈ V'_t} (parts of v and of its consumers in V'_t − 1), in M'_t pairs of ranks:
//   R' (Σ_{l<L} d_l + Σ_{l≥1} d_l) elements in 2 L M' messages, and 2 (P−1) W more of an all-reduce
//
// Departures: the paper is silent on a batch's normalisation: degrees within the batch, or those of the whole
// graph with each sampler's factors. What is pushed is right for directed graphs too.
#include <array>

#include "engine/base/index.h"
#include "engine/methods/full_graph/arrival_pass.h"
#include "engine/methods/minibatch/batch_entry.h"
#include "engine/methods/minibatch/batch_trainer.h"
#include "engine/methods/minibatch/drawn_sets.h"
#include "engine/methods/minibatch/shared_set_source.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 2> kSharedSamplers = {"uniform", "saint-node"};
constexpr std::array<Parameter, 6> kParameters = {{
    {"sampler", "how the vertex set of a batch is drawn, the same by all workers",
     Choice{"uniform", kSharedSamplers}},
    {"budget", "draws of a batch: distinct vertices of a uniform one; 0: 20000, uniform at most all vertices",
     Integer{0, 0, 1'000'000'000}},
    {"edge_weights", "neighbours weighted as in a graph of the batch alone, or as in the whole graph",
     Choice{"block", kEdgeWeights}},
    kAccumulationParameter,
    kEvaluationParameter,
    {"eval_fanouts", "most neighbours drawn to evaluate in each layer, from the inputs to the outputs",
     Text{"", /*numbers=*/true}},
}};

// Method::decided: rows sent, iterations in which any were, both by who sent and who got them; iterations
// that trained.
enum Decided : std::size_t { kRows, kMessages, kReductions };

class P2pMinibatch final : public BatchTrainer {
 public:
  P2pMinibatch(WorkerParts& parts, Arrival order)
      : BatchTrainer(parts,
                     [](const BatchParts& batches) -> std::unique_ptr<BatchSource> {
                       return std::make_unique<SharedSetSource>(batches);
                     }),
        sets_(static_cast<const SharedSetSource&>(source())),
        pass_(parts, sets_.peers(), order) {
    clearCounts();
  }

  double runEpoch(std::int32_t epoch) override {
    clearCounts();
    const double loss = BatchTrainer::runEpoch(epoch);
    const std::int64_t begin = wallNs();
    parts_.comm.sum(sent_);
    parts_.tracer.add(Kind::synchronise, Name::barrier, Lane::main, begin, wallNs());
    return loss;
  }

  std::vector<RowTable> decided() const override {
    const auto ranks = static_cast<std::ptrdiff_t>(parts_.comm.size());
    std::vector<RowTable> tables;
    for (auto next = sent_.begin(); next != sent_.end();) {
      RowTable& table = tables.emplace_back();
      for (std::ptrdiff_t i = 0; i < ranks; ++i, next += ranks) table.emplace_back(next, next + ranks);
    }
    tables.push_back({{reductions_}});
    return tables;
  }

  BatchSums batchSums() const override {
    BatchSums sums = BatchTrainer::batchSums();
    for (BlockRow& row : sums.blocks) row.remoteSources = received_;  // each layer's
    return sums;
  }

  Memory memory() const override {
    Memory bytes = BatchTrainer::memory();
    bytes[at(MemoryOf::exchange)] += static_cast<std::int64_t>(pass_.bufferBytes() + scaled_.heldBytes());
    return bytes;
  }

 protected:
  double iterate(std::int32_t epoch) override {
    const double loss = BatchTrainer::iterate(epoch);
    if (updatesNow()) countSent();
    return loss;
  }

  void keepEpoch(ByteWriter& out) const override {
    BatchTrainer::keepEpoch(out);
    out.array(sent_);
    out.value(received_);
    out.value(reductions_);
  }
  void resumeEpoch(ByteReader& in) override {
    BatchTrainer::resumeEpoch(in);
    in.array(sent_);
    received_ = in.value<std::int64_t>();
    reductions_ = in.value<std::int64_t>();
  }

  // The batch has one matrix, which is ready.
  void enterBlock(int l, bool /*turned*/) override { takeIds(l); }
  Index nonzeros(int) const override { return sets_.nonzeros(); }

  void propagate(int l, const Matrix& Y, Matrix& Z) override {
    pass_.forward(l, sets_.ownBlock(), sets_.byRank(), scaled(Y), Z);
  }

  void propagateBack(int l, const Matrix& dZ, Matrix& dY) override {
    pass_.backward(l, sets_.ownBlock(), sets_.haloBlock(), dZ, dY);
    scaleRows(dY, dY);
  }

 private:
  /// C Y, which is what travels.
  const Matrix& scaled(const Matrix& Y) {
    if (sets_.scale().empty()) return Y;
    scaled_.resize(Y.rows(), Y.cols());
    scaleRows(Y, scaled_);
    return scaled_;
  }

  void scaleRows(const Matrix& from, Matrix& to) {
    const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
    for (std::size_t row = 0; row < sets_.scale().size(); ++row) {
      const auto values = from.row(static_cast<Index>(row));
      std::ranges::transform(values, to.row(static_cast<Index>(row)).begin(),
                             [factor = sets_.scale()[row]](Scalar value) { return factor * value; });
    }
  }

  void clearCounts() {
    const auto ranks = at(parts_.comm.size());
    sent_.assign(kReductions * ranks * ranks, 0);
    received_ = reductions_ = 0;
  }

  void countSent() {
    const auto ranks = at(parts_.comm.size());
    for (const HaloPeer& peer : sets_.peers()) {
      const std::size_t place = at(parts_.comm.rank()) * ranks + at(peer.rank);
      sent_[kRows * ranks * ranks + place] += std::ssize(peer.sendRows);
      sent_[kMessages * ranks * ranks + place] += peer.sendRows.empty() ? 0 : 1;
    }
    received_ += sets_.haloRows();
    ++reductions_;
  }

  const SharedSetSource& sets_;
  ArrivalPass pass_;
  Matrix scaled_;
  std::vector<std::int64_t> sent_;  // of the epoch: kRows, kMessages
  std::int64_t received_ = 0, reductions_ = 0;
};

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  if (request.parts == 1 || request.decided.empty()) return {};
  const RowTable &rows = request.decided[kRows], &messages = request.decided[kMessages];
  std::vector<PredictedVolume> flows;
  for (std::size_t l = 0; l < request.propagated.size(); ++l)
    for (int i = 0; i < request.parts; ++i)
      for (int j = 0; j < request.parts; ++j) {
        if (rows[at(i)][at(j)] == 0) continue;
        const auto add = [&](Pass pass, std::int64_t width, int source, int target) {
          flows.push_back({static_cast<int>(l), pass, source, target, messages[at(i)][at(j)],
                           rows[at(i)][at(j)] * width * request.elementBytes});
        };
        add(Pass::forward, request.propagated[l], i, j);
        if (request.backward[l]) add(Pass::backward, request.returned[l], j, i);
      }
  return flows;
}

std::vector<Problem> refuse(const RunSettings& run) {
  std::vector<Problem> problems;
  refuseEvaluation(run, problems);
  return problems;
}

std::vector<Problem> refuseData(const RunSettings& run, const DataShape& data) {
  return refuse(run).empty() ? refuseDraws(run, data) : std::vector<Problem>();
}

MethodEntry entry() {
  MethodEntry entry =
      batchEntry({"p2p-minibatch", "p2p on mini-batches: vertex sets that all workers draw alike",
                  "Demirci et al., VLDB 2023", kParameters},
                 {{"never_drawn", "training vertices that the sampler never draws, which are in no loss",
                   Metric::Unit::plain}});
  std::erase_if(entry.figures, [](const Metric& figure) { return figure.key == "effective_batch"; });
  entry.make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
    return std::make_unique<P2pMinibatch>(parts, accumulation(values));
  };
  entry.predict = predict;
  // on the drawn set, as p2p passes the whole graph
  entry.style = [](const RunSettings&, int) -> MethodStyle { return {.meanwhile = Meanwhile::own}; };
  entry.draw = drawSets;
  entry.reductions = [](const VolumeRequest& request) -> std::int64_t {
    return request.decided.empty() ? 0 : request.decided[kReductions].front().front();
  };
  entry.attends = false;
  entry.refuse = refuse;
  entry.refuseData = refuseData;
  entry.autoOrder = "update-last";
  return entry;
}

const Registered<MethodEntry> self{entry()};

}  // namespace
}  // namespace halo
