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

TEST_CASE("dilations are rounded up to two digits", "[hyscale]") {
  CHECK(roundedUp(11.4) == Approx(12));
  CHECK(roundedUp(84) == Approx(84));
  CHECK(roundedUp(1.21) == Approx(1.3));
  CHECK(roundedUp(1234) == Approx(1300));
}
