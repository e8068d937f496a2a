// What tests of p2p-minibatch share: plans, and what the sets of an epoch send and compute by definition.
#pragma once

#include <memory>

#include "tests/engine/methods/minibatch/slow_sets.h"
#include "tests/support/graphs.h"

namespace halo::test::p2p_sets {

inline constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
inline constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;
inline const std::string kMethod = "p2p-minibatch";

inline RunSettings settingsOf(const SlowSetPlan& plan, const std::string& kind, double dropout,
                              int layers = 2) {
  RunSettings run = settingsFor(kMethod, kind, layers, 6, dropout);
  run.cluster.workers = worldSize();
  run = with(run, "sampler", plan.sampler);
  run = with(run, "edge_weights", std::string(plan.block ? "block" : "global"));
  return with(run, "budget", std::int64_t{plan.budget});
}

/// Both samplers with both weights, of sets that are some, most and all vertices.
inline std::vector<SlowSetPlan> plansFor(const Dataset& set) {
  std::vector<SlowSetPlan> plans;
  const int all = static_cast<int>(set.vertices());
  for (const std::string sampler : {"uniform", "saint-node"})
    for (const bool block : {false, true})
      for (const int budget : {6, 17, all})
        if (budget <= all) plans.push_back({.sampler = sampler, .block = block, .budget = budget});
  return plans;
}

/// None where it refuses the graph, on every rank.
inline std::unique_ptr<Trained> trainedOn(const Dataset& set, const RunSettings& run) {
  try {
    return std::make_unique<Trained>(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  } catch (const InputError&) {
    return nullptr;
  }
}

/// use(set, plan), of all that these graphs allow.
template <class Use>
int eachPlan(const Use& use) {
  int count = 0;
  for (const Dataset& set : hardGraphs())
    for (const SlowSetPlan& plan : plansFor(set)) {
      CAPTURE(set.name, plan.sampler, plan.block, plan.budget);
      count += use(set, plan) ? 1 : 0;
    }
  return count;
}

/// What an epoch's sets send and compute, by definition.
struct SlowRows {
  std::vector<RowTable> decided;  // as Method::decided has it
  std::int64_t flop = 0;          // of all ranks
  std::int64_t nonzeros = 0, arcs = 0, members = 0;
};

inline bool trains(const Dataset& set, const std::set<int>& members) {
  return std::ranges::any_of(members, [&](int v) { return set.split[at(v)] == Split::train; });
}

inline SlowRows slowRowsOf(const SlowSets& slowly, const Dataset& set, const Trained& many, int epoch) {
  const auto ranks = at(worldSize());
  const RowTable none(ranks, std::vector<std::int64_t>(ranks, 0));
  SlowRows all{{none, none, {{0}}}};
  const slow::Rows rows = slowRows(set.arcs);
  const bool sage = many.settings.model.kind == "graphsage";
  const std::vector<Index>& d = many.model->widths();
  for (int t = 0; t < slowly.iterations(); ++t) {
    const auto step = at(epoch) * at(slowly.iterations()) + at(t);
    const std::set<int> members = slowly.membersOf(step);
    if (!trains(set, members)) continue;
    ++all.decided[2][0][0];
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    std::set<std::pair<int, std::size_t>> sent;  // a row, to whom
    const auto arcs = slow::within(rows, members);
    for (const auto& [v, u] : arcs)
      if (many.owners[at(u)] != many.owners[at(v)]) sent.insert({u, at(many.owners[at(v)])});
    for (const auto& [u, to] : sent) {
      ++all.decided[0][at(many.owners[at(u)])][to];
      pairs.insert({at(many.owners[at(u)]), to});
    }
    for (const auto& [from, to] : pairs) ++all.decided[1][from][to];
    const auto size = static_cast<std::int64_t>(members.size());
    const auto entries = static_cast<std::int64_t>(arcs.size()) + (sage ? 0 : size);
    for (std::size_t l = 1; l < d.size(); ++l) {
      const std::int64_t product = 2 * (sage ? 2 : 1) * size * d[l - 1] * d[l];
      all.flop += 2 * entries * (d[l - 1] + d[l]) + product * (l > 1 ? 3 : 2);
    }
    all.nonzeros += entries;
    all.arcs += static_cast<std::int64_t>(arcs.size());
    all.members += size;
  }
  return all;
}

inline Owners ofOne(const Dataset& set) { return Owners(at(set.vertices()), 0); }

}  // namespace halo::test::p2p_sets
