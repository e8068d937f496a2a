// Whole training epochs in one process, on a graph of the peers, to stand beside a plain PyTorch epoch of the
// same model:
//   epoch_bench GRAPH.gcsr [graphsage|gcn|gin [THREADS [EPOCHS [FEATURES [HIDDEN [LAYERS]]]]]]
// Prints loss and time of every epoch, their median and the peak resident size. The first epoch warms up and
// is left out.
#include <mpi.h>
#include <sys/resource.h>

#include <cstdio>

#include "engine/kernels/threads/work.h"
#include "engine/methods/full_graph/full_graph.h"
#include "engine/run/worker/distribute.h"
#include "tests/bench/gcsr.h"

using namespace halo;

namespace {

constexpr std::int32_t kClasses = 41;

struct Request {
  std::string graph, kind = "graphsage";
  int threads = 1, epochs = 3;
  Index features = 602, hidden = 256, layers = 3;
};

Share shareOf(const Request& request) {
  Dataset set;
  set.arcs = bench::readGcsr(request.graph);
  set.arcs.values = {};  // the weights follow from the model
  set.features = bench::features(set.arcs.rows(), request.features);
  set.classes = kClasses;
  for (Index v = 0; v < set.arcs.rows(); ++v) set.labels.push_back(static_cast<std::int32_t>(v % kClasses));
  set.split.assign(set.labels.size(), Split::train);
  const Csr propagation = propagationMatrix(set.arcs, find<LayerEntry>(request.kind)->propagation);
  return cutShare(set, propagation, Owners(set.labels.size(), 0), 0, 1);
}

int measure(const Request& request) {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  setKernelThreads(request.threads);
  RunSettings run;
  run.method = "single";
  run.parameters = fallbacks(find<MethodEntry>("single")->declaration.parameters);
  run.model.kind = request.kind;
  run.model.layers = request.layers;
  run.model.hidden = request.hidden;
  Share share = shareOf(request);
  Model model(run.model, layerWidths(run.model, request.features, kClasses), 1, false);
  Optimizer optimizer(run.training);
  WorkerParts parts{comm, tracer, run, share, model, optimizer};
  const auto method = find<MethodEntry>("single")->make(parts, run.parameters);
  std::vector<double> times;
  for (int epoch = 0; epoch <= request.epochs; ++epoch) {
    double loss = 0;
    const double ms = bench::criticalMs(request.threads, [&] { loss = method->runEpoch(epoch); });
    (void)method->takeWork();
    tracer.clear();
    std::printf("epoch %d loss %.4f cpu_s %.3f\n", epoch, loss, ms * 1e-3);
    if (epoch > 0) times.push_back(ms * 1e-3);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("median %s threads=%d epoch_cpu_s %.3f peak_rss_MiB %ld\n", request.kind.c_str(),
              request.threads, bench::median(times), usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bench::sleepWhileWaiting(argv);
  if (argc < 2) {
    std::fprintf(
        stderr,
        "epoch_bench GRAPH.gcsr [graphsage|gcn|gin [THREADS [EPOCHS [FEATURES [HIDDEN [LAYERS]]]]]]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  Request request{argv[1]};
  if (argc > 2) request.kind = argv[2];
  if (argc > 3) request.threads = std::atoi(argv[3]);
  if (argc > 4) request.epochs = std::atoi(argv[4]);
  if (argc > 5) request.features = std::atoi(argv[5]);
  if (argc > 6) request.hidden = std::atoi(argv[6]);
  if (argc > 7) request.layers = std::atoi(argv[7]);
  const int status = measure(request);
  MPI_Finalize();
  return status;
}
