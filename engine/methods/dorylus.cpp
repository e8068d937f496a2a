// Dorylus (methods.md 14; Thorpe et al., OSDI 2021): graph servers gather and scatter, many small stateless
// tensor workers apply the weights; chunks of vertices go through these stages one after the other, and a
// chunk may be ahead of the last one by a bounded number of epochs.
//
// What is real: vanilla's halo exchange and training, synchronous and exact, whatever the parameters below
// say. What is modelled: a rank is one graph server with `chunks` chunks and `tensor_workers` workers of its
// own; pipeline_model.h simulates how they share these, with the FLOP and bytes that the ranks' shares have,
// and prices turn seconds into dollars.
//
//   gather    2 · nonzeros · width FLOP               at server_gflops
//   apply     the dense FLOP at worker_gflops, and the rows in and out over worker_gbit
//   scatter   the boundary rows                       over cluster.link, or 10 Gbit/s
//
// Departures: asynchrony changes the model's times only, never the numbers trained with (pipegcn trains with
// rows of earlier epochs). Apply-edge, which GCN has no part in, is not modelled; nor are starts and failures
// of tensor workers.
#include <array>

#include "engine/methods/halo_pass.h"
#include "engine/methods/pipeline_model.h"
#include "engine/methods/volume.h"

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
    kOverlapParameter,
    kLayer0CacheParameter,
}};

constexpr double kLinkGbit = 10;

double bytesPerSecond(double gbit) { return gbit * 1e9 / 8; }

/// What every rank's share means for the model.
struct ServerShare {
  double rows = 0, edges = 0, sent = 0;
};

/// Collective: of all ranks.
std::vector<ServerShare> gatherShares(WorkerParts& parts) {
  const LocalGraph& graph = parts.share.graph;
  std::vector<std::int64_t> numbers(3 * static_cast<std::size_t>(parts.comm.size()), 0);
  const std::size_t first = 3 * static_cast<std::size_t>(parts.comm.rank());
  numbers[first] = static_cast<std::int64_t>(graph.owned.size());
  numbers[first + 1] = graph.own.nonzeros() + graph.halo.nonzeros();
  numbers[first + 2] = graph.sendCount();
  parts.comm.sum(numbers);
  std::vector<ServerShare> shares;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    shares.push_back({static_cast<double>(numbers[i]), static_cast<double>(numbers[i + 1]),
                      static_cast<double>(numbers[i + 2])});
  return shares;
}

/// The passes of an epoch, forward from layer 0 and back, as one chunk of a server meets them.
std::vector<ChunkTimes> chunkTimes(const WorkerParts& parts, const Values& values, const ServerShare& share) {
  const LinkSettings& link = parts.settings.cluster.link;
  const double linkBytes = bytesPerSecond(link.emulated() ? link.bandwidthGbit : kLinkGbit);
  const double workerBytes = bytesPerSecond(values.real("worker_gbit"));
  const auto chunks = static_cast<double>(values.integer("chunks"));
  const auto timesOf = [&](Layer& layer, Index width, double products) {
    const auto in = static_cast<double>(layer.in()), out = static_cast<double>(layer.out()),
               wide = static_cast<double>(width);
    const double flop = products * 2 * share.rows * in * out;
    const double moved = share.rows * (in + out) * sizeof(Scalar);
    return ChunkTimes{2 * share.edges * wide / (values.real("server_gflops") * 1e9) / chunks,
                      (flop / (values.real("worker_gflops") * 1e9) + moved / workerBytes) / chunks,
                      share.sent * wide * sizeof(Scalar) / linkBytes / chunks};
  };
  std::vector<ChunkTimes> passes;
  const int layers = parts.model.layers();
  const bool cached = values.flag("layer0_cache");
  for (int l = 0; l < layers; ++l) {
    Layer& layer = parts.model.layer(l);
    passes.push_back(timesOf(layer, l == 0 && cached ? 0 : layer.propagatedWidth(), 1));
  }
  for (int l = layers - 1; l >= 0; --l) {
    Layer& layer = parts.model.layer(l);
    const bool propagates = l > 0 || layer.backwardNeedsPropagation();
    passes.push_back(timesOf(layer, propagates ? layer.returnedWidth() : 0, l > 0 ? 2 : 1));
  }
  return passes;
}

std::map<std::string, double> modelEpoch(WorkerParts& parts, const Values& values) {
  PipelineRequest request;
  for (const ServerShare& share : gatherShares(parts))
    request.servers.push_back(chunkTimes(parts, values, share));
  request.chunks = static_cast<int>(values.integer("chunks"));
  request.tensorWorkers = static_cast<int>(values.integer("tensor_workers"));
  request.epochs = 2;
  const PipelineTimes synchronous = simulatePipeline(request);
  request.asynchrony = static_cast<int>(values.integer("asynchrony"));
  request.epochs = 2 * (request.asynchrony + 4);
  const PipelineTimes times = simulatePipeline(request);
  const double seconds = times.epochSeconds(), servers = static_cast<double>(request.servers.size());
  const double dollars = (servers * seconds * values.real("server_price") +
                          times.applySeconds / request.epochs * values.real("worker_price")) /
                         3600;
  return {{"modelled_epoch_seconds", seconds},
          {"modelled_synchronous_seconds", synchronous.epochSeconds()},
          {"modelled_epoch_dollars", dollars}};
}

class ServerPropagator final : public HaloPropagator {
 public:
  ServerPropagator(WorkerParts& parts, const Values& values)
      : HaloPropagator(parts, values), metrics_(modelEpoch(parts, values)) {}

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
    .attends = true}};

}  // namespace
}  // namespace halo
