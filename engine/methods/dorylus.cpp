// Dorylus (Thorpe et al., OSDI 2021): graph servers gather and scatter, and many small stateless tensor
// workers apply the weights. Chunks of vertices go through these stages one after the other. A chunk may be
// ahead of the last one by a bounded number of epochs.
//
// What is real: vanilla's halo exchange and training, synchronous and exact, whatever the parameters below
// say. What is modelled: a rank is one graph server with `chunks` chunks and `tensor_workers` workers of its
// own. How they share these is simulated by pipeline_model.h, with the FLOP and bytes that the ranks' shares
// have. Prices turn seconds into dollars.
//
//   gather    2 · nonzeros · width FLOP               at server_gflops
//   apply     the layer's dense FLOP at worker_gflops, and d_l + d_(l+1) wide rows over worker_gbit
//   scatter   the boundary rows, backward the halo rows   over cluster.link, or 10 Gbit/s
//
// Departures: asynchrony changes the model's times only, never the numbers trained with (pipegcn trains with
// rows of earlier epochs). Apply-edge, which GCN has no part in, is not modelled; nor are starts and failures
// of tensor workers.
#include <array>

#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/methods/full_graph/halo_pass.h"
#include "engine/methods/laws/layer_costs.h"
#include "engine/methods/laws/pipeline_model.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

// c5n.2xlarge, and 192 MB at the price of a GB second of AWS Lambda
const std::array<Parameter, 10> kParameters = {{
    {"chunks", "into which the model cuts each worker's vertices", Integer{16, 1, 1024}},
    {"tensor_workers", "of each modelled graph server", Integer{16, 1, 4096}},
    {"asynchrony", "epochs that a chunk may be ahead of the last one, in the model", Integer{0, 0, 64}},
    {"server_gflops", "of a modelled graph server, where it gathers", Real{20, 0.001, 1'000'000}},
    {"worker_gflops", "of a modelled tensor worker", Real{2, 0.001, 1'000'000}},
    {"worker_gbit", "between a modelled tensor worker and its graph server, in Gbit/s",
     Real{0.2, 0.000001, 100'000}},
    {"server_price", "of a modelled graph server, in dollars an hour", Real{0.432, 0, 1'000'000}},
    {"worker_price", "of a modelled tensor worker while it works, in dollars an hour",
     Real{0.01125, 0, 1'000'000}},
    kRowOverlapParameter,
    kLayer0CacheParameter,
}};

constexpr double kLinkGbit = 10;

double bytesPerSecond(double gbit) { return gbit * 1e9 / 8; }

/// What every rank's share means for the model: rows `sent` go to those who need them, and backward the
/// `halo` rows' gradients to their owners.
struct ServerShare {
  double rows = 0, edges = 0, sent = 0, halo = 0;
};

/// Collective: of all ranks.
std::vector<ServerShare> gatherShares(WorkerParts& parts) {
  const LocalGraph& graph = parts.share.graph;
  constexpr std::size_t kNumbers = 4;
  std::vector<std::int64_t> numbers(kNumbers * at(parts.comm.size()), 0);
  const std::size_t first = kNumbers * at(parts.comm.rank());
  numbers[first] = static_cast<std::int64_t>(graph.owned.size());
  numbers[first + 1] = graph.own.nonzeros() + graph.halo.nonzeros();
  numbers[first + 2] = graph.sendCount();
  numbers[first + 3] = static_cast<std::int64_t>(graph.haloIds.size());
  parts.comm.sum(numbers);
  std::vector<ServerShare> shares;
  for (std::size_t i = 0; i < numbers.size(); i += kNumbers)
    shares.push_back({static_cast<double>(numbers[i]), static_cast<double>(numbers[i + 1]),
                      static_cast<double>(numbers[i + 2]), static_cast<double>(numbers[i + 3])});
  return shares;
}

/// What one pass of a layer means for every server.
struct PassCost {
  double propagated = 0;          // width that is gathered and scattered
  double rowFlop = 0, moved = 0;  // of an own row: dense FLOP, and elements to and from a tensor worker
  bool backward = false;
};

/// The passes of an epoch, forward from layer 0 and back.
std::vector<PassCost> passCosts(Model& model, bool layer0Cached) {
  const std::vector<LayerCost> costs = layerCosts(model);
  const int layers = model.layers();
  std::vector<PassCost> passes(2 * costs.size());
  for (int l = 0; l < layers; ++l) {
    Layer& layer = model.layer(l);
    const LayerCost& cost = costs[at(l)];
    const auto moved = static_cast<double>(layer.in() + layer.out());
    const bool returns = l > 0 || layer.backwardNeedsPropagation();
    passes[at(l)] = {static_cast<double>(l == 0 && layer0Cached ? 0 : layer.propagatedWidth()),
                     static_cast<double>(cost.forwardFlop), moved, false};
    passes[at(2 * layers - 1 - l)] = {static_cast<double>(returns ? layer.returnedWidth() : 0),
                                      static_cast<double>(cost.backwardFlop), moved, true};
  }
  return passes;
}

/// The same as one chunk of a server meets them.
std::vector<ChunkTimes> chunkTimes(const std::vector<PassCost>& passes, const LinkSettings& link,
                                   const Values& values, const ServerShare& share) {
  const double linkBytes = bytesPerSecond(link.emulated() ? link.bandwidthGbit : kLinkGbit);
  const double workerBytes = bytesPerSecond(values.real("worker_gbit"));
  const double serverFlop = values.real("server_gflops") * 1e9,
               workerFlop = values.real("worker_gflops") * 1e9;
  const auto chunks = static_cast<double>(values.integer("chunks"));
  std::vector<ChunkTimes> times;
  for (const PassCost& pass : passes) {
    const double flop = share.rows * pass.rowFlop;
    const double moved = share.rows * pass.moved * sizeof(Scalar);
    const double scattered = (pass.backward ? share.halo : share.sent) * pass.propagated * sizeof(Scalar);
    times.push_back({2 * share.edges * pass.propagated / serverFlop / chunks,
                     (flop / workerFlop + moved / workerBytes) / chunks, scattered / linkBytes / chunks});
  }
  return times;
}

/// How many epochs are simulated: half of them to fill the pipeline.
std::int64_t modelledEpochs(std::int64_t asynchrony) { return asynchrony > 0 ? 2 * (asynchrony + 4) : 2; }

/// Seconds of an epoch, of one without asynchrony, and dollars.
std::array<double, 3> modelEpoch(PipelineRequest request, const Values& values) {
  request.chunks = static_cast<int>(values.integer("chunks"));
  request.tensorWorkers = static_cast<int>(values.integer("tensor_workers"));
  request.epochs = static_cast<int>(modelledEpochs(0));
  const PipelineTimes synchronous = simulatePipeline(request);
  request.asynchrony = static_cast<int>(values.integer("asynchrony"));
  request.epochs = static_cast<int>(modelledEpochs(request.asynchrony));
  const PipelineTimes times = request.asynchrony > 0 ? simulatePipeline(request) : synchronous;
  const double seconds = times.epochSeconds(), servers = static_cast<double>(request.servers.size());
  const double dollars = (servers * seconds * values.real("server_price") +
                          times.applySeconds / request.epochs * values.real("worker_price")) /
                         3600;
  return {seconds, synchronous.epochSeconds(), dollars};
}

/// Collective. Rank 0 simulates, all get the figures.
std::map<std::string, double> modelledOn(WorkerParts& parts, const Values& values) {
  PipelineRequest request;
  const std::vector<PassCost> passes = passCosts(parts.model, values.flag("layer0_cache"));
  for (const ServerShare& share : gatherShares(parts))
    request.servers.push_back(chunkTimes(passes, parts.settings.cluster.link, values, share));
  std::array<double, 3> figures{};
  if (parts.comm.rank() == 0) figures = modelEpoch(std::move(request), values);
  ByteWriter bytes;
  bytes.array(figures);
  const std::string all = parts.comm.broadcast(bytes.take());
  std::vector<double> same;
  ByteReader(all).array(same);
  return {{"modelled_epoch_seconds", same.at(0)},
          {"modelled_synchronous_seconds", same.at(1)},
          {"modelled_epoch_dollars", same.at(2)}};
}

// Of which a core simulates some millions a second.
constexpr std::int64_t kMostSteps = 20'000'000;

std::vector<Problem> refuse(const RunSettings& run) {
  const Values& values = run.parameters;
  const std::int64_t passes = 2 * run.model.layers * run.cluster.workers * values.integer("chunks");
  const std::int64_t asynchrony = values.integer("asynchrony");
  const std::int64_t epochs = modelledEpochs(asynchrony) + (asynchrony > 0 ? modelledEpochs(0) : 0);
  const std::int64_t steps = passes * 3 * epochs;
  if (steps <= kMostSteps) return {};
  const auto written = [](std::int64_t number) { return std::to_string(number); };
  return {{.key = "run.chunks",
           .message = written(values.integer("chunks")) + " would take the model too long: with " +
                      written(run.cluster.workers) + " workers, " + written(run.model.layers) +
                      " layers and asynchrony " + written(values.integer("asynchrony")) + " these are " +
                      written(steps) + " steps of chunks, and it takes at most " + written(kMostSteps) +
                      "; use fewer chunks, or less asynchrony"}};
}

class ServerPropagator final : public HaloPropagator {
 public:
  ServerPropagator(WorkerParts& parts, const Values& values)
      : HaloPropagator(parts, values), metrics_(modelledOn(parts, values)) {}

  std::map<std::string, double> metrics() const override { return metrics_; }

 private:
  std::map<std::string, double> metrics_;
};

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"dorylus", "train as vanilla does; model graph servers with stateless tensor workers",
                    "Dorylus, Thorpe et al., OSDI 2021", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<ServerPropagator>(parts, values),
                                         values.flag("layer0_cache"));
    },
    .predict = predictHaloExchange,
    .style = [](const RunSettings&, int) -> MethodStyle {
      return {.pairsAlone = true, .unknown = "its graph servers and tensor workers are a pipeline"};
    },
    .attends = true,
    .refuse = refuse,
    .figures = {{"modelled_epoch_seconds", "modelled pipeline: an epoch", Metric::Unit::seconds,
                 "an epoch of the modelled servers and tensor workers, once the pipeline is full"},
                {"modelled_synchronous_seconds", "modelled pipeline: an epoch, synchronous",
                 Metric::Unit::seconds, "`modelled_epoch_seconds` with `asynchrony = 0`"},
                {"modelled_epoch_dollars", "modelled pipeline: dollars an epoch", Metric::Unit::plain,
                 "price of a modelled epoch: servers for all of it, tensor workers while they work"}}}};

}  // namespace
}  // namespace halo
