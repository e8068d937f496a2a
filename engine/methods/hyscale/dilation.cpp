#include "engine/methods/hyscale/dilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/index.h"
#include "engine/base/median.h"

namespace halo::hyscale {
namespace {

constexpr double kMostLate = 0.01, kStepsADoubling = 4;

}  // namespace

std::vector<MeasuredTask> mediansOf(const std::vector<std::vector<MeasuredTask>>& batches) {
  std::vector<MeasuredTask> medians = batches.front();
  for (std::size_t task = 0; task < medians.size(); ++task)
    for (double MeasuredTask::*time : {&MeasuredTask::cpu, &MeasuredTask::modelled}) {
      std::vector<double> values;
      for (const auto& batch : batches) values.push_back(batch[task].*time);
      medians[task].*time = median(std::move(values));
    }
  return medians;
}

std::vector<double> fairEnds(std::span<const double> cpu, int cores) {
  std::vector<std::size_t> rising(cpu.size());
  std::iota(rising.begin(), rising.end(), std::size_t{0});
  std::ranges::stable_sort(rising, {}, [&](std::size_t i) { return cpu[i]; });
  std::vector<double> ends(cpu.size(), 0);
  double now = 0, done = 0;  // time, and CPU time that every task has had that is not over
  for (std::size_t k = 0; k < rising.size(); ++k) {
    const auto running = static_cast<double>(rising.size() - k);
    now += (cpu[rising[k]] - done) * std::max(1.0, running / cores);
    done = cpu[rising[k]];
    ends[rising[k]] = now;
  }
  return ends;
}

LeastDilation leastDilation(std::span<const MeasuredTask> tasks, int cores) {
  std::vector<double> cpu;
  for (const MeasuredTask& task : tasks) cpu.push_back(task.cpu);
  const std::vector<double> ends = fairEnds(cpu, cores);
  LeastDilation least;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].modelled <= 0 || ends[i] / tasks[i].modelled <= least.factor) continue;
    least = {ends[i] / tasks[i].modelled, tasks[i].name};
  }
  return least;
}

std::string tooSmall(const LeastDilation& least, double dilation) {
  if (dilation >= least.factor) return "";
  return fmt::format(
      "{:g} cannot be used; '{}' ends at {:.3g} times its modelled time on this machine; at least {:g}",
      dilation, least.binding, least.factor, roundedUp(least.factor));
}

void Punctuality::addTask(double endNs, double endSeconds, double seconds, double nsPerSecond) {
  constexpr double kLateNs = 200e3, kLateShare = 0.02;
  ++tasks;
  const double factor = (endNs - kLateNs) / ((endSeconds + kLateShare * seconds) * nsPerSecond);
  if (!(factor > 1)) return;
  ++late;
  const auto steps = static_cast<std::size_t>(std::min(std::ceil(kStepsADoubling * std::log2(factor)), 1e3));
  ++lateBy[std::clamp<std::size_t>(steps, 1, kSteps) - 1];
}

double Punctuality::factorForTasks() const {
  std::int64_t stillLate = late;
  std::size_t steps = 0;
  while (static_cast<double>(stillLate) > kMostLate * static_cast<double>(tasks))
    stillLate -= lateBy[steps++];
  return std::exp2(static_cast<double>(steps) / kStepsADoubling);
}

std::string unpunctual(const Punctuality& kept, double dilation) {
  constexpr double kMostLonger = 0.05;
  const double longerNs = kept.takenNs - kept.plannedNs;
  const bool longer = longerNs > kMostLonger * kept.plannedNs;
  const double forTasks = dilation * kept.factorForTasks();
  // what handing over takes does not grow with the dilation
  const double forIterations = longer ? dilation * longerNs / (kMostLonger * kept.plannedNs) : 0;
  constexpr const char* kEnd =
      "; dilation is {:g}, at least {:g} is needed on this machine as busy as it was";
  if (kept.share() > kMostLate)
    return fmt::format("{} of {} tasks ended later than modelled", kept.late, kept.tasks) +
           fmt::format(kEnd, dilation, roundedUp(std::max(forTasks, forIterations)));
  if (!longer) return "";
  return fmt::format("iterations took {:.3g} % longer than modelled", 100 * longerNs / kept.plannedNs) +
         fmt::format(kEnd, dilation, roundedUp(forIterations));
}

double roundedUp(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  // 1.2e-9: what rounding of the quotient may add
  return std::ceil(value / unit * (1 - 1.2e-9)) * unit;
}

double automaticDilation(double least) {
  constexpr double kReserve = 1.25;
  return least <= 1 ? 1 : roundedUp(kReserve * least);
}

}  // namespace halo::hyscale
