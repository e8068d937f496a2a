// Sampled arcs a second and core: Σ|E^l| over the processor's time of whole blocks (drawn, repeats removed,
// numbered, CSR), 200 batches of 1,024 seeds after 20 of warm-up, "25,10". Then two threads, each with
// batches of its own: haloscope-benchmarks "[sampling]".
#include <array>
#include <catch2/catch.hpp>
#include <ctime>
#include <thread>

#include "datasets/generate/generate.h"
#include "datasets/generate/rmat.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/sampling/neighbour.h"
#include "engine/sampling/seed_order.h"

using namespace halo;

namespace {

constexpr std::size_t kSeeds = 1024;
constexpr std::uint64_t kWarm = 20, kTimed = 200;
constexpr double kTargetRate = 20e6, kTargetTwo = 1.8;

double threadSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Reads of 4 bytes a second and core, each at a place of its own in a table of so many.
double randomReads(std::size_t words) {
  constexpr std::uint64_t kReads = 20'000'000;
  const std::vector<std::uint32_t> table(words, 1);
  std::uint64_t state = 1, sum = 0;
  const double begin = threadSeconds();
  for (std::uint64_t i = 0; i < kReads; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    sum += table[(state >> 32) * words >> 32];
  }
  const double seconds = threadSeconds() - begin;
  CHECK(sum == kReads);
  return static_cast<double>(kReads) / seconds;
}

struct Timed {
  double arcs = 0, processor = 0;  // processor: of this thread, s
  double rate() const { return arcs / processor; }
};

/// kTimed batches from the first of them on, after kWarm others.
Timed sampled(const SampledGraph& graph, std::span<const Vertex> order, std::uint64_t first) {
  NeighbourSampler sampler(graph, {{25, 10}, false});
  Blocks blocks;
  Timed timed;
  double begin = 0;
  for (std::uint64_t i = 0; i < kWarm + kTimed; ++i) {
    if (i == kWarm) begin = threadSeconds();
    const std::size_t from = (first + i) * kSeeds % (order.size() - kSeeds);
    sampler.sample(order.subspan(from, kSeeds), {.seed = 1, .step = first + i}, blocks);
    if (i >= kWarm) timed.arcs += static_cast<double>(blocks.sampledArcs());
  }
  timed.processor = threadSeconds() - begin;
  return timed;
}

Csr graphNamed(const std::string& name) {
  if (name == "R-MAT") return rmat(18, 25, 1);
  for (const GraphShape& shape : generatedShapes())
    if (shape.name == name) return generate(shape, 0.1, /*seed=*/1).arcs;
  return {};
}

}  // namespace

TEST_CASE("sampled arcs a second and core", "[!benchmark][sampling]") {
  const std::string name = GENERATE("products-like", "R-MAT");
  const Csr A = graphNamed(name);
  const SampledGraph graph(A);
  std::vector<Vertex> order;
  for (Index v = 0; v < A.rows(); ++v)
    if (A.degree(v) > 0) order.push_back(static_cast<Vertex>(v));
  KeyedShuffle()(1, 0, order);

  std::int64_t begin = wallNs();
  const Timed once = sampled(graph, order, 0);
  const double wallOnce = static_cast<double>(wallNs() - begin);
  begin = wallNs();
  std::array<Timed, 2> both;
  {
    const std::jthread beside([&] { both[1] = sampled(graph, order, 10'000); });
    both[0] = sampled(graph, order, 0);
  }
  const double wallBoth = static_cast<double>(wallNs() - begin);
  const double reads = randomReads(at(A.nonzeros()));
  const double two = (both[0].rate() + both[1].rate()) / once.rate();
  WARN(name << ", " << A.rows() << " vertices, " << A.nonzeros() << " arcs, "
            << once.arcs / static_cast<double>(kTimed) << " sampled a batch: " << once.rate() * 1e-6
            << " M a second and core (target " << kTargetRate * 1e-6 << "), " << once.rate() / reads
            << " of the core's " << reads * 1e-6 << " M random reads a second. Two threads: " << two
            << " times by their processor time, "
            << (both[0].arcs + both[1].arcs) / wallBoth * wallOnce / once.arcs
            << " times by the wall's (target " << kTargetTwo << ")");
  CHECK(once.rate() >= kTargetRate);
  CHECK(two >= kTargetTwo);
}
