// DGCL's relays. Exactness, and volume against the plan, stand among the identity tests.
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf(const std::string& method, const std::string& kind, std::int64_t group) {
  RunSettings run = settingsFor(method, kind, 3, 6, 0.5);
  if (method == "dgcl") run.parameters.insert_or_assign("group", Value(group));
  run.model.heads = 3;
  run.cluster.workers = worldSize();
  return run;
}

Flows epochOf(const Dataset& set, const RunSettings& run, double& loss) {
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  loss = many.method->runEpoch(0);
  const Flows flows = measuredOf(many);
  CHECK(flows == predictedOf(many, true));
  return flows;
}

}  // namespace

TEST_CASE("with one group of all workers dgcl sends what vanilla sends, to the message", "[dgcl]") {
  for (const Dataset& set : hardGraphs()) {
    CAPTURE(set.name);
    double relayed = 0, direct = 0;
    const Flows a = epochOf(set, settingsOf("dgcl", "gcn", 100), relayed),
                b = epochOf(set, settingsOf("vanilla", "gcn", 0), direct);
    CHECK(a == b);
    CHECK(relayed == direct);
  }
}

TEST_CASE("with relays as many bytes travel, and as many arrive at everybody as without", "[dgcl]") {
  for (const Dataset& set : hardGraphs())
    for (const std::string kind : {"graphsage", "gat"})
      for (const std::int64_t group : {2, 3}) {
        CAPTURE(set.name, kind, group);
        double relayed = 0, direct = 0;
        const Flows a = epochOf(set, settingsOf("dgcl", kind, group), relayed),
                    b = epochOf(set, settingsOf("vanilla", kind, 0), direct);
        CHECK(relayed == Approx(direct).epsilon(sizeof(Scalar) == 8 ? 1e-12 : 1e-5));
        // what each rank is sent forward: one collective over all ranks a flow table
        const auto arriving = [&](const Flows& flows, Communicator& comm) {
          std::vector<std::int64_t> bytes(at(worldSize()), 0);
          for (const auto& [key, flow] : flows)
            if (std::get<1>(key) == Pass::forward) bytes[at(std::get<2>(key))] += flow.second;
          comm.sum(bytes);
          return bytes;
        };
        Tracer tracer;
        Communicator comm(MPI_COMM_WORLD, tracer);
        CHECK(arriving(a, comm) == arriving(b, comm));
      }
}

TEST_CASE("relays take rows off the slow links", "[dgcl]") {
  if (worldSize() < 4) return;
  const Dataset set = hardGraphs()[1];
  Trained many(MPI_COMM_WORLD, set, settingsOf("dgcl", "gcn", 2), scatteredOwners(set, worldSize()));
  const auto metrics = many.method->metrics();
  CHECK(metrics.at("slow_rows") < metrics.at("slow_rows_direct"));
  CHECK(metrics.at("longest_link") < metrics.at("longest_link_direct"));
  const auto rows = haloRows(many.propagation, many.owners, worldSize());
  std::int64_t between = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (i / 2 != j / 2) between += rows[i][j];
  CHECK(metrics.at("slow_rows_direct") == static_cast<double>(between));
}
