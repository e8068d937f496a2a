// What iterations of hyscale take in real time on modelled devices, beside the virtual clock. Where other
// programs have the cores nothing can be said of it, and that is told; on cores of its own it has to hold.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "tests/engine/methods/hyscale/clocked_training.h"

using namespace halo;
using namespace halo::clockedtest;

namespace {

/// CPU seconds of all programs so far, on the cores that this one may use.
double secondsOfAll(std::istream& stat) {
  cpu_set_t own;
  CPU_ZERO(&own);
  ::sched_getaffinity(0, sizeof own, &own);
  double ticks = 0;
  for (std::string line;
       std::getline(stat, line);) {  // cpu7 user nice system idle iowait irq softirq steal …
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (!name.starts_with("cpu") || name == "cpu" || !CPU_ISSET(std::stoul(name.substr(3)), &own)) continue;
    double user = 0, nice = 0, system = 0, idle = 0, disk = 0, irq = 0, softIrq = 0, steal = 0;
    words >> user >> nice >> system >> idle >> disk >> irq >> softIrq >> steal;
    ticks += user + nice + system + irq + softIrq + steal;
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double secondsOfAll() {
  std::ifstream stat("/proc/stat");
  return secondsOfAll(stat);
}

double ownSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  double seconds = 0;
  for (const timeval& time : {usage.ru_utime, usage.ru_stime})
    seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  return seconds;
}

/// How many cores other programs had since this was made, in the mean.
class Others {
 public:
  double cores() const {
    const double wall = static_cast<double>(wallNs() - beganNs_) * 1e-9;
    return (secondsOfAll() - all_ - (ownSeconds() - own_)) / wall;
  }

 private:
  std::int64_t beganNs_ = wallNs();
  double all_ = secondsOfAll(), own_ = ownSeconds();
};

double modelledMs(const Training& training) {
  double ms = 0;
  for (const Kept& record : training.listener.all)
    ms += static_cast<double>(*record.iteration.modelledNs) * 1e-6;
  return ms;
}

/// A run in real time, with the dilation that it keeps up with as far as is known.
struct Paced {
  RunSettings run;
  double virtualMs = 0, dilation = 2000;
  std::vector<double> ratios;  // real to virtual, a try each
  std::string refused = "";    // why the last attempt says nothing; "": it does
  double others = 0;           // cores that others had during it

  /// Once more. A machine that cannot keep up names a dilation, and half as much again is tried.
  void take() {
    constexpr int kAttempts = 4;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const Others beside;
      try {
        const Training training(with(run, "dilation", dilation), static_cast<int>(run.training.epochs));
        ratios.push_back(modelledMs(training) / virtualMs);
        refused.clear();
        return;
      } catch (const std::exception& error) {
        refused = error.what();
      }
      others = beside.cores();
      CAPTURE(refused);
      const std::size_t named = refused.find("at least ");
      REQUIRE(named != std::string::npos);
      const double least = std::stod(refused.substr(named + 9));
      REQUIRE(least > dilation);
      dilation = 1.5 * least;
    }
  }
};

}  // namespace

TEST_CASE("CPU time of all programs is read of the cores that this one may use", "[hyscale]") {
  if (worldSize() > 1) return;
  cpu_set_t own;
  CPU_ZERO(&own);
  REQUIRE(::sched_getaffinity(0, sizeof own, &own) == 0);
  std::size_t core = 0;
  while (!CPU_ISSET(core, &own)) ++core;
  const std::string mine = std::to_string(core);
  std::istringstream stat("cpu  9 9 9 9 9 9 9 9 9 9\ncpu" + mine +
                          " 100 20 30 7000 600 5 4 3 50 60\nintr 12 3\n");
  CHECK(secondsOfAll(stat) == Approx(162.0 / static_cast<double>(::sysconf(_SC_CLK_TCK))));
}

TEST_CASE("in real time iterations take what they take on the virtual clock, within 5 %", "[.nightly]") {
  if (worldSize() > 1) return;
  constexpr int kTries = 5;
  constexpr double kCalm = 0.1;  // cores that others may have, and a refusal still is this program's fault
  std::vector<Paced> all;
  for (const std::string prefetch : {"none", "one", "two"}) {
    RunSettings run = settings(prefetch, false);
    run.training.epochs = 4;
    const double virtualMs = modelledMs(Training(run, 4));
    all.push_back({with(run, "clock", std::string("real")), virtualMs});
  }
  for (int number = 0; number < kTries; ++number)  // interleaved: a busy minute is of all alike
    for (Paced& paced : all)
      if (paced.refused.empty()) paced.take();
  for (const Paced& paced : all) {
    const std::string prefetch = paced.run.parameters.text("prefetch");
    CAPTURE(prefetch, paced.dilation, paced.ratios, paced.refused, paced.others);
    if (!paced.refused.empty()) {
      CHECK(paced.others > kCalm);
      WARN("SKIPPED: with prefetch " << prefetch << " this machine keeps no modelled times beside "
                                     << paced.others << " cores' worth of other programs: " << paced.refused);
      continue;
    }
    REQUIRE(std::ssize(paced.ratios) == kTries);
    CHECK(median(paced.ratios) == Approx(1).epsilon(0.05));
  }
}
