#include "app/commands/partition_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "app/commands/command.h"
#include "app/report/table.h"
#include "engine/base/clock.h"
#include "engine/base/problem.h"
#include "engine/partition/contract/balance.h"
#include "engine/partition/stochastic/expected_rows.h"
#include "engine/partition/stochastic/measured_rows.h"

namespace halo {
namespace {

/// A bar of P2P-GCN's Figure 5, and ours beside them.
struct Contender {
  const char* label;
  const char* method;
  const char* objective = nullptr;  // of stochastic-hypergraph, which then gets the batch too
};
constexpr Contender kContenders[] = {{"RP", "random"},
                                     {"GP", "metis"},
                                     {"HP", "hypergraph"},
                                     {"ours", "connectivity"},
                                     {"SHP", "stochastic-hypergraph", "sampled"},
                                     {"SHP, expected", "stochastic-hypergraph", "expected"}};

struct Contest {
  std::vector<Owners> owners;
  std::vector<double> seconds;
};

Contest partitionsOf(const Dataset& dataset, const BatchComparison& comparison) {
  Contest contest;
  for (const auto& [label, method, objective] : kContenders) {
    PartitionRequest request = comparison.request;
    if (objective != nullptr) {
      request.parameters["objective"] = std::string(objective);
      request.parameters["batch_vertices"] = std::int64_t{comparison.batch};
    }
    const std::int64_t begin = wallNs();
    contest.owners.push_back(partition(dataset.arcs, method, request));
    contest.seconds.push_back(static_cast<double>(wallNs() - begin) * 1e-9);
  }
  return contest;
}

/// The largest share of weight over the mean, minus 1.
double imbalanceOf(const Csr& arcs, const PartitionRequest& request, const Owners& owners) {
  const Weights weights = balanceWeights(arcs, request.parameters);
  const auto loads = partWeights(weights, owners, request.parts);
  const auto total = static_cast<double>(std::max<std::int64_t>(1, totalWeight(weights)));
  return static_cast<double>(*std::ranges::max_element(loads)) * request.parts / total - 1;
}

}  // namespace

int compareInBatches(const Dataset& dataset, const BatchComparison& comparison) {
  const Index vertices = dataset.arcs.rows();
  if (comparison.batch > vertices)
    throw InputError({.key = "--batch",
                      .message = fmt::format("{} is more than the {} vertices; at most {}", comparison.batch,
                                             vertices, vertices)});
  const PartitionRequest& request = comparison.request;
  const Contest contest = partitionsOf(dataset, comparison);
  const std::vector<MeasuredRows> measured = measuredRows(dataset.arcs, contest.owners, request.parts,
                                                          comparison.batch, comparison.draws, request.seed);
  Table table({"partition", "method", "rows a part, expected", "measured", "±", "largest part, expected",
               "measured", "of RP's", "imbalance of " + request.parameters.text("balance"), "seconds"});
  Json rows = Json::array();
  for (std::size_t i = 0; i < contest.owners.size(); ++i) {
    const auto& [label, method, objective] = kContenders[i];
    const std::vector<double> sent =
        expectedRows(dataset.arcs, contest.owners[i], request.parts, comparison.batch);
    const double expected = std::accumulate(sent.begin(), sent.end(), 0.0) / request.parts;
    const double most = *std::ranges::max_element(sent);
    const double mean = measured[i].mean / request.parts, sigma = measured[i].sigma / request.parts;
    const double largest = *std::ranges::max_element(measured[i].sent);
    const double random = measured.front().mean / request.parts, share = random > 0 ? mean / random : 1;
    const double imbalance = imbalanceOf(dataset.arcs, request, contest.owners[i]);
    table.add({label, method, shortNumber(expected), shortNumber(mean), shortNumber(sigma), shortNumber(most),
               shortNumber(largest), shortNumber(share), shortNumber(imbalance),
               shortNumber(contest.seconds[i])});
    rows.push_back({{"partition", label},
                    {"method", method},
                    {"expected_rows", expected},
                    {"measured_rows", mean},
                    {"sigma", sigma},
                    {"largest_expected_rows", most},
                    {"largest_measured_rows", largest},
                    {"imbalance", imbalance},
                    {"seconds", contest.seconds[i]}});
  }
  if (comparison.json)
    printJson({{"parts", request.parts},
               {"balance", request.parameters.text("balance")},
               {"batch", comparison.batch},
               {"draws", comparison.draws},
               {"rows", rows}});
  else
    print(table.text());
  return 0;
}

}  // namespace halo
