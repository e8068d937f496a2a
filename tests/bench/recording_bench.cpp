// What recording at full detail costs: epochs with the tracer on, their rows and spans gathered and encoded,
// against epochs of the same run with the tracer off, in turn within one process.
//   mpirun -np 2 recording_bench [SCALE [EPOCHS [HIDDEN]]]      a reddit-like graph; prints both medians and
//   the share
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "datasets/generate/generate.h"
#include "engine/run/worker/distribute.h"
#include "engine/run/worker/reporter.h"

using namespace halo;

namespace {

double medianMs(std::vector<std::int64_t> ns) {
  std::ranges::sort(ns);
  return static_cast<double>(ns[ns.size() / 2]) * 1e-6;
}

Dataset redditLike(double scale) {
  for (const GraphShape& shape : generatedShapes())
    if (shape.name == "reddit-like") return generate(shape, scale, 1);
  std::abort();
}

int bench(double scale, int epochs, Index hidden) {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  RunSettings run;
  run.method = "vanilla";
  run.parameters = fallbacks(find<MethodEntry>("vanilla")->declaration.parameters);
  run.model.kind = "graphsage";
  run.model.layers = 3;
  run.model.hidden = hidden;
  const Dataset set = redditLike(scale);
  const Csr propagation = propagationMatrix(set.arcs, Propagation::mean);
  const Owners owners = partition(set.arcs, "metis", {comm.size(), 0.03, 1, {}});
  Share share = cutShare(set, propagation, owners, comm.rank(), comm.size());
  Model model(run.model, layerWidths(run.model, set.features.cols(), set.classes), 1, false);
  Optimizer optimizer(run.training);
  WorkerParts parts{comm, tracer, run, share, model, optimizer};
  const auto method = find<MethodEntry>("vanilla")->make(parts, run.parameters);
  std::size_t bytes = 0, spans = 0;
  const auto predictNothing = [](std::int64_t, const std::vector<RowTable>&) {
    return std::vector<PredictedVolume>();
  };
  Reporter reporter(comm, {}, 0, 1, predictNothing,
                    [&](FrameType, const std::string& payload) { bytes += payload.size(); });
  std::vector<std::int64_t> recorded, plain;
  for (std::int32_t epoch = 0; epoch < 2 * epochs + 2; ++epoch) {
    const bool on = epoch % 2 == 0;
    tracer.setEnabled(on);
    comm.setCounting(on);
    comm.barrier();
    const std::int64_t begin = wallNs();
    method->runEpoch(epoch);
    if (on) {
      spans = tracer.spans().size();
      EpochRow row;
      row.epoch = epoch;
      reporter.add(row, begin, wallNs(), *method, {});
      reporter.flush();
    } else {
      (void)method->takeWork();
    }
    const std::int64_t took = comm.max(wallNs() - begin);
    if (epoch >= 2)
      (on ? recorded : plain).push_back(took);  // the first of each kind fills caches and buffers
  }
  if (comm.rank() == 0)
    std::printf(
        "ranks %d, vertices %ld, %zu spans an epoch and rank, %zu bytes to the recording in all\n"
        "unrecorded %.3f ms, recorded %.3f ms an epoch (medians of %d): recording costs %.2f %%\n"
        "noting, gathering and encoding on rank 0, with an epoch's rows and spans sent each time: %.3f %%\n",
        comm.size(), static_cast<long>(set.vertices()), spans, bytes, medianMs(plain), medianMs(recorded),
        epochs, 100 * (medianMs(recorded) / medianMs(plain) - 1),
        100 * static_cast<double>(reporter.recordingNs()) / static_cast<double>(reporter.epochNs()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = bench(argc > 1 ? std::atof(argv[1]) : 0.02, argc > 2 ? std::atoi(argv[2]) : 20,
                           argc > 3 ? std::atoi(argv[3]) : 64);
  MPI_Finalize();
  return status;
}
