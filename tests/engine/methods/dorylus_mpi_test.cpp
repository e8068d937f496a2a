// Dorylus: trains as vanilla does, and models a pipeline beside it. The model alone is tested
// in pipeline_model_test.cpp.
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/kernels/threads/work.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf(const std::string& method) {
  RunSettings run = settingsFor(method, "gcn", 2, 8);
  run.model.order = "aggregate-first";
  run.cluster.workers = worldSize();
  return run;
}

/// Passes one after the other, with nothing between server and tensor worker.
RunSettings oneChunk() {
  RunSettings run =
      with(with(settingsOf("dorylus"), "chunks", Value(std::int64_t{1})), "worker_gbit", Value(1e5));
  run.cluster.link.bandwidthGbit = 1e6;
  return run;
}

std::map<std::string, double> metricsOf(const Dataset& set, const RunSettings& run) {
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  return many.method->metrics();
}

}  // namespace

TEST_CASE("whatever is modelled, dorylus trains and sends as vanilla does", "[dorylus]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  Trained vanilla(MPI_COMM_WORLD, set, settingsOf("vanilla"), owners);
  Trained modelled(MPI_COMM_WORLD, set, with(settingsOf("dorylus"), "asynchrony", Value(std::int64_t{3})),
                   owners);
  for (int epoch = 0; epoch < 3; ++epoch)
    CHECK(modelled.method->runEpoch(epoch) == vanilla.method->runEpoch(epoch));
  CHECK(measuredOf(modelled) == measuredOf(vanilla));
}

TEST_CASE("the model's server does the FLOP that a trained epoch counts, whatever the layers", "[dorylus]") {
  const Dataset set = hardGraphs()[0];
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const std::string order : {"aggregate-first", "update-first"})
      for (const bool cached : {false, true}) {
        CAPTURE(kind, order, cached);
        RunSettings run = with(oneChunk(), "layer0_cache", Value(cached));
        run.model.kind = kind;
        run.model.order = order;
        if (cached && order == "update-first") continue;  // is for what is aggregated first
        // so slow that nothing else takes any time
        run = with(with(run, "server_gflops", Value(0.001)), "worker_gflops", Value(0.001));
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        many.method->runEpoch(0);
        many.method->takeWork();
        many.method->runEpoch(1);
        std::map<std::pair<int, Pass>, std::int64_t> flop;
        for (int l = 0; l < many.model->layers(); ++l)
          flop[{l, Pass::forward}] = flop[{l, Pass::backward}] = 0;
        for (const WorkRow& row : many.method->takeWork())
          if (row.layer >= 0) flop.at({row.layer, row.pass}) += row.flop;
        double seconds = 0;
        for (const auto& [pass, own] : flop) seconds += static_cast<double>(many.comm.max(own)) / 1e6;
        CHECK(many.method->metrics().at("modelled_epoch_seconds") == Approx(seconds).epsilon(1e-5));
      }
}

TEST_CASE("the model's tensor workers apply gat's products", "[dorylus]") {
  const Dataset set = hardGraphs()[0];
  RunSettings run = oneChunk();
  run.model.kind = "gat";
  run.model.heads = 2;
  run.model.order = "auto";
  run = with(with(run, "server_gflops", Value(1e6)), "worker_gflops", Value(0.001));
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  many.method->runEpoch(0);
  const std::int64_t before = work().dense;
  many.method->runEpoch(1);
  // who has most rows is the slowest in every pass
  const auto most = static_cast<double>(many.comm.max(work().dense - before));
  CHECK(many.method->metrics().at("modelled_epoch_seconds") == Approx(most / 1e6).epsilon(1e-4));
}

TEST_CASE("the model scatters the bytes that a trained epoch sends, forward and backward", "[dorylus]") {
  // a hub that many refer to: what is sent and what is returned differ
  const Dataset set = hardGraphs()[0];
  RunSettings run = with(with(oneChunk(), "server_gflops", Value(1e6)), "worker_gflops", Value(1e6));
  run.cluster.link.bandwidthGbit = 1e-6;
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  many.method->runEpoch(0);
  measuredOf(many);
  many.method->runEpoch(1);
  std::map<std::pair<int, Pass>, std::int64_t> bytes;
  for (int l = 0; l < many.model->layers(); ++l) bytes[{l, Pass::forward}] = bytes[{l, Pass::backward}] = 0;
  for (const auto& [key, flow] : measuredOf(many))
    if (std::get<0>(key) >= 0) bytes.at({std::get<0>(key), std::get<1>(key)}) += flow.second;
  double seconds = 0;
  for (const auto& [pass, own] : bytes) seconds += static_cast<double>(many.comm.max(own)) * 8 / 1e3;
  CHECK(many.method->metrics().at("modelled_epoch_seconds") == Approx(seconds).epsilon(1e-5).margin(1e-5));
}

TEST_CASE("the model moves the rows of every product to the tensor workers and back", "[dorylus]") {
  const Dataset set = hardGraphs()[0];
  RunSettings run = with(with(oneChunk(), "server_gflops", Value(1e6)), "worker_gflops", Value(1e6));
  run = with(run, "worker_gbit", Value(1e-3));
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  const auto rows = many.comm.max(static_cast<std::int64_t>(many.share.graph.owned.size()));
  const std::vector<Index>& widths = many.model->widths();
  double elements = 0;  // there and back, forward and backward
  for (std::size_t l = 0; l + 1 < widths.size(); ++l)
    elements += 2 * static_cast<double>(rows * (widths[l] + widths[l + 1]));
  CHECK(many.method->metrics().at("modelled_epoch_seconds") ==
        Approx(elements * sizeof(Scalar) * 8 / 1e6).epsilon(1e-3));
}

TEST_CASE("a model that takes too long is refused before anything starts", "[dorylus]") {
  RunSettings run = settingsOf("dorylus");
  run.cluster.workers = 4;
  run = with(run, "chunks", Value(std::int64_t{1024}));
  CHECK(refusals(*find<MethodEntry>("dorylus"), run).empty());
  run = with(run, "asynchrony", Value(std::int64_t{64}));
  CHECK(refusals(*find<MethodEntry>("dorylus"), run).empty());  // 6.8 million steps
  run.model.layers = 8;
  const std::vector<Problem> problems = refusals(*find<MethodEntry>("dorylus"), run);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "run.chunks");
  CHECK(problems[0].message.find("27131904 steps of chunks") != std::string::npos);
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
  const auto asynchronous = metricsOf(set, with(run, "asynchrony", Value(std::int64_t{2})));
  const double ahead = asynchronous.at("modelled_epoch_seconds");
  CHECK(asynchronous.at("modelled_synchronous_seconds") == synchronous);
  const double fewer =
      metricsOf(set, with(run, "tensor_workers", Value(std::int64_t{1}))).at("modelled_epoch_seconds");
  CHECK(ahead < 0.999 * synchronous);  // what passes would wait for at the end of each
  CHECK(fewer > synchronous);
}
