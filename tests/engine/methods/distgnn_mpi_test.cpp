// What distgnn is to do: late sums become exact once weights stand still, a local one is exact
// where no vertex is cut, the public backward pass sends nothing. That cd-0 with the exact one gives what one
// worker gives, the identity tests check.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kTolerance = sizeof(Scalar) == 8 ? 1e-10 : 1e-4;

RunSettings distgnn(std::int64_t delay, const std::string& backward = "exact", std::int64_t layers = 2) {
  RunSettings run = settingsFor("distgnn", "graphsage", layers, 6);
  run.parameters.insert_or_assign("delay", Value(delay));
  run.parameters.insert_or_assign("backward", Value(backward));
  return run;
}

Trained oneWorker(const Dataset& set, RunSettings run) {
  run.method = "single";
  run.parameters = fallbacks(find<MethodEntry>("single")->declaration.parameters);
  return Trained(MPI_COMM_SELF, set, run, Owners(at(set.vertices()), 0));
}

/// Every vertex's sum takes in every other's row.
Dataset completeSet() {
  constexpr Vertex kVertices = 48;
  std::vector<Arc> arcs;
  for (Vertex u = 0; u < kVertices; ++u)
    for (Vertex v = 0; v < kVertices; ++v)
      if (u != v) arcs.push_back({u, v});
  return datasetOf("complete", kVertices, arcs, true);
}

Dataset randomSet() { return datasetOf("random", 90, randomArcs(90, 500, 3), true); }

/// The largest difference of own logits to one worker's, over all ranks.
double farthest(Trained& many, const Matrix& logits) {
  double worst = 0;
  const Matrix& own = *many.method->logits();
  for (std::size_t i = 0; i < many.share.graph.owned.size(); ++i)
    for (Index c = 0; c < logits.cols(); ++c)
      worst = larger(worst, std::abs(static_cast<double>(own(static_cast<Index>(i), c)) -
                                     static_cast<double>(logits(many.share.graph.owned[i], c))));
  return largestAnywhere(many.comm, worst);
}

/// The epoch from which on outputs are exact at the latest, once weights stand still
/// (resources/design/methods.md, "Late sums of DistGNN").
std::int32_t exactFrom(std::int64_t r, std::int64_t layers) {
  return static_cast<std::int32_t>(3 * r * layers - r - layers);
}

/// The first epoch from which on no rank's outputs change by a bit: of roots, which are scored. Collective.
std::int32_t settledFrom(Trained& many, std::int32_t epochs) {
  std::vector<std::vector<Scalar>> outputs;
  for (std::int32_t epoch = 0; epoch < epochs; ++epoch) {
    many.method->runEpoch(epoch);
    const Matrix& rows = *many.method->logits();
    const auto own = rows.values().first(many.share.graph.owned.size() * at(rows.cols()));
    outputs.emplace_back(own.begin(), own.end());
  }
  std::int64_t from = epochs;
  while (from > 0 && outputs[at(from) - 1] == outputs.back()) --from;
  return static_cast<std::int32_t>(many.comm.max(from));
}

/// Clones of a vertex in the mean. Collective.
double replicationOf(Trained& t) {
  const std::int64_t leaves = t.comm.sum(t.method->holdings()->remote);
  return 1 + static_cast<double>(leaves) / static_cast<double>(t.share.graph.globalVertices);
}

/// Collective.
double largest(Trained& t, const std::vector<Staleness>& rows) {
  double most = 0;
  for (const Staleness& row : rows) most = larger(most, row.absolute);
  return largestAnywhere(t.comm, most);
}
double largestStaleness(Trained& t) { return largest(t, t.method->probeStaleness()); }

}  // namespace

TEST_CASE("distgnn's late sums are exact some epochs after weights stand still", "[distgnn]") {
  const Dataset set = randomSet();
  for (const std::int64_t layers : {1, 2, 3}) {
    for (const std::int64_t r : {1, 2, 3}) {
      CAPTURE(layers, r);
      RunSettings run = distgnn(r, "exact", layers);
      run.training.learningRate = 0;
      Trained single = oneWorker(set, run);
      single.method->runEpoch(0);
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      const std::int32_t bound = exactFrom(r, layers);
      for (std::int32_t epoch = 0; epoch < bound + 2 * static_cast<std::int32_t>(r); ++epoch) {
        CAPTURE(epoch);
        many.method->runEpoch(epoch);
        const double error = farthest(many, *single.method->logits());
        if (epoch == 0 && worldSize() > 1) CHECK(error > 1e-3);
        if (epoch >= bound) CHECK(error < kTolerance);
      }
    }
  }
}

TEST_CASE("where all depends on all, distgnn's late sums change up to the last epoch that they may",
          "[distgnn]") {
  const Dataset set = completeSet();
  for (const std::int64_t layers : {1, 2, 3})
    for (const std::int64_t r : {1, 2, 3}) {
      CAPTURE(layers, r);
      RunSettings run = distgnn(r, "exact", layers);
      run.training.learningRate = 0;
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      const std::int32_t bound = exactFrom(r, layers),
                         from = settledFrom(many, bound + 3 * static_cast<std::int32_t>(r));
      CHECK(from == (worldSize() > 1 ? bound : 0));
      // an older bound, which holds up to two layers
      if (r == 3 && layers == 3 && worldSize() > 1) CHECK(from > 2 * r * layers + r - 1);
    }
}

TEST_CASE("distgnn's staleness is there while weights change and goes when they stand still", "[distgnn]") {
  const Dataset set = randomSet();
  RunSettings run = distgnn(2);
  run.training.learningRate = 0;
  Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  for (std::int32_t epoch = 0; epoch < 30; ++epoch) {
    t.method->prepareProbe();
    t.method->runEpoch(epoch);
    const double far = largestStaleness(t);
    if (epoch == 0 && worldSize() > 1) CHECK(far > 1e-3);
    if (epoch > 25) CHECK(far < kTolerance);  // forward after 10 epochs, gradients as many later
  }
}

// A bin's sums are r epochs old when they come. They are used until the next come, r epochs later.
TEST_CASE("distgnn's late sums are r epochs old when they come, and (3r - 1) / 2 in the mean", "[distgnn]") {
  const Dataset set = randomSet();
  for (const std::int64_t r : {1, 2, 3}) {
    Trained t(MPI_COMM_WORLD, set, distgnn(r), scatteredOwners(set, worldSize()));
    std::map<std::pair<Pass, int>, double> cycle;  // sums over r epochs in a row
    const bool splits = t.method->holdings()->boundary + t.method->holdings()->remote > 0;
    for (std::int64_t epoch = 0; epoch < 3 * r; ++epoch) {
      t.method->prepareProbe();
      t.method->runEpoch(static_cast<std::int32_t>(epoch));
      for (const Staleness& row : t.method->probeStaleness()) {
        CAPTURE(r, epoch, row.layer, row.pass);
        if (worldSize() == 1) {
          CHECK(row.age == 0);
          continue;
        }
        if (epoch < r || !splits) CHECK_FALSE(row.age);
        if (epoch == r) CHECK(row.age.value_or(static_cast<double>(r)) == Approx(static_cast<double>(r)));
        if (epoch >= 2 * r) cycle[{row.pass, row.layer}] += row.age.value_or(0);
      }
    }
    for (const auto& [place, ages] : cycle)
      if (splits) CHECK(ages / static_cast<double>(r) == Approx(static_cast<double>(3 * r - 1) / 2));
    CHECK(cycle.size() == (worldSize() == 1 ? 0u : 3u));  // two layers, and one that returns gradients
  }
}

TEST_CASE("distgnn that never sends its sums is as stale as they are incomplete", "[distgnn]") {
  const Dataset set = randomSet();
  for (const std::int64_t delay : {-1, 0}) {
    CAPTURE(delay);
    Trained t(MPI_COMM_WORLD, set, distgnn(delay), scatteredOwners(set, worldSize()));
    for (std::int32_t epoch = 0; epoch < 3; ++epoch) {
      t.method->prepareProbe();
      t.method->runEpoch(epoch);
      const std::vector<Staleness> rows = t.method->probeStaleness();
      CHECK((largest(t, rows) > 1e-3) == (delay < 0 && worldSize() > 1));
      for (const Staleness& row : rows) CHECK(row.age.has_value() == (delay == 0 || worldSize() == 1));
    }
  }
  // before the first bin has come, late sums are local ones
  const auto firstOf = [&](std::int64_t delay) {
    Trained t(MPI_COMM_WORLD, set, distgnn(delay), scatteredOwners(set, worldSize()));
    t.method->prepareProbe();
    t.method->runEpoch(0);
    return largestStaleness(t);
  };
  CHECK(firstOf(-1) == Approx(firstOf(5)).epsilon(kTolerance));
}

TEST_CASE("distgnn sends one bin of r an epoch, as predicted", "[distgnn]") {
  const Dataset set = randomSet();
  for (const std::string backward : {"exact", "public"}) {
    std::int64_t wholeBytes = 0;
    for (const std::int64_t r : {0, 1, 3}) {
      CAPTURE(backward, r);
      Trained t(MPI_COMM_WORLD, set, distgnn(r, backward), scatteredOwners(set, worldSize()));
      std::int64_t bytes = 0, returned = 0;
      for (std::int32_t epoch = 0; epoch < 6; ++epoch) {
        t.method->runEpoch(epoch);
        const Flows measured = measuredOf(t);
        CHECK(measured == predictedIn(t, epoch));
        for (const auto& [key, flow] : measured) {
          if (std::get<0>(key) >= 0) bytes += flow.second;
          if (std::get<1>(key) == Pass::backward) returned += flow.second;
        }
      }
      bytes = t.comm.sum(bytes) * std::max<std::int64_t>(r, 1);
      if (r == 0) wholeBytes = bytes;
      CHECK(bytes == wholeBytes);  // of six epochs: every bin has its turn equally often
      CHECK((t.comm.sum(returned) > 0) == (backward == "exact" && worldSize() > 1));
    }
  }
}

TEST_CASE("distgnn that sums locally equals one worker where no vertex is cut, and else does not",
          "[distgnn]") {
  const int parts = worldSize();
  std::vector<Arc> within, across;
  Owners owners;
  for (Vertex v = 0; v < 12 * parts; ++v) {
    owners.push_back(v / 12);
    const Vertex block = v / 12 * 12;
    within.push_back({v, block + (v * 5 + 1) % 12});
    within.push_back({v, block + (v * 7 + 3) % 12});
    across.push_back({v, (v * 5 + 13) % (12 * parts)});
  }
  for (const bool cut : {false, true}) {
    std::vector<Arc> arcs = within;
    if (cut) arcs.insert(arcs.end(), across.begin(), across.end());
    const Dataset set = datasetOf("blocks", 12 * parts, arcs, true);
    RunSettings run = distgnn(-1);
    run.model.dropout = 0.5;
    Trained single = oneWorker(set, run);
    Trained many(MPI_COMM_WORLD, set, run, owners);
    CHECK((replicationOf(many) == 1) == (!cut || parts == 1));
    double apart = 0;
    for (std::int32_t epoch = 0; epoch < 5; ++epoch) {
      apart = larger(apart, std::abs(single.method->runEpoch(epoch) - many.method->runEpoch(epoch)));
      for (const auto& [key, flow] : measuredOf(many)) CHECK(std::get<0>(key) == -1);
      // a pass over all clones' sums: as right where vertices are cut; rounding may tip a score or two
      const double margin = sizeof(Scalar) == 8 ? 0 : 2.0 / static_cast<double>(many.share.trainVertices);
      const double actual = *many.method->evaluate().train, expected = *single.method->evaluate().train;
      if (!cut) CHECK(std::abs(actual - expected) <= margin);
    }
    if (!cut || parts == 1)
      CHECK(apart < kTolerance);
    else
      CHECK(apart > 1e-4);
  }
}

TEST_CASE("distgnn trains on the partitioner's own vertex cut and tells its replication", "[distgnn]") {
  const Dataset set = randomSet();
  PartitionRequest request;
  request.parts = worldSize();
  RunSettings run = distgnn(0);
  run.partition.method = "vertex-cut";
  const Owners owners = partition(set.arcs, "vertex-cut", request);
  Trained single = oneWorker(set, run);
  Trained many(MPI_COMM_WORLD, set, run, owners);
  const VertexCutQuality quality = measure(many.propagation, many.arcs, worldSize());
  CHECK(replicationOf(many) == Approx(quality.replication));
  CHECK(many.method->metrics().at("arc_imbalance") == Approx(quality.imbalance));
  for (std::int32_t epoch = 0; epoch < 3; ++epoch)
    CHECK(many.method->runEpoch(epoch) == Approx(single.method->runEpoch(epoch)).epsilon(kTolerance));
}

TEST_CASE("distgnn's public backward pass is another training unless there is one worker", "[distgnn]") {
  const Dataset set = randomSet();
  Trained single = oneWorker(set, distgnn(0));
  Trained many(MPI_COMM_WORLD, set, distgnn(0, "public"), scatteredOwners(set, worldSize()));
  double apart = 0;
  for (std::int32_t epoch = 0; epoch < 5; ++epoch)
    apart = larger(apart, std::abs(single.method->runEpoch(epoch) - many.method->runEpoch(epoch)));
  CHECK((apart < kTolerance) == (worldSize() == 1));
}

TEST_CASE("distgnn scores every training vertex once, also where the loss counts clones", "[distgnn]") {
  const Dataset set = randomSet();
  for (const std::string backward : {"exact", "public"}) {
    CAPTURE(backward);
    Trained many(MPI_COMM_WORLD, set, distgnn(0, backward), scatteredOwners(set, worldSize()));
    for (std::int32_t epoch = 0; epoch < 3; ++epoch) {
      many.method->runEpoch(epoch);
      const double train = *many.method->evaluate().train;
      std::int64_t right = 0, all = 0;  // of own vertices, whose rows come first
      const Matrix& logits = *many.method->logits();
      for (std::size_t i = 0; i < many.share.graph.owned.size(); ++i) {
        if (many.share.train[i] == 0) continue;
        ++all;
        const auto row = logits.row(static_cast<Index>(i));
        right += std::ranges::max_element(row) - row.begin() == many.share.labels[i] ? 1 : 0;
      }
      CHECK(train == static_cast<double>(many.comm.sum(right)) / static_cast<double>(many.comm.sum(all)));
    }
  }
}
