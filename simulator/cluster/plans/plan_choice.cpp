#include "simulator/cluster/plans/plan_choice.h"

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/partition/contract/partitioner.h"
#include "engine/partition/contract/quality.h"
#include "simulator/cluster/plans/pattern.h"
#include "simulator/cluster/plans/pulled_plan.h"
#include "simulator/cluster/plans/wide_plan.h"

namespace halo::cluster {
namespace {

Owners partitioned(const RunSettings& run, const Csr& arcs, int parts) {
  return partition(arcs, run.partition.method,
                   {parts, run.partition.imbalance, run.training.seed, run.partition.parameters});
}

/// Five numbers of parts below the ranks, each twice the one before.
std::vector<int> fittedParts(int ranks) {
  std::vector<int> parts;
  for (int p = std::min(kFittedParts, ranks / 2); parts.size() < 5 && p >= 2; p /= 2)
    parts.insert(parts.begin(), p);
  return parts;
}

Plan expected(const RunSettings& run, const ProjectedGraph& graph, int ranks) {
  const std::int64_t entries = graph.arcCount + (aggregatesItself(run.model.kind) ? graph.vertices : 0);
  WideFigures figures = expectedFigures(graph.consumers, graph.vertices, entries, ranks,
                                        styleOf(run, ranks).groups, run.training.seed);
  if (graph.haloRows > 0 && ranks > 1) figures.haloRows = graph.haloRows;
  return widePlan(run, graph.widths, figures);
}

Plan fitted(const RunSettings& run, const ProjectedGraph& graph, int ranks) {
  std::vector<PartitionQuality> partitions;
  for (const int parts : fittedParts(ranks))
    partitions.push_back(measure(*graph.arcs, graph.directed, partitioned(run, *graph.arcs, parts), parts));
  const PartitionGrowth growth =
      growthOf(partitions, graph.vertices, meanConsumers(graph.consumers), graph.directed);
  const std::int64_t entries = graph.propagation->nonzeros();
  Plan plan = widePlan(
      run, graph.widths,
      fittedFigures(growth, graph.vertices, entries, graph.arcCount, ranks, styleOf(run, ranks).groups));
  plan.notes.push_back(fmt::format(
      "halo rows fitted to partitions into {} to {} parts, the largest left out of a trial fit is missed by "
      "{:.1f} %",
      fittedParts(ranks).front(), fittedParts(ranks).back(), growth.haloRowsPerVertex.heldOutError * 100));
  return plan;
}

}  // namespace

std::string_view text(PlanSource source) {
  constexpr std::string_view kWords[] = {"counted", "summed", "expected", "fitted"};
  return kWords[at(source)];
}

PlanSource chosenPlan(const RunSettings& run, bool atHand, int ranks) {
  if (!atHand) return PlanSource::expected;
  if (ranks <= kPairwiseRanks) return PlanSource::counted;
  if (find<MethodEntry>(run.method)->sampled) return PlanSource::expected;
  return ranks <= kPartitionedRanks || !hasClosedForm(run, ranks) ? PlanSource::summed : PlanSource::fitted;
}

std::vector<Problem> planProblems(const RunSettings& run, PlanSource source, bool atHand, int ranks) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, const std::string& message) {
    problems.push_back({.key = key, .message = message});
  };
  const std::string name(text(source));
  if (const MethodStyle style = styleOf(run, ranks); !style.unknown.empty())
    wrong("simulate.method", run.method + " has volumes but no time here: " + style.unknown);
  if (!atHand && source != PlanSource::expected)
    wrong("simulate.plan", "'" + name +
                               "' needs a graph that is at hand, and simulate.graph gives figures only; "
                               "expected, or a data set");
  if (source == PlanSource::counted && ranks > kPairwiseRanks)
    wrong("simulate.workers",
          fmt::format("{} cannot be used with plan = \"counted\", which keeps every message; "
                      "at most {}, or plan summed, expected or fitted",
                      ranks, kPairwiseRanks));
  if (source == PlanSource::fitted && fittedParts(ranks).size() < 4)
    wrong("simulate.workers", fmt::format("{} are too few to fit growth to partitions into fewer parts; at "
                                          "least 32, or plan = \"counted\"",
                                          ranks));
  if (source == PlanSource::summed && !styleOf(run, ranks).pairsAlone && !hasClosedForm(run, ranks))
    wrong("simulate.workers",
          fmt::format(
              "{} cannot be used: {}'s messages depend on more than the halo rows of a pair, so they are "
              "kept one by one; at most {}",
              ranks, run.method, kPairwiseRanks));
  const bool draws = find<MethodEntry>(run.method)->sampled && atHand && source == PlanSource::expected;
  if (draws && styleOf(run, ranks).order != ExchangeOrder::pulls && ranks > kMostSetRanks)
    wrong("simulate.workers", fmt::format("{} cannot be used: rows of a set are counted pair by pair; at "
                                          "most {}",
                                          ranks, kMostSetRanks));
  if ((source == PlanSource::expected || source == PlanSource::fitted) && !draws &&
      !hasClosedForm(run, ranks))
    wrong("simulate.plan", "'" + name + "' is not defined for " + run.method +
                               ", whose messages have no closed form of a partition's figures; counted, on a "
                               "data set");
  return problems;
}

Plan projectedPlan(const RunSettings& run, const ProjectedGraph& graph, PlanSource source, int ranks) {
  if (source == PlanSource::counted) return projectedCycle(run, graph, source, ranks).turns.front().plan;
  HALO_CHECK(graph.arcs != nullptr || source == PlanSource::expected);
  if (source == PlanSource::expected) return expected(run, graph, ranks);
  if (source == PlanSource::fitted) return fitted(run, graph, ranks);
  const auto into = [&](int parts) { return partitioned(run, *graph.arcs, parts); };
  const PlanRequest request{*graph.arcs, *graph.propagation, run, graph.widths, ranks, 1,
                            into,        graph.ranksPerNode};
  return summedPlan(request);
}

PlanCycle projectedCycle(const RunSettings& run, const ProjectedGraph& graph, PlanSource source, int ranks) {
  const EpochCycle epochCycle =
      ranks > 1 ? cycleOf(*find<MethodEntry>(run.method), run, ranks) : EpochCycle{};
  const bool sampled = find<MethodEntry>(run.method)->sampled;
  if (source != PlanSource::counted && !sampled) {
    HALO_CHECK(epochCycle.turns.size() == 1);  // planProblems
    return {{{projectedPlan(run, graph, source, ranks), 1}}, epochCycle.bound, {}};
  }
  HALO_CHECK(graph.arcs != nullptr);
  const auto into = [&](int parts) { return partitioned(run, *graph.arcs, parts); };
  const PlanRequest request{*graph.arcs, *graph.propagation, run,         graph.widths, ranks, 1,
                            into,        graph.ranksPerNode, graph.split, graph.draws};
  if (!sampled) return countedCycle(request);
  return source == PlanSource::expected ? expectedPulls(request) : pulledCycle(request);
}

}  // namespace halo::cluster
