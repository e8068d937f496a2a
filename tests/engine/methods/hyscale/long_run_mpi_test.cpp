// hyscale for thousands of iterations with figures that drift: the manager moves again, and nothing grows.
#include <malloc.h>

#include <set>

#include "engine/methods/hyscale/even_sample.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/changed_platform.h"
#include "tests/support/graphs.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::test;

namespace {

const Dataset& large() {
  static const Dataset set = datasetOf("large", 300, randomArcs(300, 1500, 5), true);
  return set;
}

/// Batches of the same seeds in every epoch, a decision as often as can be.
RunSettings drifting(const Scratch& scratch) {
  RunSettings run = settingsFor("hyscale", "gcn", 2, 7);
  run.parameters["global_batch"] = std::int64_t{20};
  run.parameters["cards"] = std::int64_t{2};
  run.parameters["mapping"] = std::string("9/42/42/44");
  run.parameters["window"] = std::int64_t{1};
  run.parameters["shuffle"] = false;
  run.parameters["platform"] = platformWithoutLaunches(scratch / "");
  run.parameters["drift"] = kDrift;
  return run;
}

/// Counts, and keeps nothing.
class Counts final : public IterationListener {
 public:
  void onIteration(const Iteration& iteration) override {
    ++iterations;
    stages += std::ssize(iteration.stages);
    for (const DecisionRow& row : iteration.decisions) {
      gaps = gaps || row.decision > last + 1;
      last = std::max(last, row.decision);
    }
    rows += std::ssize(iteration.decisions);
  }
  std::int64_t iterations = 0, stages = 0, rows = 0, last = -1;
  bool gaps = false;
};

std::int64_t heldBytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

}  // namespace

TEST_CASE("with figures that drift the manager moves again, and memory does not grow", "[hyscale]") {
  if (worldSize() > 1) return;
  constexpr std::int64_t kIterations = 4000, kWarm = 2000, kMostGrowth = 32 << 10;
  const Scratch scratch;
  RunSettings run = drifting(scratch);
  run.training.epochs = kIterations;  // more than it comes to
  Counts counts;
  Trained single(MPI_COMM_SELF, large(), run, scatteredOwners(large(), 1));
  single.parts->listener = &counts;
  std::int64_t warm = 0;
  for (std::int32_t epoch = 0; counts.iterations < kIterations; ++epoch) {
    single.method->runEpoch(epoch);
    single.method->takeWork();
    if (warm == 0 && counts.iterations >= kWarm) warm = heldBytes();
  }
  const std::int64_t grown = heldBytes() - warm;
  CHECK(grown < kMostGrowth);
  CHECK(counts.stages == counts.iterations * 8);
  CHECK(counts.last > kIterations / 10);
  CHECK_FALSE(counts.gaps);
  CHECK(counts.rows <= 2 * (counts.last + 1) + 1);  // each as it is tried, and as it is judged
  CHECK(single.method->metrics().at("decisions") > static_cast<double>(kIterations) / 10);
}

TEST_CASE("drifting figures change no number", "[hyscale]") {
  if (worldSize() > 1) return;
  const auto losses = [&](const RunSettings& run) {
    Trained single(MPI_COMM_SELF, large(), run, scatteredOwners(large(), 1));
    std::vector<double> all;
    for (std::int32_t epoch = 0; epoch < 4; ++epoch) all.push_back(single.method->runEpoch(epoch));
    return all;
  };
  const Scratch scratch;
  const RunSettings still = with(with(drifting(scratch), "drift", std::string()), "manage", false);
  const std::vector<double> actual = losses(drifting(scratch)), expected = losses(still);
  for (std::size_t i = 0; i < actual.size(); ++i)
    CHECK(actual[i] == Approx(expected[i]).epsilon(sizeof(Scalar) == 8 ? 1e-10 : 1e-5));
}

TEST_CASE("a sample keeps evenly spaced values of any number, and their median", "[hyscale]") {
  hyscale::EvenSample sample;
  CHECK(sample.empty());
  constexpr int kValues = 100'000;
  for (int i = 0; i < kValues; ++i) {
    sample.add(i);
    if (i == 4) CHECK(sample.median() == 2);
    CHECK(sample.size() < hyscale::EvenSample::kMost);
  }
  CHECK(sample.size() > hyscale::EvenSample::kMost / 2);
  CHECK(sample.median() == Approx(kValues / 2).epsilon(0.01));
}
