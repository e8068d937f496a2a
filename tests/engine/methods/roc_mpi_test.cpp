// ROC's ranges and its modelled device (methods.md 13). Exactness and volume stand among the identity tests.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf() {
  RunSettings run;
  run.method = "roc";
  run.parameters = fallbacks(find<MethodEntry>(run.method)->declaration.parameters);
  run.model.kind = "gcn";
  run.model.layers = 3;
  run.model.hidden = 7;
  run.cluster.workers = worldSize();
  return run;
}

Owners rangesOf(const Dataset& set, int parts, double rowCost = 0) {
  Values values = settingsOf().parameters;
  values.insert_or_assign("row_cost", Value(rowCost));
  return find<MethodEntry>("roc")->place({set.arcs, parts, values, {}});
}

}  // namespace

TEST_CASE("no range has more than its share of the edges and one vertex's", "[roc]") {
  for (const Dataset& set : hardGraphs()) {
    Index largest = 0;
    for (Index v = 0; v < set.vertices(); ++v) largest = std::max(largest, set.arcs.degree(v));
    for (const int parts : {1, 2, 3, 7, 50}) {
      CAPTURE(set.name, parts);
      const Owners owners = rangesOf(set, parts);
      CHECK(std::ranges::is_sorted(owners));
      std::vector<Index> edges(static_cast<std::size_t>(parts), 0);
      for (Index v = 0; v < set.vertices(); ++v)
        edges.at(static_cast<std::size_t>(owners[static_cast<std::size_t>(v)])) += set.arcs.degree(v);
      for (const Index count : edges)
        CHECK(static_cast<double>(count) <=
              static_cast<double>(set.arcs.nonzeros()) / parts + static_cast<double>(largest));
    }
  }
}

TEST_CASE("rows that cost much make ranges of as many rows", "[roc]") {
  const Dataset set = hardGraphs()[2];  // a star: vertex 0 has half of all edges
  const Owners edges = rangesOf(set, 3), rows = rangesOf(set, 3, 1e6);
  CHECK(std::ranges::count(edges, 0) == 1);
  // with the 20 edges of vertex 0 seven rows are a share; without them they are just short of one
  CHECK(std::ranges::count(rows, 0) == 7);
  CHECK(std::ranges::count(rows, 1) == 8);
  CHECK(std::ranges::count(rows, 2) == 6);
}

TEST_CASE("the modelled device copies whole regions in and its rows out, less what it keeps", "[roc]") {
  const Dataset set = hardGraphs()[1];
  const auto metricsWith = [&](double gigabytes) {
    RunSettings run = settingsOf();
    run.parameters.insert_or_assign("device_memory", Value(gigabytes));
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set.vertices(), worldSize()));
    many.method->runEpoch(0);
    auto metrics = many.method->metrics();
    metrics["own"] =
        static_cast<double>(many.comm.max(static_cast<std::int64_t>(many.share.graph.owned.size())));
    return metrics;
  };
  // update-first: every layer's output width travels, in both directions; inputs are 5, 7 and 7 wide
  const double S = sizeof(Scalar), n = static_cast<double>(set.vertices()), widths = 2 * (7 + 7 + 3);
  auto none = metricsWith(1e-6), all = metricsWith(16);
  const double own = none["own"];
  CHECK(none["swap_in_bytes"] == S * (n * widths + own * (5 + 7 + 7)));
  CHECK(none["swap_out_bytes"] == S * own * (widths + 7 + 7));
  CHECK(none["swap_kept_bytes"] == 0);
  CHECK(none["device_missing_bytes"] == 4 * n * 7 * S - 1000);
  CHECK(all["swap_in_bytes"] == S * n * widths);
  CHECK(all["swap_out_bytes"] == S * own * widths);
  CHECK(all["swap_kept_bytes"] == S * own * (5 + 7 + 7));
  CHECK(all["device_missing_bytes"] == 0);
  CHECK(all["swap_seconds"] == Approx((all["swap_in_bytes"] + all["swap_out_bytes"]) / 12e9));
  // room for the four regions and one input of width 7: which saves more than that of width 5
  auto some = metricsWith((4 * n * 7 + own * 7) * S / 1e9);
  CHECK(some["swap_kept_bytes"] == S * own * 7);
  CHECK(some["swap_in_bytes"] + some["swap_out_bytes"] ==
        none["swap_in_bytes"] + none["swap_out_bytes"] - 2 * S * own * 7);
}

TEST_CASE("every aggregation gives each range the rows of all others", "[roc][volume]") {
  const Dataset set = hardGraphs()[1];
  Trained many(MPI_COMM_WORLD, set, settingsOf(), scatteredOwners(set.vertices(), worldSize()));
  many.method->runEpoch(0);
  std::int64_t bytes = 0;
  for (const auto& [key, flow] : measuredOf(many))
    if (std::get<0>(key) >= 0) bytes += flow.second;
  const auto expected =
      set.vertices() * (worldSize() - 1) * 2 * (7 + 7 + 3) * static_cast<Index>(sizeof(Scalar));
  CHECK(many.comm.sum(bytes) == expected);
}

TEST_CASE("costs of rows and edges are fitted once there are epochs to go by", "[roc]") {
  const Dataset set = hardGraphs()[0];
  Trained many(MPI_COMM_WORLD, set, settingsOf(), scatteredOwners(set.vertices(), worldSize()));
  for (int epoch = 0; epoch < 4; ++epoch) many.method->runEpoch(epoch);
  CHECK(many.method->metrics().count("fitted_ns_per_edge") == 0);
  many.method->runEpoch(4);
  // one range, or ranges alike, do not tell rows from edges
  if (worldSize() == 1) CHECK(many.method->metrics().count("fitted_ns_per_edge") == 0);
  if (worldSize() > 2) CHECK(many.method->metrics().count("fitted_ns_per_edge") == 1);
}
