// A hundred thousand iterations of hybrid training, everything of each recorded: what it takes. Worker and
// supervisor need some four minutes of CPU time. An iteration of 2 ms is the shortest of which recording is
// no more than the share that is allowed, so smaller batches would prove nothing of it.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <vector>

#include "engine/base/clock.h"
#include "engine/record/rows/hybrid_rows.h"
#include "engine/record/tables/runs.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/support/changed_platform.h"
#include "tests/support/descendants.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate;

namespace {

constexpr std::int64_t kIterations = 100'000, kStagesEach = 8;

/// Of a process, in KiB, without what files back.
std::int64_t heldKib(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string word; status >> word;)
    if (std::int64_t kib = 0; word == "RssAnon:" && status >> kib) return kib;
  return 0;
}

/// What the worker holds every 100 epochs, and the supervisor after a tenth of the epochs and the last.
class HeldMemory final : public RunObserver {
 public:
  void onEpoch(const RunRow&, const EpochRow& row, std::int64_t epochs) override {
    if (row.epoch == epochs / 10) supervisorAtTenth = heldKib(::getpid());
    if (row.epoch % 100 != 99) return;
    if (const std::int64_t kib = heldKib(test::workerOfRank(0)); kib > 0) workerKib.push_back(kib);
    supervisorAtEnd = heldKib(::getpid());
  }
  /// The largest share of the epochs in a row over which the worker's memory changed by at most `kib`. It
  /// grows by megabytes at once where a batch is larger than all before.
  double flatShare(std::int64_t kib) const {
    std::size_t longest = 0;
    for (std::size_t first = 0; first < workerKib.size(); ++first) {
      std::int64_t least = workerKib[first], most = least;
      std::size_t end = first;
      for (; end < workerKib.size() && most - least <= kib; ++end)
        least = std::min(least, workerKib[end]), most = std::max(most, workerKib[end]);
      longest = std::max(longest, end - first - (most - least > kib ? 1 : 0));
    }
    return static_cast<double>(longest) / static_cast<double>(workerKib.size());
  }
  std::vector<std::int64_t> workerKib;
  std::int64_t supervisorAtTenth = 0, supervisorAtEnd = 0;
};

/// CPU time of this process and of all that it waited for, in seconds.
double cpuSeconds() {
  double seconds = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(whose, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
}

/// 20 iterations an epoch of 1,959 training vertices, a decision as often as can be, and figures that never
/// let the manager rest.
RunSettings drifting(const Scratch& scratch) {
  RunSettings run = karate("hyscale", 1);
  run.dataset.name = "products-like";
  run.dataset.scale = 0.01;
  run.model.layers = 2;
  run.model.hidden = 32;
  run.parameters["fanouts"] = std::string("15,8");
  run.parameters["global_batch"] = std::int64_t{97};
  run.parameters["drop_last"] = true;
  run.parameters["cards"] = std::int64_t{2};
  run.parameters["mapping"] = std::string("40/42/42/44");
  run.parameters["clock"] = std::string("virtual");
  run.parameters["window"] = std::int64_t{1};
  run.parameters["platform"] = test::platformWithoutLaunches(scratch / "");
  run.parameters["drift"] = test::kDrift;
  run.training.evaluateEvery = 0;
  run.record.iterationsEvery = 1;
  run.training.epochs = kIterations / 20;
  return run;
}

std::int64_t countOf(Database& database, const std::string& table) {
  Statement count(database, "SELECT count(*) FROM " + table);
  count.step();
  return count.integer(0);
}

}  // namespace

TEST_CASE("a hundred thousand hybrid iterations are recorded in memory that does not grow", "[.nightly]") {
  constexpr std::int64_t kWorkerGrowthKib = 4096;
  constexpr std::int64_t kFlatKib = 256;  // half of the iterations would add more, by 8 bytes each
  constexpr std::int64_t kSupervisorGrowthKib = 16384;  // medians take 24 bytes an iteration
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  HeldMemory memory;
  const double cpuBefore = cpuSeconds();
  const std::int64_t began = wallNs();
  const RunOutcome outcome = superviseRun(database, Runs(database).addExperiment("test", ""),
                                          drifting(scratch), test::kWorker, memory);
  const double cpu = cpuSeconds() - cpuBefore, wall = static_cast<double>(wallNs() - began) * 1e-9;
  INFO(outcome.error);
  REQUIRE(outcome.status == "completed");
  REQUIRE(std::ssize(memory.workerKib) > kIterations / 20 / 200);  // more than half of the looks
  const std::int64_t atTenth = memory.workerKib.at(memory.workerKib.size() / 10);
  const std::map<std::string, double> latest = Runs(database).latest(outcome.run);
  const std::int64_t decisions = countOf(database, "decision WHERE action NOT IN ('start', 'rest')");
  WARN(fmt::format(
      "worker {} KiB after a tenth, {} at the end, flat over {:.2f} of the epochs; supervisor {} and {}; {} "
      "decisions, {} stages; "
      "recording {:.3f} %; {:.0f} s of CPU time in {:.0f} s",
      atTenth, memory.workerKib.back(), memory.flatShare(kFlatKib), memory.supervisorAtTenth,
      memory.supervisorAtEnd, decisions, countOf(database, "stage"), 100 * latest.at("recorder_share"), cpu,
      wall));
  CHECK(countOf(database, "iteration") == kIterations);
  CHECK(countOf(database, "stage") == kIterations * kStagesEach);
  const std::string completeIterations = fmt::format(
      "(SELECT 1 FROM stage GROUP BY epoch, iteration HAVING count(*) = {} AND count(DISTINCT stage) = {})",
      kStagesEach, kBatchStages);
  CHECK(countOf(database, completeIterations) == kIterations);
  CHECK(decisions >= 10'000);
  CHECK(latest.at("decisions") == static_cast<double>(decisions));
  CHECK(memory.workerKib.back() - atTenth < kWorkerGrowthKib);
  CHECK(memory.flatShare(kFlatKib) >= 0.5);
  CHECK(memory.supervisorAtEnd - memory.supervisorAtTenth < kSupervisorGrowthKib);
  // nothing sleeps, so the rest is time that others had the cores: the worker's waits are longer for it
  constexpr double kCalm = 0.9;
  if (cpu < kCalm * wall)
    WARN("SKIPPED: the machine was busy, so what recording takes is not known");
  else
    CHECK(latest.at("recorder_share") <= 0.01);
}
