// Dorylus (methods.md 14): trains as vanilla does, and models a pipeline beside it. The model alone is tested
// in pipeline_model_test.cpp.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf(const std::string& method) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = "gcn";
  run.model.layers = 2;
  run.model.hidden = 8;
  run.model.order = "aggregate-first";
  run.cluster.workers = worldSize();
  return run;
}

RunSettings with(RunSettings run, const std::string& key, Value value) {
  run.parameters.insert_or_assign(key, std::move(value));
  return run;
}

std::map<std::string, double> metricsOf(const Dataset& set, const RunSettings& run) {
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set.vertices(), worldSize()));
  return many.method->metrics();
}

}  // namespace

TEST_CASE("whatever is modelled, dorylus trains and sends as vanilla does", "[dorylus]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set.vertices(), worldSize());
  Trained vanilla(MPI_COMM_WORLD, set, settingsOf("vanilla"), owners);
  Trained modelled(MPI_COMM_WORLD, set, with(settingsOf("dorylus"), "asynchrony", Value(std::int64_t{3})),
                   owners);
  for (int epoch = 0; epoch < 3; ++epoch)
    CHECK(modelled.method->runEpoch(epoch) == vanilla.method->runEpoch(epoch));
  CHECK(measuredOf(modelled) == measuredOf(vanilla));
}

TEST_CASE("with one chunk the modelled epoch is the slowest server's of every pass, added up", "[dorylus]") {
  const Dataset set = hardGraphs()[1];
  RunSettings run = with(settingsOf("dorylus"), "chunks", Value(std::int64_t{1}));
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set.vertices(), worldSize()));
  const LocalGraph& graph = many.share.graph;
  const double rows = static_cast<double>(graph.owned.size()), S = sizeof(Scalar);
  const double edges = static_cast<double>(graph.own.nonzeros() + graph.halo.nonzeros());
  const double sent = static_cast<double>(graph.sendCount());
  // 20 and 2 GFLOP/s; 0.2 and 10 Gbit/s; widths 5, 8, 3
  const auto pass = [&](double width, double in, double out, double products) {
    const double own = 2 * edges * width / 20e9 + products * 2 * rows * in * out / 2e9 +
                       rows * (in + out) * S * 8 / 0.2e9 + sent * width * S * 8 / 10e9;
    return static_cast<double>(many.comm.max(std::llround(own * 1e15))) * 1e-15;
  };
  double seconds = pass(5, 5, 8, 1);
  seconds += pass(8, 8, 3, 1);
  seconds += pass(8, 8, 3, 2);
  seconds += pass(0, 5, 8, 1);
  const auto metrics = many.method->metrics();
  CHECK(metrics.at("modelled_epoch_seconds") == Approx(seconds).epsilon(1e-6));
  CHECK(metrics.at("modelled_synchronous_seconds") == Approx(metrics.at("modelled_epoch_seconds")));
}

TEST_CASE("the modelled price is that of servers for as long as it takes and of workers while they work",
          "[dorylus]") {
  const Dataset set = hardGraphs()[1];
  const RunSettings run = settingsOf("dorylus");
  const auto both = metricsOf(set, run);
  const auto servers = metricsOf(set, with(run, "worker_price", Value(0.0)));
  const auto workers = metricsOf(set, with(run, "server_price", Value(0.0)));
  CHECK(servers.at("modelled_epoch_dollars") ==
        Approx(worldSize() * servers.at("modelled_epoch_seconds") * 0.432 / 3600));
  CHECK(both.at("modelled_epoch_dollars") ==
        Approx(servers.at("modelled_epoch_dollars") + workers.at("modelled_epoch_dollars")));
}

TEST_CASE("asynchrony and more tensor workers only make the modelled epoch shorter", "[dorylus]") {
  const Dataset set = hardGraphs()[0];
  const RunSettings run = settingsOf("dorylus");
  const double synchronous = metricsOf(set, run).at("modelled_epoch_seconds");
  const double ahead =
      metricsOf(set, with(run, "asynchrony", Value(std::int64_t{2}))).at("modelled_epoch_seconds");
  const double fewer =
      metricsOf(set, with(run, "tensor_workers", Value(std::int64_t{1}))).at("modelled_epoch_seconds");
  CHECK(ahead < 0.999 * synchronous);  // what passes would wait for at the end of each
  CHECK(fewer > synchronous);
}
