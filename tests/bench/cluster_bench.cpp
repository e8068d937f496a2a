// The sweep of clusters at its largest: five methods on 8 to 8192 workers, a graph of the size of
// ogbn-papers100M in sums of each rank. The bound is a minute, and memory in proportion to workers.
#include <catch2/catch.hpp>
#include <string>

#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/machines/machine_figures.h"
#include "simulator/cluster/plans/wide_plan.h"
#include "tests/support/places.h"

namespace halo::cluster {
namespace {

/// 111 million vertices of mean degree 14.5 (both directions), degrees falling as a power.
ConsumerHistogram papers() {
  ConsumerHistogram consumers;
  double left = 111e6;
  for (std::int64_t k = 1; k < 30'000; k = k * 3 / 2 + 1) {
    const double count =
        111e6 * 0.42 / (1 + 0.06 * static_cast<double>(k * k) / static_cast<double>(1 + k / 16));
    consumers[k] = static_cast<std::int64_t>(std::min(left, count));
    left -= static_cast<double>(consumers[k]);
    if (left <= 0) break;
  }
  return consumers;
}

struct Swept {
  std::size_t points = 0, mostBytes = 0;
  double slowestNs = 0;
};

Swept sweep(const Machine& machine, const ConsumerHistogram& consumers) {
  Swept swept;
  for (const std::string name : {"vanilla", "pipegcn", "bns", "mop-partition", "cagnet"})
    for (int ranks = 8; ranks <= 8192; ranks *= 2) {
      RunSettings run;
      run.method = name;
      run.parameters = fallbacks(find<MethodEntry>(name)->declaration.parameters);
      run.model.kind = "graphsage";
      run.model.layers = 3;
      run.model.hidden = 128;
      const auto figures = expectedFigures(consumers, 111'000'000, 1'620'000'000, ranks,
                                           styleOf(run, ranks).groups, /*seed=*/1);
      const Plan plan = widePlan(run, {128, 128, 128, 172}, figures);
      const ClusterResult result = simulateBulk(plan, machine);
      swept.slowestNs = std::max(swept.slowestNs, result.epochNs);
      swept.mostBytes = std::max(swept.mostBytes, plan.heldBytes());
      ++swept.points;
    }
  return swept;
}

TEST_CASE("a sweep to 8192 workers", "[!benchmark][cluster]") {
  const Machine machine = readMachine(std::string(kSourceDir) + "/resources/clusters/a64fx-tofu.toml");
  const ConsumerHistogram consumers = papers();
  const Swept once = sweep(machine, consumers);
  WARN(once.points << " points; the largest plan holds " << once.mostBytes / 1024 << " KiB");
  BENCHMARK_ADVANCED("five methods, 8 to 8192 workers")(Catch::Benchmark::Chronometer meter) {
    meter.measure([&] { return sweep(machine, consumers).slowestNs; });
  };
}

}  // namespace
}  // namespace halo::cluster
