// pagraph against plain loops, against itself with caches of other sizes, and its parts against their
// definition.
#include <set>

#include "engine/methods/minibatch/training_parts.h"
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;

std::vector<SlowPlan> plans() {
  const SlowPlan plain{.fanouts = {2, 3}, .batch = 3};
  std::vector<SlowPlan> all(6, plain);
  all[1].replace = all[1].block = true;
  all[2] = {.fanouts = {2, 2}, .global = true, .dropLast = true, .batch = 2};
  all[3].fanouts = {4};
  all[4].fanouts = {1, 2, 2};
  all[5] = {.fanouts = {slow::kAll, slow::kAll}, .plain = true, .batch = 4};
  return all;
}

bool possible(const SlowPlan& plan, const Dataset& set) {
  const std::int64_t batch = plan.global ? std::int64_t{plan.batch} * worldSize() : plan.batch;
  return batch <= std::ranges::count(set.split, Split::train);
}

/// use(set, plan), of all that are possible.
template <class Use>
void eachPlan(const Use& use) {
  int count = 0;
  for (const Dataset& set : hardGraphs())
    for (const SlowPlan& plan : plans()) {
      if (!possible(plan, set)) continue;
      CAPTURE(set.name, plan.fanoutText(), plan.global, plan.replace);
      use(set, plan);
      ++count;
    }
  CHECK(count > 20);
}

/// All in-neighbours within some hops of these vertices, and they themselves.
std::set<int> closureOf(const slow::Rows& rows, std::set<int> vertices, int hops) {
  for (int hop = 0; hop < hops; ++hop) {
    const std::set<int> before = vertices;
    for (const int v : before) vertices.insert(rows[at(v)].begin(), rows[at(v)].end());
  }
  return vertices;
}

std::set<int> trainedBy(const Dataset& set, const Owners& owners, int part) {
  std::set<int> vertices;
  for (int v = 0; v < static_cast<int>(owners.size()); ++v)
    if (set.split[at(v)] == Split::train && owners[at(v)] == part) vertices.insert(v);
  return vertices;
}

/// The vertices that a rank keeps by the definition, and which share of its arcs they begin.
struct Kept {
  std::set<int> vertices;
  double expected = 0;
};
Kept keptBy(const slow::Rows& rows, const std::set<int>& trained, int layers, std::size_t capacity) {
  std::vector<std::int64_t> degree(rows.size(), 0);
  std::int64_t all = 0, keptArcs = 0;
  for (const int v : closureOf(rows, trained, layers - 1))
    for (const int u : rows[at(v)])
      if (u != v) ++degree[at(u)], ++all;
  std::vector<std::pair<std::int64_t, int>> order;
  for (const int v : closureOf(rows, trained, layers)) order.emplace_back(-degree[at(v)], v);
  std::ranges::sort(order);
  Kept result;
  for (std::size_t i = 0; i < std::min(capacity, order.size()); ++i) {
    result.vertices.insert(order[i].second);
    keptArcs -= order[i].first;
  }
  result.expected = all == 0 ? 0 : static_cast<double>(keptArcs) / static_cast<double>(all);
  return result;
}

}  // namespace

TEST_CASE("batches of closed parts train as plain loops over the same draws do", "[minibatch]") {
  for (const std::string kind : {"gcn", "graphsage"})
    eachPlan([&](const Dataset& set, const SlowPlan& plan) {
      CAPTURE(kind);
      Trained many(MPI_COMM_WORLD, set, plan.settings("pagraph", kind, 0.5),
                   scatteredOwners(set, worldSize()));
      SlowBatches slowly(plan, many, set);
      for (int epoch = 0; epoch < 4; ++epoch) {
        const double expected = slowly.runEpoch(epoch);
        CHECK(many.method->runEpoch(epoch) ==
              Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
      }
      CHECK(slowly.farthestFrom(many) < kManyEpochs);
    });
}

TEST_CASE("workers of closed parts send each other gradients alone", "[minibatch][volume]") {
  eachPlan([](const Dataset& set, const SlowPlan& plan) {
    Trained many(MPI_COMM_WORLD, set, plan.settings("pagraph", "graphsage", 0.5),
                 scatteredOwners(set, worldSize()));
    for (int epoch = 0; epoch < 2; ++epoch) {
      many.method->runEpoch(epoch);
      many.method->evaluate();
      const Flows sent = measuredOf(many);
      CHECK(sent == predictedOf(many, epoch == 0));
      for (const auto& [key, flow] : sent) CHECK(std::get<0>(key) < 0);
    }
  });
}

TEST_CASE("a cache changes no bit, and counts what it kept of what was read", "[minibatch]") {
  eachPlan([](const Dataset& set, const SlowPlan& plan) {
    const int layers = static_cast<int>(plan.fanouts.size());
    const slow::Rows rows = slowRows(set.arcs);
    const Index width = set.features.cols();
    Matrix wide(set.vertices(), (Index{1} << 20) / static_cast<Index>(sizeof(Scalar)) / 3);  // 3 rows a MiB
    wide.fill(0);
    for (Index v = 0; v < set.vertices(); ++v) std::ranges::copy(set.features.row(v), wide.row(v).begin());
    Dataset large = set;
    large.features = std::move(wide);
    std::vector<std::vector<double>> losses;
    for (const std::int64_t mib : {0, 2, 10000}) {
      if (mib == 2 && (plan.replace || plan.batch != 3 || layers != 2)) continue;  // it takes its time
      CAPTURE(mib);
      const RunSettings run = with(plan.settings("pagraph", "graphsage", 0.5), "cache_mb", mib);
      Trained many(MPI_COMM_WORLD, mib == 2 ? large : set, run, scatteredOwners(set, worldSize()));
      const int self = many.comm.rank();
      const Index elements = mib == 2 ? large.features.cols() : width;
      const Kept cache = keptBy(rows, trainedBy(set, many.owners, self), layers,
                                at((mib << 20) / (static_cast<Index>(sizeof(Scalar)) * elements)));
      std::vector<double>& ofRun = losses.emplace_back();
      for (int epoch = 0; epoch < 2; ++epoch) {
        ofRun.push_back(many.method->runEpoch(epoch));
        const SlowSeeds seeds = slowSeeds(plan, set, many.owners, worldSize(), 1, epoch);
        std::int64_t hits = 0, read = 0;
        for (std::size_t t = 0; t < seeds.size(); ++t) {
          const slow::Batch batch = slow::batch(rows, seeds[t][at(self)], {1, at(epoch) * seeds.size() + t},
                                                plan.fanouts, plan.replace);
          read += std::ssize(batch.V[0]);
          for (const int v : batch.V[0]) hits += cache.vertices.contains(v) ? 1 : 0;
        }
        const CacheRow counted = *many.method->batchSums().cache;
        CHECK(counted.capacityRows == std::ssize(cache.vertices));
        CHECK(counted.hits == hits);
        CHECK(counted.misses == read - hits);
        CHECK(counted.missedBytes == (read - hits) * elements * static_cast<std::int64_t>(sizeof(Scalar)));
        CHECK(counted.expectedHits == Approx(cache.expected * static_cast<double>(read)).margin(1e-9));
      }
    }
    CHECK(losses.front() == losses.back());
  });
}

TEST_CASE("what a cache misses takes the modelled link's time, and no less", "[minibatch]") {
  const Dataset set = hardGraphs().front();
  const SlowPlan plan{.fanouts = {2, 3}, .batch = 3};
  RunSettings run = with(plan.settings("pagraph", "graphsage", 0), "cache_mb", std::int64_t{0});
  run = with(run, "pcie_gbps", 0.001);  // a byte in a microsecond
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  CHECK(many.method->marks() == std::vector<std::string>{"modelled link"});
  many.method->runEpoch(0);
  const CacheRow counted = *many.method->batchSums().cache;
  std::int64_t bytes = 0;
  for (const Span& span : many.tracer.spans()) {
    if (span.name != Name::copied) continue;
    CHECK(span.lane == Lane::main);
    CHECK(span.kind == Kind::communication);
    CHECK(span.durationNs >= 1000 * span.bytes);
    bytes += span.bytes;
  }
  CHECK(bytes == counted.missedBytes);
  CHECK(many.comm.sum(bytes) > 0);
}

namespace {

/// The parts of training_parts.h with sets and whole numbers, one vertex after the other.
Owners slowParts(const Dataset& set, int parts, int hops, double scoreShare) {
  const slow::Rows rows = slowRows(set.arcs);
  const auto n = static_cast<double>(rows.size());
  const auto trained = static_cast<double>(std::ranges::count(set.split, Split::train));
  std::vector<std::set<int>> members(at(parts)), closures(at(parts));
  for (int v = 0; v < static_cast<int>(rows.size()); ++v) {
    if (set.split[at(v)] != Split::train) continue;
    std::set<int> around = closureOf(rows, {v}, hops);
    int best = -1;
    double most = 0;
    for (int p = 0; p < parts; ++p) {
      double near = 0;
      for (const int u : around) near += members[at(p)].contains(u) ? 1 : 0;
      const double missing = scoreShare > 0
                                 ? scoreShare * n - static_cast<double>(members[at(p)].size() * at(parts))
                                 : trained - static_cast<double>(members[at(p)].size() * at(parts));
      const double score = (1 + near) * missing / static_cast<double>(closures[at(p)].size() + 1);
      const bool fewer = best >= 0 && members[at(p)].size() < members[at(best)].size();
      if (best < 0 || score > most || (score == most && fewer)) {
        best = p;
        most = score;
      }
    }
    members[at(best)].insert(v);
    closures[at(best)].insert(around.begin(), around.end());
  }
  Owners owners(rows.size(), -1);
  for (int p = parts - 1; p >= 0; --p)
    for (const int v : closures[at(p)]) owners[at(v)] = p;
  for (int p = 0; p < parts; ++p)
    for (const int v : members[at(p)]) owners[at(v)] = p;
  return owners;  // −1: of vertices that no part holds
}

}  // namespace

TEST_CASE("parts are those that the definition gives, and hold all that their vertices draw from",
          "[minibatch][partition]") {
  for (const Dataset& set : hardGraphs())
    for (const std::string fanouts : {"3", "2,2", "2,2,2"})
      for (const double share : {0.0, 0.3})
        for (const int parts : {1, 2, 3, 5}) {
          CAPTURE(set.name, fanouts, share, parts);
          const int hops = static_cast<int>(fanouts.size() / 2) + 1;
          const RunSettings run =
              with(with(settingsFor("pagraph", "gcn", hops, 4), "fanouts", fanouts), "score_share", share);
          PlacementRequest request{
              .arcs = set.arcs, .parts = parts, .parameters = run.parameters, .partition = nullptr};
          request.split = set.split;
          const Owners owners = placeByTraining(request), expected = slowParts(set, parts, hops, share);
          REQUIRE(owners.size() == expected.size());
          for (std::size_t v = 0; v < owners.size(); ++v) {
            CHECK((owners[v] >= 0 && owners[v] < parts));
            if (expected[v] >= 0) CHECK(owners[v] == expected[v]);
          }
        }
}

TEST_CASE("caches that no device has, and several hosts, are refused by key", "[minibatch]") {
  const MethodEntry& entry = *find<MethodEntry>("pagraph");
  const auto refusalOf = [&](const RunSettings& run) {
    std::string all;
    for (const Problem& problem : refusals(entry, run)) all += problem.key + ": " + problem.message + "\n";
    return all;
  };
  RunSettings run = settingsFor("pagraph", "gcn", 2, 6);
  run.cluster.workers = 2;
  CHECK(refusalOf(run).empty());
  CHECK(refusalOf(with(run, "cache_mb", std::int64_t{10240})).empty());
  CHECK(refusalOf(with(run, "cache_mb", std::int64_t{10241})) ==
        "run.cache_mb: 10241 is more than device_mb leaves beside reserve_mb; at most 10240\n");
  CHECK(refusalOf(with(run, "device_mb", std::int64_t{1000})) ==
        "run.reserve_mb: 1024 is more than the 1000 MiB of device_mb\n");
  run.cluster.hosts = {"nodea", "nodeb"};
  CHECK(refusalOf(run) ==
        "cluster.hosts: 2 hosts cannot be used; workers of pagraph read features from the memory of one\n");
}
