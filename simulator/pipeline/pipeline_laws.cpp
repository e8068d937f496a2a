#include "simulator/pipeline/pipeline_laws.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

double longer(const PhaseLoad& load) { return std::max(load.aggregatePs, load.updatePs); }
double shorter(const PhaseLoad& load) { return std::min(load.aggregatePs, load.updatePs); }
/// The time of the other device's one batch, which nothing hides.
double fillPs(const PhaseLoad& load, int stages) { return shorter(load) / stages + load.overheadPs; }

}  // namespace

double PhaseLoad::balance() const {
  const double most = std::max(aggregatePs, updatePs);
  return most > 0 ? std::min(aggregatePs, updatePs) / most : 0;
}

Index propositionStages(Index vertices, Index bandwidth) {
  if (vertices == 0) return 1;
  HALO_CHECK(bandwidth >= 0 && bandwidth < vertices);
  const Index apart = vertices - bandwidth;
  return (2 * vertices + apart - 1) / apart;
}

double unorderedPs(const PhaseLoad& load, double phases, int stages) {
  return phases * (longer(load) + stages * load.overheadPs + fillPs(load, stages));
}

double orderedPs(const PhaseLoad& load, double phases, int stages) {
  return phases * (longer(load) + stages * load.overheadPs) + fillPs(load, stages);
}

double orderingGain(double phases, int stages, double balance) {
  const double x = balance / stages;
  return std::isinf(phases) ? 1 + x : phases * (1 + x) / (phases + x);
}

double orderingGain(std::span<const PhaseLoad> phases, int stages, Index vertices, Index bandwidth) {
  HALO_CHECK(stages >= 1 && bandwidth >= 0 && bandwidth <= vertices);
  // batch j refers to the rows of the batches up to j + reach
  const Index reach = vertices > 0 ? (bandwidth * stages + vertices - 1) / vertices : 0;
  std::vector<double> updated(at(stages), 0);  // when each batch was, in this phase
  double aggregated = 0, apart = 0;
  for (const PhaseLoad& load : phases) {
    // what there is none of costs nothing beside
    const double aggregate = load.aggregatePs > 0 ? load.aggregatePs / stages + load.overheadPs : 0;
    const double update = load.updatePs > 0 ? load.updatePs / stages + load.overheadPs : 0;
    const std::vector<double> before = updated;
    double free = before.back();
    for (Index j = 0; j < stages; ++j) {
      const auto needed = at(std::min<Index>(j + reach, stages - 1));
      aggregated = std::max(aggregated, before[needed]) + aggregate;
      free = std::max(free, aggregated) + update;
      updated[at(j)] = free;
    }
    apart += stages * std::max(aggregate, update) + std::min(aggregate, update);
  }
  return updated.back() > 0 ? apart / updated.back() : 1;
}

double mostOrderingGain(std::span<const PipelinePhase> phases) {
  /// When the devices are through, with a phase that they begin then.
  struct Ends {
    std::int64_t aggregated = 0, updated = 0;
    void add(const PipelinePhase& phase) {
      for (std::size_t j = 0; j < phase.aggregatePs.size(); ++j) {
        aggregated += phase.aggregatePs[j];
        updated = std::max(updated, aggregated) + phase.updatePs[j];
      }
    }
  };
  Ends inARow;
  std::int64_t apart = 0;
  for (const PipelinePhase& phase : phases) {
    Ends alone;
    alone.add(phase);
    apart += alone.updated;
    inARow.add(phase);
  }
  return inARow.updated > 0 ? static_cast<double>(apart) / static_cast<double>(inARow.updated) : 1;
}

StageChoice chooseStages(const PhaseLoad& load, int phases, Index vertices, Index bandwidth, int mostStages) {
  HALO_CHECK(mostStages >= 1);
  const Index enough = propositionStages(vertices, bandwidth);
  const auto with = [&](int stages) {
    const bool across = stages >= enough;
    return StageChoice{stages, across, (across ? orderedPs : unorderedPs)(load, phases, stages)};
  };
  if (load.overheadPs == 0) return with(static_cast<int>(std::min<Index>(enough, mostStages)));
  StageChoice best = with(1);
  for (int stages = 2; stages <= mostStages; ++stages)
    if (const StageChoice choice = with(stages); choice.ps < best.ps) best = choice;
  return best;
}

UnitSplit splitUnits(int units, const std::function<double(int sparse, int dense)>& ps) {
  if (units < 2)
    throw InputError({.key = "pipeline.units",
                      .message = std::to_string(units) +
                                 " cannot be used; at least 2, one that aggregates and one that updates"});
  UnitSplit best{1, units - 1, ps(1, units - 1)};
  for (int sparse = 2; sparse < units; ++sparse)
    if (const double candidatePs = ps(sparse, units - sparse); candidatePs < best.ps)
      best = {sparse, units - sparse, candidatePs};
  return best;
}

}  // namespace halo::sim
