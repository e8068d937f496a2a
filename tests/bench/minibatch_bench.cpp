// An epoch of mini-batches beside plain PyTorch on the same blocks: GraphSAGE of two layers, 256 wide, 1,024
// seeds, fan-outs 25 and 10, on a tenth of a graph of ogbn-products' counts. PyTorch reads the blocks from a
// file, beside its clock; ours are drawn within the epoch that is timed.
//   minibatch_bench [THREADS [EPOCHS]]
// Where PyTorch is not here (Debian's python3-torch) it says so, and prints its own time alone. PyTorch needs
// OpenBLAS (libopenblas0) beside it: with Debian's plain BLAS its dense products take ten times as long.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "datasets/generate/generate.h"
#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "engine/kernels/threads/work.h"
#include "engine/sampling/neighbour.h"
#include "engine/sampling/seed_order.h"
#include "tests/bench/one_worker.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

constexpr double kTarget = 2.0;  // times as fast
constexpr int kLayers = 2;

template <class T>
void put(std::ofstream& file, std::span<const T> values) {
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}
void put(std::ofstream& file, std::int64_t value) { put(file, std::span<const std::int64_t>(&value, 1)); }

/// Every block of an epoch, as minibatch_torch.py reads it.
void writeBlocks(const Dataset& set, const std::filesystem::path& path) {
  std::vector<Vertex> trained;
  for (Index v = 0; v < set.vertices(); ++v)
    if (set.split[at(v)] == Split::train) trained.push_back(static_cast<Vertex>(v));
  std::vector<std::int64_t> counts = {std::ssize(trained)};
  SeedSettings seeds;
  seeds.batch = 1024;
  SeedOrder order = SeedOrder::own(seeds, 0, std::move(trained), std::move(counts));
  order.begin(0);
  const SampledGraph graph(CsrRows(set.arcs));
  NeighbourSampler sampler(graph, {{25, 10}, false});
  std::ofstream file(path, std::ios::binary);
  for (const std::int64_t value : {set.features.cols(), Index{256}, Index{set.classes}, Index{kLayers},
                                   set.vertices(), order.iterations()})
    put(file, value);
  put(file, std::span<const std::int32_t>(set.labels));
  Blocks blocks;
  for (Index t = 0; t < order.iterations(); ++t) {
    sampler.sample(order.seeds(t), {1, static_cast<std::uint64_t>(t)}, blocks);
    for (int l = 0; l <= kLayers; ++l) put(file, std::ssize(blocks.at(l)));
    put(file, blocks.at(0));
    for (int l = 1; l <= kLayers; ++l) {
      const Csr& block = blocks.block(l);
      const std::vector<std::int64_t> offsets(block.offsets.begin(), block.offsets.end());
      put(file, std::span<const std::int64_t>(offsets));
      put(file, std::span<const Vertex>(block.columns.data(), block.columns.size()));
    }
  }
}

double ourSeconds(const Dataset& set, int threads, int epochs) {
  setKernelThreads(threads);
  bench::OneWorker worker(set, bench::batchesOf("minibatch"));
  std::vector<double> seconds;
  double computing = 0;
  for (int epoch = 0; epoch <= epochs; ++epoch) {
    const std::int64_t begin = wallNs();
    const double loss = worker.method->runEpoch(epoch);
    const double taken = static_cast<double>(wallNs() - begin) * 1e-9;
    computing = 0;
    for (const WorkRow& row : worker.method->takeWork()) computing += static_cast<double>(row.cpuNs) * 1e-9;
    worker.tracer.clear();
    std::printf("epoch %d loss %.4f %.3f s, products and aggregation %.3f s\n", epoch, loss, taken,
                computing);
    if (epoch > 0) seconds.push_back(taken);  // the first warms up
  }
  return median(seconds);
}

/// Seconds of an epoch that its last line tells; none where it could not.
double torchSeconds(const std::filesystem::path& blocks, int threads, int epochs) {
  const std::string command = "/usr/bin/python3 " + std::string(kSourceDir) +
                              "/tests/bench/minibatch_torch.py " + blocks.string() + " " +
                              std::to_string(threads) + " " + std::to_string(epochs);
  FILE* output = ::popen(command.c_str(), "r");
  if (output == nullptr) return 0;
  double seconds = 0;
  for (std::array<char, 512> line{};
       std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr;) {
    std::printf("PyTorch: %s", line.data());
    (void)std::sscanf(line.data(), "epoch_s %lf", &seconds);
  }
  return ::pclose(output) == 0 ? seconds : 0;
}

int measure(int threads, int epochs) {
  const Dataset set = bench::tenthOf("products-like");
  std::printf("%lld vertices, %lld arcs\n", static_cast<long long>(set.vertices()),
              static_cast<long long>(set.arcs.nonzeros()));
  const double ours = ourSeconds(set, threads, epochs);
  std::printf("ours, %d threads: %.3f s an epoch\n", threads, ours);
  if (std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") != 0) {
    std::printf("SKIPPED: PyTorch is not here; Debian has it as python3-torch\n");
    return 0;
  }
  const std::filesystem::path blocks =
      std::filesystem::temp_directory_path() / ("blocks-" + std::to_string(::getpid()));
  writeBlocks(set, blocks);
  const double theirs = torchSeconds(blocks, threads, epochs);
  std::filesystem::remove(blocks);
  if (theirs == 0) return 1;
  std::printf("%s: %.2f times as fast as PyTorch (at least %.1f)\n",
              theirs >= kTarget * ours ? "pass" : "MISS", theirs / ours, kTarget);
  return theirs >= kTarget * ours ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = measure(argc > 1 ? std::atoi(argv[1]) : 1, argc > 2 ? std::atoi(argv[2]) : 3);
  MPI_Finalize();
  return status;
}
