// The invariants of boundary-node sampling. Rate 1 stands among the identity tests.
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/index.h"
#include "engine/partition/halo/boundary_sample.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kSame = sizeof(Scalar) == 8 ? 1e-9 : 1e-4;

RunSettings settingsOf(const std::string& method, const std::string& kind = "gcn", double dropout = 0.5) {
  RunSettings run = settingsFor(method, kind, 3, 7, dropout);
  if (run.parameters.contains("layer0_cache")) run.parameters.insert_or_assign("layer0_cache", Value(true));
  return run;
}

RunSettings sampled(double rate, const std::string& kind = "gcn", double dropout = 0.5) {
  RunSettings run = settingsOf("bns", kind, dropout);
  run.parameters.insert_or_assign("rate", Value(rate));
  return run;
}

/// The rows that owner i lends part j, ascending, by definition.
std::vector<Vertex> lent(const Csr& P, const Owners& owners, int i, int j) {
  std::vector<char> needed(owners.size(), 0);
  for (Index u = 0; u < P.rows(); ++u)
    if (owners[at(u)] == j)
      for (const Vertex v : P.row(u)) needed[at(v)] = 1;
  std::vector<Vertex> rows;
  for (Vertex v = 0; v < P.rows(); ++v)
    if (needed[at(v)] != 0 && owners[at(v)] == i) rows.push_back(v);
  return rows;
}

/// P of the whole graph with what an epoch's samples leave out taken away and the rest scaled.
Csr sampledPropagation(const Csr& P, const Owners& owners, int parts, double rate, std::uint64_t seed,
                       std::int32_t epoch) {
  const auto n = at(P.rows());
  std::vector<std::vector<double>> scale(at(parts), std::vector<double>(n, 0));
  for (int j = 0; j < parts; ++j) {
    for (int i = 0; i < parts; ++i) {
      const std::vector<Vertex> rows = lent(P, owners, i, j);
      const auto all = static_cast<Index>(rows.size());
      std::vector<Index> positions;
      drawSample({seed, static_cast<std::uint32_t>(epoch), i, j}, all,
                 i == j ? all : sampleSize(rate, false, all), positions);
      for (const Index p : positions)
        scale[at(j)][at(rows[at(p)])] = static_cast<double>(all) / static_cast<double>(positions.size());
    }
  }
  Csr Q = P;
  Q.values.resize(Q.columns.size());
  for (Index u = 0; u < P.rows(); ++u)
    for (auto k = at(P.offsets[at(u)]); k < at(P.offsets[at(u) + 1]); ++k)
      Q.values[k] = static_cast<Scalar>((P.weighted() ? static_cast<double>(P.values[k]) : 1.0) *
                                        scale[at(owners[at(u)])][at(P.columns[k])]);
  return Q;
}

/// One worker that multiplies by the sampled matrix of each epoch: the definition, and slow.
class DefinedPropagator final : public Propagator {
 public:
  DefinedPropagator(const Trained& trained, Owners owners, int parts, double rate)
      : trained_(trained), owners_(std::move(owners)), parts_(parts), rate_(rate) {}
  void beginEpoch(std::int32_t epoch) override {
    sampled_ = sampledPropagation(trained_.propagation, owners_, parts_, rate_,
                                  trained_.settings.training.seed, epoch);
  }
  void enter(int, const LayerInput& input) override { training_ = input.training; }
  void forward(int, const Matrix& Y, Matrix& Z) override {
    spmmReference(training_ ? sampled_ : trained_.propagation, Y, Z);
  }
  void backward(int, const Matrix& dZ, Matrix& dY) override { spmmReference(transpose(sampled_), dZ, dY); }
  bool complete() const override { return false; }

 private:
  const Trained& trained_;
  Owners owners_;
  int parts_;
  double rate_;
  Csr sampled_;
  bool training_ = true;
};

}  // namespace

TEST_CASE("sampled training follows one worker that multiplies by the sampled matrix", "[bns]") {
  for (const std::string kind : {"gcn", "graphsage", "gin"}) {
    for (const double rate : {0.0, 0.3, 0.77}) {
      const Dataset set = hardGraphs()[0];
      const Owners owners = scatteredOwners(set, worldSize());
      CAPTURE(kind, rate);
      Trained single(MPI_COMM_SELF, set, settingsOf("single", kind), Owners(owners.size(), 0));
      single.method = std::make_unique<FullGraph>(
          *single.parts, std::make_unique<DefinedPropagator>(single, owners, worldSize(), rate), true);
      Trained many(MPI_COMM_WORLD, set, sampled(rate, kind), owners);
      for (int epoch = 0; epoch < 5; ++epoch) {
        CAPTURE(epoch);
        const double expected = single.method->runEpoch(epoch);
        CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kSame));
        const EpochRow a = single.method->evaluate(), b = many.method->evaluate();
        if (sizeof(Scalar) == 8) CHECK(a.test == b.test);
      }
    }
  }
}

TEST_CASE("at rate 0 nothing but layer 0 crosses the parts, and islands train as one worker", "[bns]") {
  std::vector<Arc> arcs;
  Owners owners;
  for (Vertex v = 0; v < 5 * worldSize(); ++v) {
    arcs.push_back({v, v / 5 * 5 + (v + 1) % 5});
    owners.push_back(v / 5);
  }
  const Dataset set = datasetOf("rings", 5 * worldSize(), arcs, false);
  Trained single(MPI_COMM_SELF, set, settingsOf("single"), Owners(owners.size(), 0));
  Trained many(MPI_COMM_WORLD, set, sampled(0), owners);
  for (int epoch = 0; epoch < 5; ++epoch)
    CHECK(many.method->runEpoch(epoch) == Approx(single.method->runEpoch(epoch)).epsilon(kSame));
  const Dataset mixed = hardGraphs()[1];
  Trained apart(MPI_COMM_WORLD, mixed, sampled(0), scatteredOwners(mixed, worldSize()));
  apart.method->runEpoch(0);
  measuredOf(apart);
  apart.method->runEpoch(1);
  for (const auto& [key, sent] : measuredOf(apart))
    CHECK(std::get<2>(key) == -1);  // the gradients' sum alone
}

TEST_CASE("both ends draw the same sample, whether it is sent or not", "[bns]") {
  for (const Dataset& set : hardGraphs()) {
    const Owners owners = scatteredOwners(set, worldSize());
    CAPTURE(set.name);
    Trained sent(MPI_COMM_WORLD, set, sampled(0.4), owners);
    Trained derived(MPI_COMM_WORLD, set, with(sampled(0.4), "indices", Value(std::string("derived"))),
                    owners);
    for (int epoch = 0; epoch < 4; ++epoch)
      CHECK(sent.method->runEpoch(epoch) == derived.method->runEpoch(epoch));
  }
}

TEST_CASE("a sampled epoch sends what the closed form says, index lists included", "[bns][volume]") {
  for (const Dataset& set : hardGraphs()) {
    for (const double rate : {0.0, 0.1, 0.5, 1.0}) {
      for (const std::string indices : {"sent", "derived"}) {
        for (const bool atLeastOne : {false, true}) {
          RunSettings run = with(sampled(rate), "indices", Value(indices));
          run.parameters.insert_or_assign("at_least_one", Value(atLeastOne));
          CAPTURE(set.name, rate, indices, atLeastOne);
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
          checkFreshAndAsPredicted(many);
        }
      }
    }
  }
}

TEST_CASE("the formula of the expected volume is what the predictor adds up to", "[bns][volume]") {
  const Dataset set = hardGraphs()[0];
  Trained many(MPI_COMM_WORLD, set, sampled(0.5), scatteredOwners(set, worldSize()));
  std::int64_t rows = 0, pairs = 0, widths = 0, bytes = 0, messages = 0;
  for (const auto& from : haloRows(many.propagation, many.owners, worldSize()))
    for (const std::int64_t count : from) {
      rows += count / 2;
      pairs += count >= 2;
    }
  for (int l = 1; l < 3; ++l) widths += many.model->layer(l).propagatedWidth();
  for (const auto& [key, flow] : predictedOf(many, false)) {
    if (std::get<2>(key) < 0) continue;
    messages += flow.first;
    bytes += flow.second;
  }
  CHECK(many.comm.sum(messages) == pairs * (2 * (3 - 1) + 1));
  CHECK(many.comm.sum(bytes) == rows * (2 * widths * static_cast<std::int64_t>(sizeof(Scalar)) + 8));
}

TEST_CASE("the gradients of a sampled epoch are the slopes of its loss", "[bns][gradient]") {
  if (sizeof(Scalar) < 8) return;  // differences of floats say nothing
  const Dataset set = hardGraphs()[0];
  for (const std::string kind : {"gcn", "graphsage"}) {
    RunSettings run = sampled(0.4, kind, 0.2);
    run.training.learningRate = 0;
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    many.method->runEpoch(3);
    for (auto& [name, weight] : many.model->weights()) {
      for (const std::size_t i : {std::size_t{0}, weight->value.values().size() / 2}) {
        many.method->runEpoch(3);
        const auto gradient = static_cast<double>(weight->gradient.values()[i]);
        constexpr double kStep = 1e-6;
        Scalar& w = weight->value.values()[i];
        const Scalar original = w;
        w = static_cast<Scalar>(static_cast<double>(original) + kStep);
        const double up = many.method->runEpoch(3);
        w = static_cast<Scalar>(static_cast<double>(original) - kStep);
        const double down = many.method->runEpoch(3);
        w = original;
        CAPTURE(kind, name, i);
        // the loss is about 1: its rounding over the step is 1e-10
        CHECK(gradient == Approx((up - down) / (2 * kStep)).epsilon(1e-5).margin(1e-8));
      }
    }
  }
}

TEST_CASE("every epoch draws another sample, and the seed decides which", "[bns]") {
  if (worldSize() == 1) return;
  const Dataset set = hardGraphs()[0];
  RunSettings run = sampled(0.3, "gcn", 0);
  run.training.learningRate = 0;
  const auto lossesOf = [&](std::uint64_t seed) {
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    many.settings.training.seed = seed;  // the weights stay those of the first
    std::vector<double> losses;
    for (int epoch = 0; epoch < 3; ++epoch) losses.push_back(many.method->runEpoch(epoch));
    return losses;
  };
  const std::vector<double> first = lossesOf(1), other = lossesOf(2);
  CHECK(first == lossesOf(1));
  CHECK(first[0] != first[1]);
  CHECK(first[1] != first[2]);
  CHECK(first[0] != other[0]);
}

TEST_CASE("boundary sampling refuses attention and says why", "[bns]") {
  RunSettings run = sampled(0.1);
  CHECK(refusals(*find<MethodEntry>("bns"), run).empty());
  run.model.kind = "gat";
  const auto problems = refusals(*find<MethodEntry>("bns"), run);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "model.kind");
  CHECK(problems[0].message.find("softmax") != std::string::npos);
}
