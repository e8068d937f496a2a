#include "simulator/cluster/engines/projection.h"

#include "engine/base/check.h"
#include "engine/base/index.h"

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

std::vector<Sensitivity> sensitivity(const Plan& plan, const Machine& machine, const Engine& engine,
                                     const SimulateOptions& options, double factor) {
  HALO_CHECK(factor > 0);
  const auto ns = [&](double start, double rate, double speed) {
    SimulateOptions changed = options;
    if (changed.rankSpeed.empty()) changed.rankSpeed.assign(at(plan.ranks), 1);
    for (double& rankSpeed : changed.rankSpeed) rankSpeed *= speed;
    return engine(plan, scaled(machine, start, rate), changed).epochNs;
  };
  return {{"start", ns(1 / factor, 1, 1), ns(factor, 1, 1)},
          {"bandwidth", ns(1, factor, 1), ns(1, 1 / factor, 1)},
          {"compute", ns(1, 1, factor), ns(1, 1, 1 / factor)}};
}

}  // namespace halo::cluster
