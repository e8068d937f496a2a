#pragma once

#include <span>
#include <string>
#include <vector>

namespace halo::hyscale {

/// What a task of an iteration takes: of a core here, and on the modelled platform; in one unit.
struct MeasuredTask {
  std::string name;  // "train card 2"
  double cpu = 0, modelled = 0;
};

/// The same tasks, measured several times: of each the median.
std::vector<MeasuredTask> mediansOf(const std::vector<std::vector<MeasuredTask>>& batches);

/// When tasks that begin together end, if they share the cores fairly and none uses more than one:
/// e_x = ∫_0^{c_x} max(1, |{y: c_y > r}| / C) dr. O(n log n).
std::vector<double> fairEnds(std::span<const double> cpu, int cores);

/// How much slower than modelled the stages must run for this machine to keep up.
struct LeastDilation {
  double factor = 1;
  std::string binding;  // the task that asks for so much
};
/// The largest end over modelled time. What is modelled to take no time asks for nothing.
LeastDilation leastDilation(std::span<const MeasuredTask> tasks, int cores);

/// Rounded up to two significant digits.
double roundedUp(double value);
/// With a quarter in reserve; 1 where this machine is as fast as the modelled one.
double automaticDilation(double least);

}  // namespace halo::hyscale
