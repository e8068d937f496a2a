#pragma once

#include <array>
#include <cstdint>
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

/// When tasks that begin together end, if they share the cores fairly and none uses more than one. Task x
/// ends at e_x = ∫_0^{c_x} max(1, |{y: c_y > r}| / C) dr. O(n log n).
std::vector<double> fairEnds(std::span<const double> cpu, int cores);

/// How much slower than modelled the stages must run for this machine to keep up.
struct LeastDilation {
  double factor = 1;
  std::string binding;  // the task that asks for so much
};
/// The largest end over modelled time. What is modelled to take no time asks for nothing.
LeastDilation leastDilation(std::span<const MeasuredTask> tasks, int cores);
/// Why a run cannot begin with this one; empty: it can.
std::string tooSmall(const LeastDilation& least, double dilation);

/// How a run on a real clock kept the times that were planned, dilated.
struct Punctuality {
  static constexpr std::size_t kSteps = 80;  // quarters of a doubling

  std::int64_t tasks = 0, late = 0;  // that were to end at a time, and those of them that ended later
  std::array<std::int64_t, kSteps> lateBy{};  // late ones by the steps of dilation that they lack
  std::int64_t iterations = 0;
  double plannedNs = 0, takenNs = 0;  // of the iterations

  /// A task that ended so many ns after its iteration began. It was planned to end at endSeconds of modelled
  /// time after lasting for `seconds`. Late: over 200 µs and 2 % of its dilated time.
  void addTask(double endNs, double endSeconds, double seconds, double nsPerSecond);
  double share() const { return tasks == 0 ? 0 : static_cast<double>(late) / static_cast<double>(tasks); }
  /// How many times longer modelled time must last so that one task in a hundred is late, in steps.
  double factorForTasks() const;
};
/// Why the times of such a run are this machine's and none of the modelled devices, with a dilation that
/// would do. They are where over 1 % of the tasks were late, or iterations took over 5 % longer. Empty: they
/// are as planned. Handing over between actors takes time that no task has, and counts where iterations are
/// short.
std::string unpunctual(const Punctuality& kept, double dilation);

/// Rounded up to two significant digits.
double roundedUp(double value);
/// With a quarter in reserve; 1 where this machine is as fast as the modelled one.
double automaticDilation(double least);

}  // namespace halo::hyscale
