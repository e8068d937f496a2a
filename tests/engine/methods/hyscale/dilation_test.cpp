#include "engine/methods/hyscale/dilation.h"

#include <catch2/catch.hpp>

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

TEST_CASE("a run whose times are not as planned names the dilation that would do", "[hyscale]") {
  using Catch::Matchers::Contains;
  // one task in a hundred may be late, and iterations 5 % longer
  CHECK(unpunctual({100, 1, 1.5, 10, 1e9, 1.05e9}, 3) == "");
  CHECK(unpunctual({}, 3) == "");
  CHECK_THAT(unpunctual({100, 2, 1.5, 10, 1e9, 1.01e9}, 3),
             Contains("2 of 100 tasks ended later than modelled; dilation is 3, at least 4.5 is needed"));
  // 0.1 ms of handing over in an iteration of 1 ms: no task is late, and yet the times are not the modelled
  CHECK_THAT(unpunctual({800, 0, 0, 100, 1e8, 1.1e8}, 3),
             Contains("iterations took 10 % longer than modelled; dilation is 3, at least 6 is needed"));
  CHECK_THAT(unpunctual({800, 800, 1.5, 100, 1e8, 1.4e8}, 3), Contains("at least 24 is needed"));
  CHECK(unpunctual({800, 0, 0, 100, 1e8, 0.9e8}, 3) == "");
}

TEST_CASE("dilations are rounded up to two digits", "[hyscale]") {
  CHECK(roundedUp(11.4) == Approx(12));
  CHECK(roundedUp(84) == Approx(84));
  CHECK(roundedUp(1.21) == Approx(1.3));
  CHECK(roundedUp(1234) == Approx(1300));
}
