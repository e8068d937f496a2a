#include "engine/methods/hyscale/dilation.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace halo::hyscale;

TEST_CASE("tasks that share cores fairly end as the worked example of the design has them", "[hyscale]") {
  std::vector<MeasuredTask> tasks(4, {"train card", 18, 0.877});
  tasks.push_back({"train processors", 60, 1.7});
  tasks.push_back({"load", 9, 0.7});
  tasks.push_back({"sample", 20, 1.7});
  std::vector<double> cpu;
  for (const MeasuredTask& task : tasks) cpu.push_back(task.cpu);
  const std::vector<double> ends = fairEnds(cpu, 2);
  CHECK(ends[0] == Approx(58.5));
  CHECK(ends[3] == Approx(58.5));
  CHECK(ends[4] == Approx(100.5));
  CHECK(ends[5] == Approx(31.5));
  CHECK(ends[6] == Approx(60.5));
  const LeastDilation least = leastDilation(tasks, 2);
  CHECK(least.factor == Approx(66.70).epsilon(1e-4));
  CHECK(least.binding == "train card");
  CHECK(automaticDilation(least.factor) == Approx(84));
}

TEST_CASE("a machine with a core for every task needs no more than its slowest", "[hyscale]") {
  const std::vector<MeasuredTask> tasks = {{"a", 3, 1}, {"b", 2, 2}, {"c", 5, 0}};
  CHECK(fairEnds(std::vector<double>{3, 2, 5}, 3) == std::vector<double>{3, 2, 5});
  CHECK(leastDilation(tasks, 3).factor == Approx(3));
  CHECK(leastDilation(std::vector<MeasuredTask>{{"b", 1, 2}}, 1).factor == 1);
  CHECK(automaticDilation(1) == 1);
  CHECK(leastDilation({}, 1).factor == 1);
}

TEST_CASE("a dilation that is too small names the task that needs more", "[hyscale]") {
  CHECK(tooSmall({11.36, "train card 2"}, 4) ==
        "4 cannot be used; 'train card 2' ends at 11.4 times its modelled time on this machine; at least 12");
  CHECK(tooSmall({11.36, "train card 2"}, 12) == "");
}

namespace {

/// Of so many tasks that were on time, and others that took some times longer than 10 ms, dilated thrice.
Punctuality keptBy(int onTime, const std::vector<double>& late, double longer) {
  constexpr double kNsPerSecond = 3e9;
  Punctuality kept;
  for (int i = 0; i < onTime; ++i) kept.addTask(30e6, 10e-3, 10e-3, kNsPerSecond);
  for (const double factor : late) kept.addTask(30e6 * factor, 10e-3, 0, kNsPerSecond);
  kept.iterations = 10;
  kept.plannedNs = 1e9, kept.takenNs = (1 + longer) * 1e9;
  return kept;
}

}  // namespace

TEST_CASE("a task is late by more than 200 µs and 2 % of its dilated time", "[hyscale]") {
  Punctuality kept;
  kept.addTask(30.799e6, 10e-3, 10e-3, 3e9);
  CHECK(kept.late == 0);
  kept.addTask(30.801e6, 10e-3, 10e-3, 3e9);
  CHECK(kept.late == 1);
  kept.addTask(1e18, 1e-9, 0, 1e9);  // beyond all steps
  CHECK(kept.tasks == 3);
  CHECK(kept.lateBy.back() == 1);
}

TEST_CASE("a run whose times are not as planned names the dilation that would do", "[hyscale]") {
  using Catch::Matchers::Contains;
  // one task in a hundred may be late, and iterations 5 % longer
  CHECK(unpunctual(keptBy(99, {1.5}, 0.05), 3) == "");
  CHECK(unpunctual({}, 3) == "");
  // one may be 40 times as long
  CHECK_THAT(unpunctual(keptBy(98, {1.19, 40}, 0), 3),
             Contains("2 of 100 tasks ended later than modelled; dilation is 3, at least 3.6 is needed"));
  CHECK_THAT(unpunctual(keptBy(8, {1.9, 1.9}, 0), 3), Contains("2 of 10 tasks") && Contains("at least 6 is"));
  // 0.1 ms of handing over in an iteration of 1 ms: no task is late, and yet the times are not the modelled
  CHECK_THAT(unpunctual(keptBy(800, {}, 0.1), 3),
             Contains("iterations took 10 % longer than modelled; dilation is 3, at least 6 is needed"));
  CHECK_THAT(unpunctual(keptBy(8, {1.2, 1.2}, 0.4), 3), Contains("at least 24 is needed"));
  CHECK(unpunctual(keptBy(800, {}, -0.1), 3) == "");
}

TEST_CASE("dilations are rounded up to two digits", "[hyscale]") {
  CHECK(roundedUp(11.4) == Approx(12));
  CHECK(roundedUp(84) == Approx(84));
  CHECK(roundedUp(1.21) == Approx(1.3));
  CHECK(roundedUp(1234) == Approx(1300));
}
