// The invariants of MoA and of its pipeline. That it gives what one worker gives
// stands among the identity tests.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>

#include "datasets/graph/order.h"
#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"
#include "tests/support/mpi_calls.h"
#include "tests/support/shifted_clock.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr int kLayers = 3;

RunSettings settingsOf(const std::string& method, const std::string& stages = "auto",
                       const std::string& ordering = "rcm", Index hidden = 7, double dropout = 0.5) {
  RunSettings run = settingsFor(method, "graphsage", kLayers, hidden, dropout);
  if (method == "moa") {
    run.parameters.insert_or_assign("stages", Value(stages));
    run.parameters.insert_or_assign("ordering", Value(ordering));
  }
  run.model.order = "aggregate-first";
  run.cluster.workers = worldSize();
  return run;
}

bool even() { return worldSize() % 2 == 0; }  // what moa needs
bool aggregatesHere(const Trained& t) { return t.method->role() == "aggregator"; }

/// A path whose vertices are numbered at random: bandwidth 1 in the right order.
Dataset hiddenPath(Index vertices) {
  return datasetOf("hidden path", permuted(path(vertices), randomOrder(vertices, 3)), false);
}

/// How many blocks of rows of this layer an aggregator takes in before it first aggregates any.
std::int64_t takenBefore(const Trained& t, int layer, Pass pass) {
  std::int64_t blocks = 0;
  for (const Span& span : t.tracer.spans()) {
    if (span.layer != layer || span.pass != pass) continue;
    if (span.name == Name::aggregate) return blocks;
    if (span.name == Name::receive) ++blocks;
  }
  return blocks;
}

/// The bits of all vertices' logits, on every rank. Collective.
std::vector<std::int64_t> logitBits(Trained& t) {
  const Matrix& own = *t.method->logits();
  std::vector<std::int64_t> bits(at(t.share.graph.globalVertices * own.cols()), 0);
  for (Index i = 0; i < own.rows(); ++i)
    for (Index c = 0; c < own.cols(); ++c) {
      const Vertex v = t.share.graph.owned[at(i)];
      const auto value = static_cast<double>(own(i, c));
      bits[at(v * own.cols() + c)] = std::bit_cast<std::int64_t>(value);
    }
  t.comm.sum(bits);
  return bits;
}

}  // namespace

TEST_CASE("moa sends n (d_0 + 4 sum of the hidden widths), whatever graph and stages", "[moa][volume]") {
  if (!even()) return;
  const Index P = worldSize();
  const Index elements = kEven * (kEven + 4 * (kLayers - 1) * kEven);
  for (const std::string stages : {"1", "3", "7"}) {
    CAPTURE(stages);
    Trained t(MPI_COMM_WORLD, evenSet(), settingsOf("moa", stages, "rcm", kEven), {});
    for (int epoch = 0; epoch < 2; ++epoch) {
      t.method->runEpoch(epoch);
      const auto [messages, bytes] = totalOf(t);
      CHECK(bytes == elements * static_cast<Index>(sizeof(Scalar)));
      CHECK(messages == std::stoi(stages) * (P / 2) * (P / 2) * (4 * kLayers - 3));
    }
  }
}

TEST_CASE("moa's closed form holds for every order, number of stages and graph", "[moa][volume]") {
  if (!even()) return;
  for (const Dataset& set : hardGraphs())
    for (const std::string ordering : {"rcm", "natural"})
      for (const std::string stages : {"auto", "1", "2", "40"}) {
        CAPTURE(set.name, ordering, stages);
        Trained t(MPI_COMM_WORLD, set, settingsOf("moa", stages, ordering), {});
        for (int epoch = 0; epoch < 2; ++epoch) {
          t.method->runEpoch(epoch);
          t.method->evaluate();
          CHECK(measuredOf(t) == predictedOf(t, epoch == 0));
        }
      }
}

TEST_CASE("one half of moa's workers updates and keeps all vertices, the other aggregates", "[moa]") {
  if (!even()) return;
  Trained t(MPI_COMM_WORLD, evenSet(), settingsOf("moa", "3", "rcm", kEven), {});
  t.method->runEpoch(0);
  CHECK(aggregatesHere(t) == (t.comm.rank() % 2 == 1));
  CHECK(t.method->role() == (t.comm.rank() % 2 == 1 ? "aggregator" : "updater"));
  const auto own = static_cast<std::int64_t>(t.share.graph.owned.size());
  CHECK(own == (aggregatesHere(t) ? 0 : 2 * kEven / t.comm.size()));
  CHECK(t.method->logits()->rows() == own);
  // all of the work is done once: what one worker does, by kind
  const std::int64_t flop = flopOf(t);
  Trained single(MPI_COMM_SELF, evenSet(), settingsOf("single", "", "", kEven), Owners(kEven, 0));
  single.method->runEpoch(0);
  CHECK(t.comm.sum(flop) == flopOf(single));
  const std::int64_t most = t.comm.max(aggregatesHere(t) ? flop : 0);
  CHECK((!aggregatesHere(t) || flop == most));  // slices are as wide as each other
}

TEST_CASE("neither stages nor their order change what moa trains", "[moa]") {
  if (!even()) return;
  const double tolerance = sizeof(Scalar) == 8 ? 1e-10 : 1e-4;
  for (const std::string kind : {"gcn", "graphsage", "gin"}) {
    const auto with = [&](const std::string& method, const std::string& stages, const std::string& ordering) {
      RunSettings run = settingsOf(method, stages, ordering);
      run.model.kind = kind;
      run.model.norm = "layer";
      return run;
    };
    const Dataset set = hardGraphs()[0];
    Trained single(MPI_COMM_SELF, set, with("single", "", ""), Owners(60, 0));
    std::vector<double> losses;
    for (int epoch = 0; epoch < 5; ++epoch) losses.push_back(single.method->runEpoch(epoch));
    for (const std::string ordering : {"rcm", "natural"})
      for (const std::string stages : {"1", "2", "5", "60", "100"}) {
        CAPTURE(kind, ordering, stages);
        Trained t(MPI_COMM_WORLD, set, with("moa", stages, ordering), {});
        for (int epoch = 0; epoch < 5; ++epoch)
          CHECK(t.method->runEpoch(epoch) == Approx(losses[at(epoch)]).epsilon(tolerance));
      }
  }
}

// A row is summed in the same order in whatever batch it stands; gradients are added batch by batch, so that
// later epochs agree but for rounding.
TEST_CASE("the pipeline changes no bit of the first epoch's logits", "[moa]") {
  if (!even()) return;
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const std::string ordering : {"rcm", "natural"}) {
      std::vector<std::int64_t> off;
      for (const std::string stages : {"1", "2", "5", "60"}) {
        CAPTURE(kind, ordering, stages);
        RunSettings run = settingsOf("moa", stages, ordering, 8);
        run.model.kind = kind;
        run.model.norm = "layer";
        Trained t(MPI_COMM_WORLD, hardGraphs()[0], run, {});
        t.method->runEpoch(0);
        const std::vector<std::int64_t> bits = logitBits(t);
        if (stages == "1") off = bits;
        CHECK(std::ranges::mismatch(bits, off).in1 == bits.end());
      }
    }
}

TEST_CASE("moa of one layer keeps its features over an evaluation", "[moa]") {
  if (!even()) return;
  const double tolerance = sizeof(Scalar) == 8 ? 1e-10 : 1e-4;
  const Dataset set = hardGraphs()[0];
  for (const std::string position : {"before-aggregation", "after-aggregation"}) {
    CAPTURE(position);
    const auto oneLayer = [&](const std::string& method) {
      RunSettings run = settingsOf(method, "5", "rcm", 7, 0.5);
      run.model.layers = 1;
      run.model.dropoutPosition = position;
      return run;
    };
    Trained single(MPI_COMM_SELF, set, oneLayer("single"), Owners(60, 0));
    Trained many(MPI_COMM_WORLD, set, oneLayer("moa"), {});
    for (int epoch = 0; epoch < 3; ++epoch) {
      CHECK(many.method->runEpoch(epoch) == Approx(single.method->runEpoch(epoch)).epsilon(tolerance));
      many.method->evaluate();
      single.method->evaluate();
    }
  }
}

TEST_CASE("moa begins a layer while the last is updated, if its order allows that", "[moa]") {
  if (!even()) return;
  const Index n = 96;
  const auto batches = [&](const Dataset& set, const std::string& stages, const std::string& ordering) {
    Trained t(MPI_COMM_WORLD, set, settingsOf("moa", stages, ordering), {});
    t.method->runEpoch(0);
    std::vector<std::int64_t> counts;
    for (const auto& [layer, pass] : {std::pair(1, Pass::forward), std::pair(2, Pass::forward),
                                      std::pair(2, Pass::backward), std::pair(1, Pass::backward)})
      counts.push_back(t.comm.max(aggregatesHere(t) ? takenBefore(t, layer, pass) : 0) / (t.comm.size() / 2));
    CHECK(t.method->metrics().at("stages") == (stages == "auto" ? 3 : std::stoi(stages)));
    return counts;
  };
  using Batches = std::vector<std::int64_t>;
  // the first of eight batches refers to itself and the next
  CHECK(batches(hiddenPath(n), "8", "rcm") == Batches(4, 2));
  // bandwidth 1: three stages are enough (Proposition 3.5), and the first does not need the last
  CHECK(batches(hiddenPath(n), "auto", "rcm") == Batches(4, 2));
  // as numbered, it needs all; the random numbers put one neighbour or other into every batch
  CHECK(batches(hiddenPath(n), "4", "natural") == Batches(4, 4));
  // a complete graph gives ordering nothing to win
  std::vector<Arc> all;
  for (Vertex u = 0; u < 24; ++u)
    for (Vertex v = 0; v < 24; ++v) all.push_back({u, v});
  CHECK(batches(datasetOf("complete", 24, all, false), "6", "rcm") == Batches(4, 6));
}

TEST_CASE("moa tells its bandwidth and how long both groups were idle", "[moa]") {
  if (!even()) return;
  Trained t(MPI_COMM_WORLD, hiddenPath(96), settingsOf("moa"), {});
  CHECK(t.method->metrics().at("aggregators_idle") == 0);  // nothing was measured
  for (int epoch = 0; epoch < 3; ++epoch) t.method->runEpoch(epoch);
  const std::map<std::string, double> metrics = t.method->metrics();
  CHECK(metrics.at("bandwidth") == 1);
  for (const std::string group : {"aggregators_idle", "updaters_idle"}) {
    CAPTURE(group, metrics.at(group));
    CHECK(metrics.at(group) > 0);  // each waits for the other at one end of the chain at least
    CHECK(metrics.at(group) < 1);
    const auto millionths = static_cast<std::int64_t>(1e6 * metrics.at(group));
    CHECK(t.comm.max(millionths) == t.comm.min(millionths));
  }
}

TEST_CASE("moa's groups are idle for as long as their workers wait for messages and for each other",
          "[moa]") {
  if (!even()) return;
  // beside which the real ones are nothing; what is sent takes work, of an aggregator more
  constexpr std::int64_t kWaitNs = 7'000'000'000, kWorkNs = 5'000'000'000;
  Trained t(MPI_COMM_WORLD, hiddenPath(96), settingsOf("moa", "4"), {});
  const int group = aggregatesHere(t) ? 1 : 0, members = t.comm.size() / 2;
  ShiftedClock clock;
  MpiCalls calls(t.tracer);
  std::int64_t waited = 0, worked = 0;  // in this epoch
  const auto spend = [&](std::int64_t& on, std::int64_t ns) {
    clock.add(ns);
    on += ns;
  };
  calls.before = [&](const MpiCall& call) {
    if (call.what == MpiCall::What::send) spend(worked, (1 + group) * kWorkNs);
  };
  calls.after = [&](const MpiCall& call) {
    if (call.what == MpiCall::What::wait && call.layer >= 0) spend(waited, kWaitNs);
  };
  double possible = 0;
  std::array<double, 2> busy{};
  for (int epoch = 0; epoch < 3; ++epoch) {
    waited = worked = 0;
    t.method->runEpoch(epoch);
    CHECK(waited > 0);
    CHECK(worked > 0);
    // the first is left out once there are others
    if (epoch == 1) possible = busy[0] = busy[1] = 0;
    possible += static_cast<double>(members * t.comm.max(waited + worked));
    for (const int g : {0, 1})
      busy[at(g)] += static_cast<double>(t.comm.sum(g == group ? worked : std::int64_t{0}));
    const auto metrics = t.method->metrics();
    CHECK(metrics.at("updaters_idle") == Approx(1 - busy[0] / possible).epsilon(0.02));
    CHECK(metrics.at("aggregators_idle") == Approx(1 - busy[1] / possible).epsilon(0.02));
  }
}

TEST_CASE("moa's waiting for the slowest worker before the gradients are summed is time of a kind", "[moa]") {
  if (!even()) return;
  Trained t(MPI_COMM_WORLD, hiddenPath(96), settingsOf("moa"), {});
  for (int epoch = 0; epoch < 2; ++epoch) {
    t.tracer.clear();
    t.method->runEpoch(epoch);
    // what the ranks ask of each other in an epoch: idle times, gradients, the loss
    std::vector<Name> together;
    for (const Span& span : t.tracer.spans())
      if (span.kind == Kind::synchronise && span.lane == Lane::main) {
        together.push_back(span.name);
        CHECK(span.layer == -1);
      }
    CHECK(together == (t.comm.size() > 1 ? std::vector{Name::barrier, Name::allReduce, Name::barrier}
                                         : std::vector{Name::barrier}));
  }
}

TEST_CASE("with layer 0 cached moa aggregates the features once", "[moa][volume]") {
  if (!even()) return;
  RunSettings run = settingsOf("moa", "3", "rcm", kEven);
  run.parameters.insert_or_assign("layer0_cache", Value(true));
  Trained t(MPI_COMM_WORLD, evenSet(), run, {});
  const Index each = kEven * kEven * static_cast<Index>(sizeof(Scalar));
  t.method->runEpoch(0);
  CHECK(totalOf(t).second == each * (1 + 4 * (kLayers - 1)));
  t.method->runEpoch(1);
  CHECK(totalOf(t).second == each * 4 * (kLayers - 1));
}

TEST_CASE("moa refuses what cannot be split into two groups, and stages that are none", "[moa]") {
  const MethodEntry& moa = *find<MethodEntry>("moa");
  for (const int workers : {1, 2, 3, 8, 9}) {
    RunSettings run = settingsOf("moa");
    run.cluster.workers = workers;
    const std::vector<Problem> problems = refusals(moa, run);
    CAPTURE(workers);
    const bool odd = workers % 2 != 0;
    REQUIRE(problems.size() == (odd ? 1 : 0));
    if (!odd) continue;
    CHECK(problems[0].key == "cluster.workers");
    CHECK_THAT(
        problems[0].message,
        Catch::Contains("as many workers that aggregate as workers that update, at least one of each"));
    CHECK_THAT(problems[0].message, Catch::EndsWith(workers == 1   ? "use 2"
                                                    : workers == 3 ? "use 2 or 4"
                                                                   : "use 8 or 10"));
  }
  for (const std::string stages : {"0", "-2", "two", "3.5", "4097", "", "04", "+4", " 4", "4 ", "00"}) {
    RunSettings run = settingsOf("moa", stages);
    run.cluster.workers = 4;
    const std::vector<Problem> problems = refusals(moa, run);
    CAPTURE(stages);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "run.stages");
    CHECK(problems[0].message == "'" + stages +
                                     "' cannot be used; a whole number from 1 to 4096 without leading zeros, "
                                     "or auto");
  }
  RunSettings wide = settingsOf("moa");
  wide.cluster.workers = 16;  // eight slices of seven columns
  REQUIRE(refusals(moa, wide).size() == 1);
  CHECK(refusals(moa, wide)[0].key == "cluster.workers");
}
