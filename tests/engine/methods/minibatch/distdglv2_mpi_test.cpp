// distdglv2 against minibatch on the same owners, against plain loops, and what it prepares beside training.
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;

/// Of vertices as METIS and as somebody else places them.
RunSettings settingsOf(const SlowPlan& plan, const std::string& kind, std::int64_t ahead,
                       const std::string& partitioner, std::int64_t machines = 1) {
  RunSettings run = plan.settings("distdglv2", kind, 0.5);
  run.partition.method = partitioner;
  return with(with(run, "ahead", ahead), "machines", machines);
}

std::vector<SlowPlan> plans() {
  const SlowPlan plain{.fanouts = {2, 3}, .batch = 3};
  std::vector<SlowPlan> all(5, plain);
  all[1].replace = all[1].block = true;
  all[2] = {.fanouts = {2, 2}, .global = true, .dropLast = true, .batch = 2};
  all[3].fanouts = {4};
  all[4].fanouts = {1, 2, 2};
  return all;
}

bool possible(const SlowPlan& plan, const Dataset& set) {
  const std::int64_t batch = plan.global ? std::int64_t{plan.batch} * worldSize() : plan.batch;
  return batch <= std::ranges::count(set.split, Split::train);
}

}  // namespace

TEST_CASE("batches prepared beside training give minibatch's bits, and send what it sends",
          "[minibatch][volume]") {
  int count = 0;
  for (const Dataset& set : hardGraphs())
    for (const SlowPlan& plan : plans())
      for (const std::int64_t ahead : {0, 1, 3}) {
        if (!possible(plan, set)) continue;
        CAPTURE(set.name, plan.fanoutText(), plan.global, ahead);
        const RunSettings run = settingsOf(plan, "graphsage", ahead, "random");
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        RunSettings plainly = plan.settings("minibatch", "graphsage", 0.5);
        Trained alike(MPI_COMM_WORLD, set, plainly, many.owners);
        for (int epoch = 0; epoch < 3; ++epoch) {
          CHECK(many.method->runEpoch(epoch) == alike.method->runEpoch(epoch));
          CHECK(many.comm.underWay() == 0);
          CHECK(many.method->decided() == alike.method->decided());
          const Flows sent = measuredOf(many);
          CHECK(sent == measuredOf(alike));
          CHECK(sent == predictedOf(many, epoch == 0));
        }
        for (std::size_t w = 0; w < many.model->weights().size(); ++w)
          CHECK(std::ranges::equal(many.model->weights()[w].second->value.values(),
                                   alike.model->weights()[w].second->value.values()));
        ++count;
      }
  CHECK(count > 20);
}

TEST_CASE("batches prepared beside training are those of plain loops", "[minibatch]") {
  for (const Dataset& set : hardGraphs()) {
    const SlowPlan plan = plans().front();
    if (!possible(plan, set)) continue;
    CAPTURE(set.name);
    Trained many(MPI_COMM_WORLD, set, settingsOf(plan, "gcn", 2, "metis", worldSize() % 2 == 0 ? 2 : 1),
                 scatteredOwners(set, worldSize()));
    SlowBatches slowly(plan, many, set);
    for (int epoch = 0; epoch < 4; ++epoch) {
      const double expected = slowly.runEpoch(epoch);
      CHECK(many.method->runEpoch(epoch) ==
            Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
      CHECK(many.method->decided() == slowPulls(plan, set, many.owners, worldSize(), 1, epoch));
    }
    CHECK(slowly.farthestFrom(many) < kManyEpochs);
  }
}

namespace {

/// For how long this rank computed in layers while draws or features were on their way to it, ns.
std::int64_t hiddenNs(const Tracer& tracer) {
  std::int64_t hidden = 0;
  for (const Span& arrives : tracer.spans()) {
    if (arrives.lane != Lane::link || arrives.name != Name::receive || arrives.layer < 0) continue;
    for (const Span& computes : tracer.spans()) {
      if (computes.lane != Lane::main || computes.kind != Kind::compute || computes.layer < 0 ||
          computes.name == Name::sample || computes.name == Name::gather)
        continue;
      const std::int64_t begin = std::max(arrives.beginNs, computes.beginNs),
                         end = std::min(arrives.endNs(), computes.endNs());
      hidden += std::max<std::int64_t>(end - begin, 0);
    }
  }
  return hidden;
}

}  // namespace

TEST_CASE("messages of a batch to come are on their way while a rank computes, and none without",
          "[minibatch]") {
  if (worldSize() == 1 || std::getenv(kMovesVariable) != nullptr) return;
  const Dataset set = hardGraphs().front();
  const SlowPlan plan{.fanouts = {2, 3}, .global = true, .batch = 2};
  for (const std::int64_t ahead : {0, 1}) {
    Trained many(MPI_COMM_WORLD, set, settingsOf(plan, "graphsage", ahead, "random"),
                 scatteredOwners(set, worldSize()));
    many.comm.emulate({10.0, 300.0});  // a message takes longer than the kernels of these batches
    many.method->runEpoch(0);
    CHECK(many.tracer.dropped() == 0);
    const std::int64_t hidden = many.comm.sum(hiddenNs(many.tracer));
    if (ahead == 0)
      CHECK(hidden == 0);
    else
      CHECK(hidden > 0);
    many.comm.barrier();
  }
}

namespace {

/// Largest over mean of what parts hold.
double imbalanceOf(const Owners& owners, const std::vector<std::int64_t>& weights, int parts, int together) {
  std::vector<double> loads(at(parts / together), 0);
  double all = 0;
  for (std::size_t v = 0; v < owners.size(); ++v) {
    loads[at(owners[v] / together)] += static_cast<double>(weights[v]);
    all += static_cast<double>(weights[v]);
  }
  return std::ranges::max(loads) * static_cast<double>(loads.size()) / all;
}

}  // namespace

TEST_CASE("vertices are placed on machines and then on their ranks, training vertices spread evenly",
          "[minibatch]") {
  if (worldSize() > 1) return;
  Dataset set = datasetOf("large", 2000, randomArcs(2000, 8000, 5), false);
  for (std::size_t v = 0; v < set.split.size(); ++v) set.split[v] = v < 400 ? Split::train : Split::test;
  RunSettings run = settingsFor("distdglv2", "gcn", 2, 6);
  run = with(run, "machines", std::int64_t{2});
  constexpr int kParts = 6;
  const PlacementRequest request{set.arcs, kParts, run.parameters, {}, {}, set.split, metisOf(run)};
  const Owners owners = placeVertices(*find<MethodEntry>("distdglv2"), request).owners;
  std::vector<std::int64_t> ones(owners.size(), 1), arcs, trains;
  for (Index v = 0; v < set.vertices(); ++v) {
    arcs.push_back(set.arcs.degree(v));
    trains.push_back(set.split[at(v)] == Split::train ? 1 : 0);
  }
  for (const auto& weights : {ones, arcs, trains}) {
    CHECK(imbalanceOf(owners, weights, kParts, 3) < 1.06);
    CHECK(imbalanceOf(owners, weights, kParts, 1) < 1.12);
  }
  const auto cut = [&](int together, const Owners& placed) {
    std::int64_t arcsCut = 0;
    for (Index v = 0; v < set.vertices(); ++v)
      arcsCut += std::ranges::count_if(
          set.arcs.row(v), [&](Vertex u) { return placed[at(u)] / together != placed[at(v)] / together; });
    return arcsCut;
  };
  CHECK(cut(3, owners) < cut(3, scatteredOwners(set.vertices(), kParts)));
}

TEST_CASE("machines that do not divide the workers are refused, and a balance that nothing reads",
          "[minibatch]") {
  RunSettings run = with(settingsFor("distdglv2", "gcn", 2, 6), "machines", std::int64_t{3});
  run.cluster.workers = 4;
  run.partition.parameters["balance"] = std::string("nonzeros");
  const auto problems = refusals(*find<MethodEntry>("distdglv2"), run);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].key == "run.machines");
  CHECK(problems[0].message == "3 does not divide the 4 workers of cluster.workers");
  CHECK(problems[1].key == "partition.balance");
  run.partition.method = "metis-volume";
  CHECK(refusals(*find<MethodEntry>("distdglv2"), run).size() == 1);
}
