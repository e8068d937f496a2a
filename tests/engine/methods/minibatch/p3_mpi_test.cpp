// p3 against plain loops, against minibatch on the same owners, and what it sends against its closed form.
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;
constexpr std::int64_t kWider = sizeof(Scalar) / 4;  // the pages of the design count in float

const std::string kMethod = "p3";

std::vector<SlowPlan> plans() {
  const SlowPlan plain{.fanouts = {2, 3}, .batch = 3};
  std::vector<SlowPlan> all(7, plain);
  all[1].replace = all[1].block = true;
  all[2] = {.fanouts = {2, 2}, .global = true, .dropLast = true, .batch = 2};
  all[3].fanouts = {4};
  all[4].fanouts = {1, 2, 2};
  all[5].plain = true;
  all[6].fanouts = {slow::kAll, 2};
  return all;
}

/// Where the method puts so many vertices, whatever their arcs.
Owners hashedOwners(Index vertices) {
  const RunSettings run = settingsFor(kMethod, "gcn", 2, 6);
  const Csr arcs = buildCsr(vertices, {}, /*keepSelfLoops=*/false);
  return placeVertices(*find<MethodEntry>(kMethod), {arcs, worldSize(), run.parameters, {}}).owners;
}

bool possible(const SlowPlan& plan, const Dataset& set) {
  const std::int64_t batch = plan.global ? std::int64_t{plan.batch} * worldSize() : plan.batch;
  return batch <= std::ranges::count(set.split, Split::train) &&
         !slowSeeds(plan, set, hashedOwners(set.vertices()), worldSize(), 1, 0).empty();
}

/// use(set, plan), of all that these training vertices allow.
template <class Use>
int eachPlan(const Use& use) {
  int count = 0;
  for (const Dataset& set : hardGraphs())
    for (const SlowPlan& plan : plans()) {
      if (!possible(plan, set)) continue;
      CAPTURE(set.name, plan.fanoutText(), plan.replace, plan.block, plan.global, plan.dropLast, plan.plain);
      use(set, plan);
      ++count;
    }
  return count;
}

/// Method::decided, from plain loops.
std::vector<RowTable> slowDecided(const SlowPlan& plan, const Dataset& set, const Owners& owners, int epoch) {
  const int ranks = worldSize();
  std::vector<RowTable> tables = slowPulls(plan, set, owners, ranks, 1, epoch);
  tables.erase(tables.begin(), tables.begin() + 2);
  const RowTable none(at(ranks), std::vector<std::int64_t>(at(ranks), 0));
  RowTable targets = none, arcs = none, busy = none;
  const slow::Rows rows = slowRows(set.arcs);
  const SlowSeeds seeds = slowSeeds(plan, set, owners, ranks, 1, epoch);
  for (std::size_t t = 0; t < seeds.size(); ++t)
    for (int b = 0; b < ranks; ++b) {
      const slow::Batch batch =
          slow::batch(rows, seeds[t][at(b)], {1, at(epoch) * seeds.size() + t}, plan.fanouts, plan.replace);
      for (int q = 0; q < ranks; ++q) {
        if (q == b) continue;
        targets[at(b)][at(q)] += std::ssize(batch.V[1]);
        busy[at(b)][at(q)] += batch.V[1].empty() ? 0 : 1;
        for (const auto& drawn : batch.E[1]) arcs[at(b)][at(q)] += std::ssize(drawn);
      }
    }
  for (const RowTable& table : {targets, arcs, busy}) tables.insert(tables.end() - 1, table);
  return tables;
}

/// Bytes of all ranks in an epoch that was just trained. Collective.
struct Moved {
  std::int64_t blocks = 0, forward = 0, backward = 0, sums = 0;
};
Moved movedBy(Trained& many) {
  Moved moved;
  for (const auto& [key, flow] : measuredOf(many)) {
    const auto [layer, pass, peer] = key;
    (layer < 0               ? moved.sums
     : pass == Pass::forward ? moved.forward
     : pass == Pass::none    ? moved.blocks
                             : moved.backward) += flow.second;
  }
  for (std::int64_t* bytes : {&moved.blocks, &moved.forward, &moved.backward, &moved.sums})
    *bytes = many.comm.sum(*bytes);
  return moved;
}

}  // namespace

TEST_CASE("slices of the features train as plain loops over all columns do", "[minibatch]") {
  for (const std::string kind : {"gcn", "graphsage"})
    for (const double dropout : {0.0, 0.5}) {
      const int count = eachPlan([&](const Dataset& set, const SlowPlan& plan) {
        CAPTURE(kind, dropout);
        Trained many(MPI_COMM_WORLD, set, plan.settings(kMethod, kind, dropout),
                     scatteredOwners(set, worldSize()));
        SlowBatches slowly(plan, many, set);
        for (int epoch = 0; epoch < 4; ++epoch) {
          CAPTURE(epoch);
          const double expected = slowly.runEpoch(epoch);
          CHECK(many.method->runEpoch(epoch) ==
                Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
        }
        CHECK(slowly.farthestFrom(many) < kManyEpochs);
      });
      CHECK(count > 20);
    }
}

TEST_CASE("three batches in flight train as plain loops do whose weights are as old, and send what one does",
          "[minibatch][volume]") {
  double farthest = 0;  // of these losses from those of one batch in flight
  for (const std::string kind : {"gcn", "graphsage"}) {
    const int count = eachPlan([&](const Dataset& set, const SlowPlan& plan) {
      CAPTURE(kind);
      const RunSettings run = plan.settings(kMethod, kind, 0.5);
      Trained many(MPI_COMM_WORLD, set, with(run, "pipeline", std::string("3")),
                   scatteredOwners(set, worldSize()));
      Trained reference(MPI_COMM_WORLD, set, run, many.owners);
      SlowBatches slowly(plan, many, set);
      for (int epoch = 0; epoch < 4; ++epoch) {
        CAPTURE(epoch);
        const double expected = slowly.runEpochInStages(epoch);
        const double loss = many.method->runEpoch(epoch);
        CHECK(loss == Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
        CHECK(many.comm.underWay() == 0);
        farthest = std::max(farthest, std::abs(loss - reference.method->runEpoch(epoch)));
        const Flows sent = measuredOf(many);
        CHECK(sent == measuredOf(reference));
        CHECK(sent == predictedOf(many, epoch == 0));
      }
      CHECK(slowly.farthestFrom(many) < kManyEpochs);
    });
    CHECK(count > 20);
  }
  CHECK(farthest > 1e-3);
}

TEST_CASE("what slices of the features send is the closed form of what plain loops find",
          "[minibatch][volume]") {
  eachPlan([](const Dataset& set, const SlowPlan& plan) {
    Trained many(MPI_COMM_WORLD, set, plan.settings(kMethod, "graphsage", 0.5),
                 scatteredOwners(set, worldSize()));
    CHECK(many.owners == hashedOwners(set.vertices()));
    for (int epoch = 0; epoch < 3; ++epoch) {
      many.method->runEpoch(epoch);
      many.method->evaluate();
      CHECK(many.comm.underWay() == 0);
      CHECK(many.method->decided() == slowDecided(plan, set, many.owners, epoch));
      CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
    }
  });
}

namespace {

struct Form {
  std::string kind, norm, position;
  bool learnEpsilon = false;

  RunSettings settings(const SlowPlan& plan, const std::string& method) const {
    RunSettings run = plan.settings(method, kind, 0.5);
    run.model.norm = norm;
    run.model.dropoutPosition = position;
    run.model.learnEpsilon = learnEpsilon;
    return run;
  }
};

std::vector<Form> forms() {
  return {{"gin", "none", "before-aggregation"},
          {"gin", "layer", "before-aggregation", true},
          {"gcn", "layer", "after-aggregation"},
          {"graphsage", "layer", "after-aggregation"},
          {"graphsage-self", "none", "before-aggregation"},
          {"graphsage-gcn", "none", "before-aggregation"}};
}

}  // namespace

TEST_CASE("slices of the features train as minibatch does, perceptrons, norms and late dropout too",
          "[minibatch]") {
  for (const Dataset& set : hardGraphs())
    for (const Form& form : forms()) {
      CAPTURE(set.name, form.kind, form.norm, form.position, form.learnEpsilon);
      const SlowPlan plan = plans().front();
      if (!possible(plan, set)) continue;
      Trained many(MPI_COMM_WORLD, set, form.settings(plan, kMethod), scatteredOwners(set, worldSize()));
      Trained pulling(MPI_COMM_WORLD, set, form.settings(plan, "minibatch"), many.owners);
      for (int epoch = 0; epoch < 4; ++epoch) {
        CAPTURE(epoch);
        CHECK(many.method->runEpoch(epoch) == Approx(pulling.method->runEpoch(epoch))
                                                  .epsilon(epoch == 0 ? kOneEpoch : kManyEpochs)
                                                  .margin(1e-12));
        const std::int64_t flop = flopOf(many), expected = flopOf(pulling);
        if (!form.learnEpsilon) CHECK(many.comm.sum(flop) == many.comm.sum(expected));
      }
      const EpochRow actual = many.method->evaluate(), expected = pulling.method->evaluate();
      if (sizeof(Scalar) == 8) CHECK(actual.train == expected.train);
    }
}

TEST_CASE("three batches in flight train alike on any number of workers", "[minibatch]") {
  const Dataset set = hardGraphs().front();
  for (const Form& form : forms()) {
    CAPTURE(form.kind, form.norm, form.position, form.learnEpsilon);
    const SlowPlan plan{.fanouts = {2, 3}, .global = true, .globalBatch = 3};
    const RunSettings run = with(form.settings(plan, kMethod), "pipeline", std::string("3"));
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    Trained alone(MPI_COMM_SELF, set, run, scatteredOwners(set, 1));
    for (int epoch = 0; epoch < 4; ++epoch) {
      CAPTURE(epoch);
      CHECK(
          many.method->runEpoch(epoch) ==
          Approx(alone.method->runEpoch(epoch)).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
    }
  }
}

TEST_CASE("ranks without a column of the features take part", "[minibatch][volume]") {
  Dataset set = hardGraphs().front();
  for (const Index width : {1, 2}) {
    const Matrix all = set.features;
    Dataset narrow = set;
    narrow.features.resize(all.rows(), width);
    for (Index v = 0; v < all.rows(); ++v)
      for (Index c = 0; c < width; ++c) narrow.features(v, c) = all(v, c);
    const SlowPlan plan = plans().front();
    Trained many(MPI_COMM_WORLD, narrow, plan.settings(kMethod, "graphsage", 0.5),
                 scatteredOwners(narrow, worldSize()));
    SlowBatches slowly(plan, many, narrow);
    for (int epoch = 0; epoch < 3; ++epoch) {
      const double expected = slowly.runEpoch(epoch);
      CHECK(many.method->runEpoch(epoch) ==
            Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
      CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
    }
    CHECK(slowly.farthestFrom(many) < kManyEpochs);
  }
}

namespace {

/// Four vertices that rank 0 owns, then four of rank 1's.
std::vector<Vertex> fourOfEach(const Owners& owners) {
  std::vector<Vertex> chosen;
  for (const std::int32_t rank : {0, 1})
    for (Vertex v = 0, left = 4; at(v) < owners.size() && left > 0; ++v) {
      if (owners[at(v)] != rank) continue;
      chosen.push_back(v);
      --left;
    }
  return chosen;
}

}  // namespace

TEST_CASE("slices of the design's ring send 64 bytes of draws, 288 of blocks, 128 each way",
          "[minibatch][volume]") {
  if (worldSize() != 2) return;
  constexpr Index kVertices = 32;  // all but eight without arcs
  const std::vector<Vertex> ring = fourOfEach(hashedOwners(kVertices));
  REQUIRE(ring.size() == 8);
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < 8; ++i) arcs.push_back({ring[i], ring[(i + 1) % 8]});
  Dataset set =
      datasetOf("ring", symmetrised(buildCsr(kVertices, arcs, /*keepSelfLoops=*/false)), false, 3, 2);
  std::ranges::fill(set.split, Split::test);
  for (std::size_t i = 0; i < 8; ++i)
    if (i % 4 < 2) set.split[at(ring[i])] = Split::train;
  const SlowPlan plan{.fanouts = {slow::kAll, slow::kAll}, .batch = 2};
  RunSettings run = plan.settings(kMethod, "gcn", 0);
  run.model.hidden = 4;
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(kVertices, 2));
  many.method->runEpoch(0);
  const Moved moved = movedBy(many);
  CHECK(moved.blocks == 64 + 288);
  CHECK(moved.forward == 128 * kWider);
  CHECK(moved.backward == 128 * kWider);
  CHECK(moved.sums == 112 * kWider);
}

namespace {

std::int64_t sumOf(const RowTable& table) {
  std::int64_t sum = 0;
  for (const auto& row : table) sum += std::reduce(row.begin(), row.end(), std::int64_t{0});
  return sum;
}

}  // namespace

TEST_CASE("slices move fewer bytes than a pull where the formula says so, and more where not",
          "[minibatch][volume]") {
  if (worldSize() == 1) return;
  const std::int64_t ranks = worldSize();
  int cases = 0, fewerRows = 0, fewer = 0;
  for (const Index features : {4, 64, 400})
    for (const std::int64_t hidden : {2, 32}) {
      CAPTURE(features, hidden);
      Dataset set =
          datasetOf("large", symmetrised(buildCsr(400, randomArcs(400, 2400, 5), false)), false, features, 5);
      const SlowPlan plan{.fanouts = {5, 5}, .batch = 20};
      RunSettings run = plan.settings(kMethod, "gcn", 0);
      run.model.hidden = hidden;
      Trained pushing(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      RunSettings pulled = plan.settings("minibatch", "gcn", 0);
      pulled.model.hidden = hidden;
      Trained pulling(MPI_COMM_WORLD, set, pulled, pushing.owners);
      pushing.method->runEpoch(0);
      pulling.method->runEpoch(0);
      const std::vector<RowTable> pushTables = pushing.method->decided(),
                                  pullTables = pulling.method->decided();
      const std::int64_t remote = sumOf(pullTables.front()), targets = sumOf(pushTables[4]);
      const Moved pushes = movedBy(pushing), pulls = movedBy(pulling);
      // rows alone: (1 − 1/P) |V⁰| d_0 is `remote` d_0, and (P − 1) |V¹| is `targets`
      const std::int64_t rows = remote * features, slices = 2 * targets * hidden;
      CHECK(pushes.forward + pushes.backward == slices * static_cast<std::int64_t>(sizeof(Scalar)));
      CHECK(pulls.forward == rows * static_cast<std::int64_t>(sizeof(Scalar)));
      CHECK((pushes.forward + pushes.backward < pulls.forward) == (slices < rows));
      fewerRows += slices < rows ? 1 : 0;
      // with the numbers of blocks and rows
      const std::int64_t arcs = sumOf(pushTables[5]);
      const std::int64_t iterations = pushTables.back().front().front(), pairs = ranks * (ranks - 1);
      const std::int64_t numbers = 16 * pairs * iterations + 8 * (2 * targets + arcs),
                         asks = 8 * pairs * iterations + 8 * remote;
      const std::int64_t pushed = pushes.blocks + pushes.forward + pushes.backward,
                         fetched = pulls.blocks + pulls.forward;
      CHECK((pushed < fetched) == (numbers + slices * static_cast<std::int64_t>(sizeof(Scalar)) <
                                   asks + rows * static_cast<std::int64_t>(sizeof(Scalar))));
      fewer += pushed < fetched ? 1 : 0;
      ++cases;
    }
  for (const int side : {fewerRows, fewer}) {
    CHECK(side > 0);
    CHECK(side < cases);
  }
}

TEST_CASE("what p3 cannot train is refused by key", "[minibatch]") {
  const MethodEntry& entry = *find<MethodEntry>(kMethod);
  RunSettings run = settingsFor(kMethod, "gat", 2, 6);
  run.cluster.workers = 2;
  const auto problems = refusals(entry, run);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().key == "model.kind");
  run = settingsFor(kMethod, "gcn", 3, 6);
  run.parameters["fanouts"] = std::string("25,10");
  run.cluster.workers = 2;
  const auto lengths = refusals(entry, run);
  REQUIRE(lengths.size() == 1);
  CHECK(lengths.front().message ==
        "'25,10' has 2 numbers, and the model 3 layers; one each, from the inputs to the seeds");
  run = settingsFor(kMethod, "gcn", 2, 6);
  run.model.order = "update-first";
  CHECK_THROWS_AS(modelFor(entry, run.model), InputError);
}
