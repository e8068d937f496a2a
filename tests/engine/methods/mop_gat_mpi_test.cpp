// The invariants of attention in MoP and on its grids. That they give what one worker gives,
// stands among the identity tests too; here with heads that are shared out and heads that are cut.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr int kLayers = 3;
constexpr Index kHidden = 24;
constexpr double kSame = sizeof(Scalar) == 8 ? 1e-10 : 2e-5;

RunSettings settingsOf(const std::string& method, Index heads, Index hidden = kHidden) {
  RunSettings run = settingsFor(method, "gat", kLayers, hidden, 0.5);
  run.model.heads = heads;
  run.model.norm = "layer";
  run.cluster.workers = worldSize();
  return run;
}

double largestDifference(std::span<const Scalar> a, std::span<const Scalar> b) {
  double most = 0, size = 1e-2;  // where all terms cancel, what is left is their rounding
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = larger(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return most / size;
}

/// Of logits of the own rows and gradients.
double difference(Trained& many, Trained& single) {
  double most = 0;
  const Matrix& own = *many.method->logits();
  for (std::size_t i = 0; i < many.share.graph.owned.size(); ++i)
    most = larger(most, largestDifference(own.row(static_cast<Index>(i)),
                                          single.method->logits()->row(many.share.graph.owned[i])));
  const auto actual = many.model->weights(), expected = single.model->weights();
  for (std::size_t w = 0; w < expected.size(); ++w)
    most = larger(
        most, largestDifference(actual[w].second->gradient.values(), expected[w].second->gradient.values()));
  return most;
}

Owners ofOne(const Dataset& set) { return Owners(at(set.vertices()), 0); }

}  // namespace

TEST_CASE("heads shared out and heads cut give what one worker gives", "[mop][gat]") {
  for (const Dataset& set : hardGraphs()) {
    for (const Index heads : {1, 3, 12}) {
      Trained single(MPI_COMM_SELF, set, settingsOf("single", heads), ofOne(set));
      const double loss = single.method->runEpoch(0);
      for (const std::string adjacency : {"whole", "ring"}) {
        CAPTURE(set.name, heads, adjacency);
        Trained many(MPI_COMM_WORLD, set, with(settingsOf("mop", heads), "adjacency", adjacency), {});
        CHECK(many.method->runEpoch(0) == Approx(loss).epsilon(kSame));
        CHECK(difference(many, single) <= kSame);
        CHECK(measuredOf(many) == predictedOf(many, true));
      }
    }
  }
}

TEST_CASE("twenty epochs of attention in mop follow one worker's", "[mop][gat]") {
  const Dataset set = hardGraphs()[0];
  for (const Index heads : {2, 12}) {
    Trained single(MPI_COMM_SELF, set, settingsOf("single", heads), ofOne(set));
    Trained sliced(MPI_COMM_WORLD, set, settingsOf("mop", heads), {});
    Trained ring(MPI_COMM_WORLD, set, with(settingsOf("mop", heads), "adjacency", "ring"), {});
    for (int epoch = 0; epoch < 20; ++epoch) {
      CAPTURE(heads, epoch);
      const double loss = single.method->runEpoch(epoch);
      const double tolerance = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;
      CHECK(sliced.method->runEpoch(epoch) == Approx(loss).epsilon(tolerance));
      CHECK(ring.method->runEpoch(epoch) == Approx(loss).epsilon(tolerance));
    }
  }
}

TEST_CASE("attention in mop sends 2 n (P-1)/P widths and 2 heads n (P-1) scores a pass of a layer",
          "[mop][gat][volume]") {
  const Index P = worldSize();
  for (const Index heads : {1, 4, 12}) {
    Trained t(MPI_COMM_WORLD, evenSet(), settingsOf("mop", heads), {});
    for (int epoch = 0; epoch < 2; ++epoch) {
      t.method->runEpoch(epoch);
      std::map<std::pair<int, Pass>, std::pair<std::int64_t, std::int64_t>> sent;
      for (const auto& [key, flow] : measuredOf(t)) {
        auto& pass = sent[{std::get<0>(key), std::get<1>(key)}];
        pass.first += flow.first;
        pass.second += flow.second;
      }
      for (int l = 0; l < kLayers; ++l) {
        const Index width = l + 1 < kLayers ? kHidden : heads * t.share.classes;
        for (const Pass pass : {Pass::forward, Pass::backward}) {
          CAPTURE(heads, epoch, l, static_cast<int>(pass));
          if (width < P) continue;  // empty slices: no messages
          const auto [messages, bytes] = sent[{l, pass}];
          CHECK(t.comm.sum(messages) == 3 * P * (P - 1));
          CHECK(t.comm.sum(bytes) == (2 * kEven * (P - 1) / P * width + 2 * heads * kEven * (P - 1)) *
                                         static_cast<Index>(sizeof(Scalar)));
        }
      }
    }
  }
}

TEST_CASE("all workers of mop attend equally much, together what one does", "[mop][gat]") {
  // one worker makes the scores of the edges' sources once more backward; shared scores are kept
  const auto once = [](Index vertices, Index hidden, Index heads) {
    return 2 * vertices * ((kLayers - 1) * hidden + heads * 3);
  };
  // as many heads as every number of ranks divides
  Trained even(MPI_COMM_WORLD, evenSet(), settingsOf("mop", kEven, kEven), {});
  Trained single(MPI_COMM_SELF, evenSet(), settingsOf("single", kEven, kEven), Owners(kEven, 0));
  even.method->runEpoch(0);
  single.method->runEpoch(0);
  const std::int64_t own = flopOf(even), total = flopOf(single);
  CHECK(even.comm.max(own) == even.comm.min(own));
  CHECK(even.comm.sum(own) == total - (worldSize() > 1 ? once(kEven, kEven, kEven) : 0));

  // with floors, and with heads that several workers attend with: nothing is done twice all the same
  const Dataset set = hardGraphs()[0];
  for (const Index heads : {2, 8}) {
    Trained reference(MPI_COMM_SELF, set, settingsOf("single", heads), ofOne(set));
    reference.method->runEpoch(0);
    const std::int64_t expected = flopOf(reference);
    for (const std::string adjacency : {"whole", "ring"}) {
      CAPTURE(heads, adjacency);
      Trained t(MPI_COMM_WORLD, set, with(settingsOf("mop", heads), "adjacency", adjacency), {});
      t.method->runEpoch(0);
      const bool shares = worldSize() > 1 || adjacency == "ring";
      CHECK(t.comm.sum(flopOf(t)) == expected - (shares ? once(60, kHidden, heads) : 0));
    }
  }
}

TEST_CASE("attention in mop keeps own rows of the features, and columns of all else", "[mop][gat]") {
  const auto bytesOf = [](Trained& t, MemoryOf purpose) { return t.method->memory()[at(purpose)]; };
  const Index P = worldSize(), heads = 4;
  Trained t(MPI_COMM_WORLD, evenSet(), settingsOf("mop", heads, kEven), {});
  Trained all(MPI_COMM_SELF, evenSet(), settingsOf("mop", heads, kEven), Owners(kEven, 0));
  for (Trained* each : {&t, &all}) each->method->runEpoch(0);
  const auto scalar = static_cast<Index>(sizeof(Scalar));
  CHECK(bytesOf(t, MemoryOf::features) == kEven / P * kEven * scalar);
  // of every layer Y and Z, hidden and, in the last, heads · classes wide
  CHECK(bytesOf(t, MemoryOf::exchange) >= 2 * kEven * 2 * (kEven / P) * scalar);
  CHECK(P * bytesOf(t, MemoryOf::exchange) < 2 * bytesOf(all, MemoryOf::exchange));
}

TEST_CASE("with attention too a grid of one group is mop, one of one slice is vanilla",
          "[mop][gat][volume]") {
  const int P = worldSize();
  const std::vector<Dataset> sets = hardGraphs();
  for (const std::size_t index : {0U, 2U, 4U, 6U}) {
    const Dataset& set = sets[index];
    CAPTURE(set.name);
    const auto same = [&](const std::string& method, const std::string& shape) {
      CAPTURE(method, shape);
      const Owners owners = scatteredOwners(set, P);
      Trained expected(MPI_COMM_WORLD, set, settingsOf(method, 3), owners);
      Trained actual(MPI_COMM_WORLD, set, with(settingsOf("mop-partition", 3), "grid", shape), owners);
      CHECK(actual.owners == expected.owners);
      for (int epoch = 0; epoch < 2; ++epoch) {
        CHECK(actual.method->runEpoch(epoch) == expected.method->runEpoch(epoch));  // to the bit
        CHECK(measuredOf(actual) == measuredOf(expected));
      }
    };
    same("mop", gridText(1, P));
    same("vanilla", gridText(P, 1));
  }
}

TEST_CASE("attention on every grid gives what one worker gives and sends what its closed form says",
          "[mop][gat][volume]") {
  const int P = worldSize();
  const Dataset set = hardGraphs()[0];
  Trained single(MPI_COMM_SELF, set, settingsOf("single", 8), ofOne(set));
  std::vector<std::unique_ptr<Trained>> grids;
  for (int groups = 1; groups <= P; ++groups) {
    if (P % groups != 0) continue;
    for (const std::string rows : {"contiguous", "block-cyclic"}) {
      const RunSettings run = with(settingsOf("mop-partition", 8), "grid", gridText(groups, P / groups));
      grids.push_back(std::make_unique<Trained>(MPI_COMM_WORLD, set, with(run, "rows", rows), Owners()));
    }
  }
  for (int epoch = 0; epoch < 5; ++epoch) {
    const double loss = single.method->runEpoch(epoch);
    for (const auto& many : grids) {
      CAPTURE(epoch, many->settings.parameters.text("grid"), many->settings.parameters.text("rows"));
      CHECK(many->method->runEpoch(epoch) == Approx(loss).epsilon(sizeof(Scalar) == 8 ? 1e-10 : 1e-4));
      if (epoch == 0) CHECK(difference(*many, single) <= kSame);
      CHECK(measuredOf(*many) == predictedOf(*many, epoch == 0));
    }
  }
}

TEST_CASE("mop says which of its rules a run with attention breaks", "[mop][gat]") {
  const MethodEntry& mop = *find<MethodEntry>("mop");
  const MethodEntry& mixed = *find<MethodEntry>("mop-partition");
  RunSettings run = settingsOf("mop", 2, 8);
  run.cluster.workers = 8;
  CHECK(refusals(mop, run).empty());
  const std::vector<Index> widths = {3, 8, 8, 4};  // fewer features than workers are no matter
  CHECK(mop.refuseData(run, {widths}).empty());
  const std::vector<Index> narrow = {3, 8, 8, 3};
  auto problems = mop.refuseData(run, {narrow});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "cluster.workers");
  CHECK(problems[0].message ==
        "mop cuts the columns of every aggregated layer into 8 slices, one a worker, and model.heads · the "
        "number of classes is 6; at most 6 slices");
  run.cluster.workers = 9;
  problems = refusals(mop, run);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "cluster.workers");
  run.cluster.workers = 8;
  run.model.order = "aggregate-first";
  problems = refusals(mop, run);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "model.order");
  run.model.order = "update-first";
  CHECK(refusals(mop, run).empty());
  run.parameters.insert_or_assign("layer0_cache", Value(true));
  problems = refusals(mop, run);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "run.layer0_cache");

  RunSettings between = with(settingsOf("mop-partition", 2, 8), "grid", "2x4");
  between.cluster.workers = 8;
  problems = refusals(mixed, between);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "run.grid");
  CHECK(
      problems[0].message ==
      "2x4 has more slices than gat has heads (model.heads = 2), and between groups a worker makes the "
      "scores of the rows it fetches from their columns, which must be whole heads for that; use at most as "
      "many slices as heads, or one group, 1x8");
  for (const std::string fits : {"1x8", "4x2", "8x1"})
    CHECK(refusals(mixed, with(between, "grid", fits)).empty());
  between.model.heads = 4;
  CHECK(refusals(mixed, between).empty());
}
