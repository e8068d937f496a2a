#include "simulator/cluster/projection.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

/// Message figures whose starts take `start` times as long and whose bytes go `rate` times as fast.
void scale(MessageCosts& costs, double start, double rate) {
  for (double* us : {&costs.startUs, &costs.wireUs, &costs.sendOverheadUs, &costs.receiveOverheadUs})
    *us *= start;
  costs.gbPerS *= rate;
}

Machine scaled(Machine machine, double start, double rate) {
  scale(machine.between, start, rate);
  scale(machine.within, start, rate);
  machine.staging.outGbPerS *= rate;
  machine.staging.inGbPerS *= rate;
  return machine;
}

}  // namespace

std::vector<ScalePoint> scalePoints(std::vector<ClusterResult> results) {
  HALO_CHECK(!results.empty());
  std::ranges::sort(results, {}, &ClusterResult::ranks);
  std::vector<ScalePoint> points;
  const double first = results.front().epochNs, ranks = results.front().ranks;
  for (ClusterResult& result : results) {
    ScalePoint point;
    if (result.epochNs > 0) point.speedup = first / result.epochNs;
    point.efficiency = point.speedup * ranks / result.ranks;
    point.result = std::move(result);
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<CrossOver> crossOvers(const std::vector<ScalePoint>& first,
                                  const std::vector<ScalePoint>& second) {
  struct Pair {
    int ranks;
    double logRatio;  // of first's epoch to second's
  };
  std::vector<Pair> pairs;
  for (const ScalePoint& one : first)
    for (const ScalePoint& other : second)
      if (one.result.ranks == other.result.ranks && one.result.epochNs > 0 && other.result.epochNs > 0 &&
          one.result.epochNs != other.result.epochNs)
        pairs.push_back({one.result.ranks, std::log(one.result.epochNs / other.result.epochNs)});
  std::vector<CrossOver> found;
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    const Pair &a = pairs[i - 1], &b = pairs[i];
    if ((a.logRatio > 0) == (b.logRatio > 0)) continue;
    const double share = a.logRatio / (a.logRatio - b.logRatio);
    const double ranks = std::exp(std::log(a.ranks) + share * (std::log(b.ranks) - std::log(a.ranks)));
    found.push_back({a.ranks, b.ranks, ranks, b.logRatio < 0});
  }
  return found;
}

std::vector<Sensitivity> sensitivity(const Plan& plan, const Machine& machine, const Engine& engine,
                                     const SimulateOptions& options, double factor) {
  HALO_CHECK(factor > 0);
  const auto ns = [&](double start, double rate, double speed) {
    SimulateOptions changed = options;
    if (changed.rankSpeed.empty()) changed.rankSpeed.assign(static_cast<std::size_t>(plan.ranks), 1);
    for (double& one : changed.rankSpeed) one *= speed;
    return engine(plan, scaled(machine, start, rate), changed).epochNs;
  };
  return {{"start", ns(1 / factor, 1, 1), ns(factor, 1, 1)},
          {"bandwidth", ns(1, factor, 1), ns(1, 1 / factor, 1)},
          {"compute", ns(1, 1, factor), ns(1, 1, 1 / factor)}};
}

}  // namespace halo::cluster
