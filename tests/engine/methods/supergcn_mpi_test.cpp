// SuperGCN's messages. What is exact of it stands among the identity tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/comm/exchange/coded_exchange.h"
#include "engine/partition/halo/boundary_sample.h"
#include "engine/partition/halo/cut.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf(const std::string& bits, double dropout = 0.5) {
  RunSettings run = settingsFor("supergcn", "graphsage", 3, 7, dropout);
  run.parameters.insert_or_assign("bits", Value(bits));
  return run;
}

std::int64_t sumOf(const std::vector<std::vector<std::int64_t>>& rows) {
  std::int64_t sum = 0;
  for (const auto& from : rows)
    for (const std::int64_t count : from) sum += count;
  return sum;
}

}  // namespace

TEST_CASE("coded epochs send what the closed form says, by rank, layer and direction", "[supergcn][volume]") {
  for (const Dataset& set : hardGraphs()) {
    for (const std::string bits : {"8", "4", "2", "mixed"}) {
      for (const std::string range : {"bf16", "fp32"}) {
        for (const bool cache : {false, true}) {
          RunSettings run = with(settingsOf(bits), "range", Value(range));
          run = with(with(run, "layer0_cache", Value(cache)), "redraw", Value(std::int64_t{2}));
          CAPTURE(set.name, bits, range, cache);
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
          checkFreshAndAsPredicted(many);
        }
      }
    }
  }
}

TEST_CASE("eight bits train as full rows do, to a hundredth of the loss", "[supergcn]") {
  const Dataset set = hardGraphs()[1];
  const Owners owners = scatteredOwners(set, worldSize());
  for (const std::string aggregation : {"pre", "post", "hybrid"}) {
    for (const std::string rounding : {"stochastic", "nearest"}) {
      CAPTURE(aggregation, rounding);
      Trained full(MPI_COMM_WORLD, set, settingsOf("32", 0), owners);
      RunSettings run = with(settingsOf("8", 0), "aggregation", Value(aggregation));
      Trained coded(MPI_COMM_WORLD, set, with(run, "rounding", Value(rounding)), owners);
      for (int epoch = 0; epoch < 20; ++epoch) {
        const double expected = full.method->runEpoch(epoch), actual = coded.method->runEpoch(epoch);
        CHECK(std::abs(actual - expected) < 1e-2);
        if (epoch == 0 && worldSize() > 1) CHECK(actual != expected);
      }
    }
  }
}

TEST_CASE("with frozen weights the mean of coded outputs is that of full rows", "[supergcn]") {
  if (worldSize() == 1) return;
  // one layer: what arrives is summed and multiplied, nothing bends it
  const Dataset set = hardGraphs()[1];
  const Owners owners = scatteredOwners(set, worldSize());
  const auto frozen = [&](const std::string& bits) {
    RunSettings run = settingsOf(bits, 0);
    run.model.layers = 1;
    run.model.order = "aggregate-first";
    run.training.learningRate = 0;
    return run;
  };
  Trained full(MPI_COMM_WORLD, set, frozen("32"), owners);
  Trained coded(MPI_COMM_WORLD, set, frozen("4"), owners);
  full.method->runEpoch(0);
  constexpr int kEpochs = 400;
  const std::vector<double> mean = meanLogits(coded, kEpochs);
  // logits are means over neighbours of rows within ±0.5 times weights below 1: a step is below 1/15
  for (std::size_t i = 0; i < mean.size(); ++i)
    CHECK(mean[i] == Approx(static_cast<double>(full.method->logits()->values()[i]))
                         .margin(5.0 / 15 / std::sqrt(kEpochs)));
}

TEST_CASE("scores come of full rows, whatever training sends", "[supergcn]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  RunSettings run = settingsOf("2", 0), exact = settingsOf("32", 0);
  run.training.learningRate = exact.training.learningRate = 0;
  Trained coded(MPI_COMM_WORLD, set, run, owners), full(MPI_COMM_WORLD, set, exact, owners);
  coded.method->runEpoch(0);
  full.method->runEpoch(0);
  coded.method->evaluate();
  full.method->evaluate();
  CHECK(std::ranges::equal(coded.method->logits()->values(), full.method->logits()->values()));
}

TEST_CASE("a hybrid never sends more rows than pre or post", "[supergcn]") {
  for (const Dataset& set : hardGraphs()) {
    const Csr P = propagationMatrix(set.arcs, Propagation::symmetric);
    const Owners owners = scatteredOwners(set, worldSize());
    const auto count = [&](CutAggregation how) { return cutRows(P, owners, worldSize(), how); };
    const auto pre = count(CutAggregation::pre), post = count(CutAggregation::post),
               hybrid = count(CutAggregation::hybrid);
    CAPTURE(set.name);
    CHECK(post == haloRows(P, owners, worldSize()));
    if (!set.directed) CHECK(sumOf(pre) == sumOf(post));
    for (std::size_t i = 0; i < pre.size(); ++i)
      for (std::size_t j = 0; j < pre.size(); ++j) CHECK(hybrid[i][j] <= std::min(pre[i][j], post[i][j]));
  }
}

TEST_CASE("mixed widths have their shares, every row one, drawn anew when it is time", "[supergcn]") {
  const CodeWidths widths{.bits = 0, .share8 = 0.3, .share4 = 0.29, .drawEvery = 10};
  const auto first = positionsByWidth(widths, 100, 1, 0, 0, 1);
  CHECK(first[0].size() == 30);
  CHECK(first[1].size() == 29);
  CHECK(first[2].size() == 41);
  std::vector<Vertex> all;
  for (const auto& rows : first) all.insert(all.end(), rows.begin(), rows.end());
  std::ranges::sort(all);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == static_cast<Vertex>(i));
  CHECK(positionsByWidth(widths, 100, 1, 9, 0, 1) == first);
  CHECK(positionsByWidth(widths, 100, 1, 10, 0, 1) != first);
  CHECK(positionsByWidth(widths, 100, 1, 0, 1, 0) != first);
  CHECK(positionsByWidth(widths, 100, 2, 0, 0, 1) != first);
}

TEST_CASE("SuperGCN refuses what it cannot do and says why", "[supergcn]") {
  const MethodEntry& entry = *find<MethodEntry>("supergcn");
  RunSettings run = settingsOf("mixed");
  CHECK(refusals(entry, run).empty());
  run = with(with(run, "share_8", Value(0.7)), "share_4", Value(0.4));
  REQUIRE(refusals(entry, run).size() == 1);
  CHECK(refusals(entry, run)[0].key == "run.share_4");
  run = settingsOf("32");
  run.model.kind = "gat";
  CHECK(refusals(entry, run).empty());  // by its name alone: post
  run = with(run, "aggregation", Value(std::string("hybrid")));
  REQUIRE(refusals(entry, run).size() == 1);
  CHECK(refusals(entry, run)[0].message.find("softmax") != std::string::npos);
  CHECK(refusals(entry, with(run, "aggregation", Value(std::string("post")))).empty());
}
