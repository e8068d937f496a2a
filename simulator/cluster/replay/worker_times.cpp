#include "simulator/cluster/replay/worker_times.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

using Key = std::tuple<int, Pass, Op>;

/// In ns of these rates: only what one step has of another's counts.
double workOf(const Step& step, int rank, const ComputeRates& rates) {
  const auto figure = [&](const PerRank& values) { return static_cast<double>(values[rank]); };
  if (step.op == Op::dense) return figure(step.flop);
  return figure(step.entries) * rates.entryNs + figure(step.entryElements) * rates.entryElementNs +
         figure(step.rowElements) * rates.rowElementNs;
}

std::map<Key, double> worksOf(const Plan& single, const ComputeRates& rates) {
  std::map<Key, double> works;
  for (const Step& step : single.steps)
    if (step.op == Op::sparse || step.op == Op::dense)
      works[{step.layer, step.pass, step.op}] += workOf(step, 0, rates);
  return works;
}

/// What the worker took where the plan has no step of the kind.
std::int64_t restOf(const RecordedTimes& times, const std::map<Key, double>& works) {
  std::int64_t rest = 0;
  for (const auto& [key, ranks] : times)
    for (const Op op : {Op::sparse, Op::dense})
      if (!works.contains({key.first, key.second, op})) rest += ranks.front().nsOf(op);
  return rest;
}

}  // namespace

void calibrate(const Plan& single, const RecordedTimes& times, const ComputeRates& rates, Plan& plan) {
  HALO_CHECK(single.ranks == 1);
  const std::map<Key, double> works = worksOf(single, rates);
  for (Step& step : plan.steps) {
    if (step.op != Op::sparse && step.op != Op::dense) continue;
    const auto work = works.find({step.layer, step.pass, step.op});
    const auto took = times.find({step.layer, step.pass});
    if (work == works.end() || work->second == 0 || took == times.end()) continue;
    const double perWork = static_cast<double>(took->second.front().nsOf(step.op)) / work->second;
    std::vector<std::int64_t> ns;
    for (int rank = 0; rank < plan.ranks; ++rank)
      ns.push_back(std::llround(workOf(step, rank, rates) * perWork));
    step.measuredNs = PerRank(std::move(ns));
  }
  const auto rows = static_cast<double>(std::max<std::int64_t>(plan.rows.total(plan.ranks), 1));
  const auto rest = static_cast<double>(restOf(times, works));
  std::vector<std::int64_t> ns;
  for (int rank = 0; rank < plan.ranks; ++rank)
    ns.push_back(std::llround(rest * static_cast<double>(plan.rows[rank]) / rows));
  Step step;
  step.op = Op::dense;
  step.measuredNs = PerRank(std::move(ns));
  const auto sum = std::ranges::find(plan.steps, Op::allReduce, &Step::op);
  // waits name exchanges by their number: only what comes after the last of them may move
  HALO_CHECK(std::none_of(sum, plan.steps.end(), [](const Step& later) { return later.op == Op::wait; }));
  plan.steps.insert(sum, std::move(step));
}

}  // namespace halo::cluster
