// What attention changes in the methods that train it: what travels and what is
// refused. That they give what one worker gives stands in identity_mpi_test.cpp.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kSame = sizeof(Scalar) == 8 ? 1e-10 : 2e-5;

RunSettings settingsOf(const std::string& method, double learningRate = 0, double dropout = 0) {
  RunSettings run = settingsFor(method, "gat", 3, 6, dropout);
  run.model.heads = 2;
  run.training.learningRate = learningRate;
  return run;
}

double largestDifference(std::span<const Scalar> a, std::span<const Scalar> b) {
  double most = 0, size = 1e-3;  // a gradient that is rounding noise is compared on this scale
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = larger(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return most / size;
}

/// Largest difference of gradients, the same on every rank.
double gradientError(Trained& a, Trained& b) {
  const auto actual = a.model->weights(), expected = b.model->weights();
  double most = 0;
  for (std::size_t w = 0; w < expected.size(); ++w)
    most = larger(
        most, largestDifference(actual[w].second->gradient.values(), expected[w].second->gradient.values()));
  return most;
}

/// Elements that all ranks send in the epoch just run, by pass.
std::map<Pass, std::int64_t> elementsSent(Trained& t) {
  std::map<Pass, std::int64_t> elements;
  for (const Pass pass : {Pass::forward, Pass::backward}) elements[pass] = 0;
  for (const auto& [key, flow] : measuredOf(t))
    if (std::get<1>(key) != Pass::none)
      elements[std::get<1>(key)] += flow.second / static_cast<std::int64_t>(sizeof(Scalar));
  for (auto& [pass, count] : elements) count = t.comm.sum(count);
  return elements;
}

std::int64_t haloTotal(Trained& t) {
  std::int64_t rows = 0;
  for (const auto& from : haloRows(t.propagation, t.owners, t.comm.size()))
    for (const std::int64_t count : from) rows += count;
  return rows;
}

}  // namespace

TEST_CASE("attention sends rows of Y both ways, and sar fetches them once more", "[gat][volume]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  for (const std::string method : {"vanilla", "sar"}) {
    Trained t(MPI_COMM_WORLD, set, settingsOf(method), owners);
    t.method->runEpoch(0);
    const auto sent = elementsSent(t);
    // hidden twice, heads · classes in the last layer
    const std::int64_t once = haloTotal(t) * (6 + 6 + 2 * set.classes);
    CAPTURE(method);
    CHECK(sent.at(Pass::forward) == once);
    CHECK(sent.at(Pass::backward) == (method == "sar" ? 2 : 1) * once);
  }
}

TEST_CASE("PipeGCN sends attention's input rows, and nothing back for layer 0", "[gat][pipegcn][volume]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  Trained t(MPI_COMM_WORLD, set, settingsOf("pipegcn"), owners);
  t.method->runEpoch(0);
  const auto sent = elementsSent(t);
  CHECK(sent.at(Pass::forward) == haloTotal(t) * (set.features.cols() + 6 + 6));
  CHECK(sent.at(Pass::backward) == haloTotal(t) * (6 + 6));
}

TEST_CASE("attention over input rows on one worker is attention over updated rows", "[gat][pipegcn]") {
  const Dataset set = hardGraphs()[0];
  const Owners all(at(set.vertices()), 0);
  Trained arriving(MPI_COMM_SELF, set, settingsOf("pipegcn", 0.01, 0.5), all);
  Trained reference(MPI_COMM_SELF, set, settingsOf("single", 0.01, 0.5), all);
  CHECK(arriving.model->layer(0).order() == Order::aggregateFirst);
  CHECK(reference.model->layer(0).order() == Order::updateFirst);
  for (int epoch = 0; epoch < 5; ++epoch) {
    const double expected = reference.method->runEpoch(epoch);
    CHECK(arriving.method->runEpoch(epoch) == Approx(expected).epsilon(kSame));
    if (epoch == 0) CHECK(gradientError(arriving, reference) <= kSame);
  }
}

TEST_CASE("with frozen weights PipeGCN's attention is exact after its warm-up and not before",
          "[gat][pipegcn]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  const int layers = 3;
  for (const int k : {1, 2}) {
    Trained stale(MPI_COMM_WORLD, set, with(settingsOf("pipegcn"), "depth", Value(std::int64_t{k})), owners);
    Trained exact(MPI_COMM_WORLD, set, settingsOf("vanilla"), owners);
    exact.method->runEpoch(0);
    const int logitsFrom = layers * k + 1, gradientsFrom = (2 * layers - 1) * k + 1;
    for (int epoch = 1; epoch <= gradientsFrom + 1; ++epoch) {
      stale.method->runEpoch(epoch - 1);
      const double logits =
          largestDifference(stale.method->logits()->values(), exact.method->logits()->values());
      const double gradients = gradientError(stale, exact);
      CAPTURE(k, epoch);
      if (epoch >= logitsFrom) CHECK(logits <= kSame);
      if (epoch >= gradientsFrom) CHECK(gradients <= kSame);
      if (worldSize() > 1 && epoch == gradientsFrom - 1) CHECK(gradients > 1e-4);
    }
  }
}

TEST_CASE("coded rows reach attention with their mean kept", "[gat][supergcn]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  const RunSettings post = with(settingsOf("supergcn", 0.01), "aggregation", Value(std::string("post")));
  Trained coded(MPI_COMM_WORLD, set, with(post, "bits", Value(std::string("8"))), owners);
  Trained full(MPI_COMM_WORLD, set, post, owners);
  for (int epoch = 0; epoch < 20; ++epoch) {
    const double expected = full.method->runEpoch(epoch), actual = coded.method->runEpoch(epoch);
    CHECK(actual == Approx(expected).margin(1e-2));
    if (worldSize() > 2 && epoch == 0) CHECK(actual != expected);
  }
}

TEST_CASE("every method trains attention or says why it does not", "[gat]") {
  int refused = 0;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    CAPTURE(name);
    RunSettings run = settingsOf(std::string(name));
    run.cluster.workers = entry.distributed ? 4 : 1;
    if (name == "supergcn") run = with(run, "aggregation", Value(std::string("post")));
    const std::vector<Problem> problems = refusals(entry, run);
    if (entry.attends) {
      CHECK(problems.empty());
      continue;
    }
    ++refused;
    const auto why = std::ranges::find(problems, "model.kind", &Problem::key);
    REQUIRE(why != problems.end());
    CHECK(why->message.find("gat") != std::string::npos);
    CHECK(why->message.find("use gcn, graphsage or gin") != std::string::npos);
  }
  CHECK(refused >= 2);  // bns and sancus
}

TEST_CASE("what attention cannot do is refused by key", "[gat]") {
  const MethodEntry& entry = *find<MethodEntry>("vanilla");
  const auto keyOf = [&](const RunSettings& run) {
    const auto problems = refusals(entry, run);
    return problems.size() == 1 ? problems[0].key : std::to_string(problems.size()) + " problems";
  };
  RunSettings run = settingsOf("vanilla");
  CHECK(keyOf(run) == "0 problems");
  CHECK(keyOf(with(run, "layer0_cache", Value(true))) == "run.layer0_cache");
  run.model.order = "update-first";
  CHECK(keyOf(run) == "0 problems");
  run.model.order = "aggregate-first";
  CHECK(keyOf(run) == "model.order");
  run.model.order = "auto";
  run.model.dropoutPosition = "after-aggregation";
  CHECK(keyOf(run) == "model.dropout_position");
}
