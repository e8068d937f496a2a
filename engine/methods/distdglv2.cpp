// DistDGLv2's mini-batches (Zheng et al., KDD 2022): those of minibatch.cpp, with batches to come prepared
// beside training, and vertices placed in two levels. Synchronous: no weight is older than its update.
//
//   rank i, iteration t:   forward and backward of batch t;   between kernels, as answers come in:
//                          V^l_i and E^l_i of batches t + 1 … t + ahead, X of their V^0_i
//   T = max(T_sample + T_pull, T_propagate) + T_reduce;   bytes and messages as minibatch.cpp has them
//   owners: METIS into machines, each into its ranks; per vertex 1, in-degree, trains balanced at once
//
// Departures: the paper says that it pipelines and overlaps, not how. Here one thread calls MPI and all
// batches are of one epoch. Trainers lend each other no seeds.
#include "engine/methods/minibatch/batch_entry.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/machine_parts.h"

namespace halo {
namespace {

constexpr std::array<Parameter, 2> kAheadParameters = {{
    {"ahead", "batches of the epoch that are prepared beside training", Integer{1, 0, 8}},
    {"machines", "groups of consecutive workers, which the graph is divided among first",
     Integer{1, 1, 65536}},
}};
constexpr auto kParameters = joined(kBatchParameters, kAheadParameters);

std::vector<Problem> refuse(const RunSettings& run) {
  std::vector<Problem> problems = refuseKeys(run);
  const std::int64_t machines = run.parameters.integer("machines");
  if (run.cluster.workers % machines != 0)
    problems.push_back({.key = "run.machines",
                        .message = std::to_string(machines) + " does not divide the " +
                                   std::to_string(run.cluster.workers) + " workers of cluster.workers"});
  const Values& placed = run.partition.parameters;
  if (run.partition.method == "metis" && placed.contains("balance") &&
      placed.text("balance") != kDefaultBalance)
    problems.push_back(
        {.key = "partition.balance",
         .message = "has no effect with distdglv2, which balances vertices, arcs and training vertices at "
                    "once; leave it out"});
  return problems;
}

MethodEntry entry() {
  MethodEntry entry =
      batchEntry({"distdglv2", "minibatch with the next batches drawn and fetched beside training",
                  "DistDGLv2, KDD 2022", kParameters},
                 {{"between_machines_bytes", "draws and features of an epoch from one machine to another",
                   Metric::Unit::bytes}});
  entry.refuse = refuse;
  entry.place = placeOnMachines;
  return entry;
}

const Registered<MethodEntry> self{entry()};

}  // namespace
}  // namespace halo
