// The invariants of MoP and of its mixture with a partition. That they give what one worker
// gives, also with fewer columns than workers, stands among the identity tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"
#include "tests/support/mpi_calls.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr int kLayers = 3;

RunSettings settingsOf(const std::string& method, Index hidden = 7, double dropout = 0.5) {
  RunSettings run = settingsFor(method, "graphsage", kLayers, hidden, dropout);
  run.model.order = "aggregate-first";
  run.cluster.workers = worldSize();
  return run;
}

}  // namespace

TEST_CASE("mop sends n (P-1)/P (d_0 + 4 sum of the hidden widths), whatever the graph", "[mop][volume]") {
  const Index P = worldSize();
  const Index elements = kEven * (P - 1) / P * (kEven + 4 * (kLayers - 1) * kEven);
  for (const std::string rows : {"contiguous", "block-cyclic"}) {
    CAPTURE(rows);
    Trained t(MPI_COMM_WORLD, evenSet(), with(settingsOf("mop", kEven), "rows", rows), {});
    t.method->runEpoch(0);
    const auto [messages, bytes] = totalOf(t);
    CHECK(messages == (4 * kLayers - 3) * P * (P - 1));
    if (rows == "contiguous") CHECK(bytes == elements * static_cast<Index>(sizeof(Scalar)));
    t.method->runEpoch(1);
    CHECK(totalOf(t) == std::pair(messages, bytes));
  }
}

namespace {

/// resources/design/methods.md, Slices of MoP: part i of P of `count`.
Index shareOf(Index count, Index i, Index parts) { return count * (i + 1) / parts - count * i / parts; }

/// Rows of updater j: of all, or of each of 16 chunks, whose first block goes to the next updater each time.
Index rowsOf(Index n, Index j, Index P, bool cyclic) {
  if (!cyclic) return shareOf(n, j, P);
  constexpr Index kChunks = 16;
  Index rows = 0;
  for (Index c = 0; c < kChunks; ++c) rows += shareOf(shareOf(n, c, kChunks), (j - c % P + P) % P, P);
  return rows;
}

}  // namespace

TEST_CASE("mop sends what its slices and rows say where nothing divides, to the byte and message",
          "[mop][volume]") {
  const Index P = worldSize();
  for (const Dataset& set : hardGraphs())
    for (const std::string rows : {"contiguous", "block-cyclic"}) {
      CAPTURE(set.name, rows);
      const Index n = set.vertices();
      Trained t(MPI_COMM_WORLD, set, with(settingsOf("mop"), "rows", rows), {});
      std::int64_t elements = 0, messages = 0;
      for (int l = 0; l < kLayers; ++l) {
        const Index width = t.model->widths()[at(l)], turns = l == 0 ? 1 : 4;
        for (Index i = 0; i < P; ++i)
          for (Index j = 0; j < P; ++j) {
            const Index sent = i == j ? 0 : shareOf(width, i, P) * rowsOf(n, j, P, rows == "block-cyclic");
            elements += turns * sent;
            messages += sent > 0 ? turns : 0;
          }
      }
      for (int epoch = 0; epoch < 2; ++epoch) {
        t.method->runEpoch(epoch);
        CHECK(totalOf(t) == std::pair(messages, elements * static_cast<std::int64_t>(sizeof(Scalar))));
      }
    }
}

TEST_CASE("with layer 0 cached mop gathers it once", "[mop][volume]") {
  const Index P = worldSize();
  RunSettings run = settingsOf("mop", kEven);
  run.parameters.insert_or_assign("layer0_cache", Value(true));
  Trained t(MPI_COMM_WORLD, evenSet(), run, {});
  const Index each = kEven * (P - 1) / P * kEven * static_cast<Index>(sizeof(Scalar));
  t.method->runEpoch(0);
  CHECK(totalOf(t).second == each * (1 + 4 * (kLayers - 1)));
  t.method->runEpoch(1);
  CHECK(totalOf(t).second == each * 4 * (kLayers - 1));
}

TEST_CASE("all workers of mop do the same work, together that of one", "[mop]") {
  Trained even(MPI_COMM_WORLD, evenSet(), settingsOf("mop", kEven), {});
  CHECK(even.method->findings().at("result.ranks_per_part") == std::to_string(worldSize()));
  Trained single(MPI_COMM_SELF, evenSet(), settingsOf("single", kEven), Owners(kEven, 0));
  even.method->runEpoch(0);
  single.method->runEpoch(0);
  const std::int64_t own = flopOf(even), total = flopOf(single);
  CHECK(even.comm.max(own) == even.comm.min(own));
  CHECK(even.comm.sum(own) == total);

  // with floors: nothing is done twice all the same
  const Dataset set = hardGraphs()[0];
  for (const std::string adjacency : {"whole", "ring"}) {
    Trained t(MPI_COMM_WORLD, set, with(settingsOf("mop"), "adjacency", adjacency), {});
    Trained reference(MPI_COMM_SELF, set, settingsOf("single"), Owners(60, 0));
    t.method->runEpoch(0);
    reference.method->runEpoch(0);
    CHECK(t.comm.sum(flopOf(t)) == flopOf(reference));
  }
}

namespace {

/// Elements other than zero that a rank sends back to who owns the rows, of all that it sends back, over the
/// layers of an epoch.
std::pair<std::int64_t, std::int64_t> sentBack(const std::string& adjacency) {
  Trained t(MPI_COMM_WORLD, evenSet(), with(settingsOf("mop", kEven, 0), "adjacency", adjacency), {});
  MpiCalls calls(t.tracer);
  std::int64_t all = 0, worked = 0;
  int posted = 0;  // backward messages of the layer: to the columns first, of which as many as ranks but one
  calls.before = [&](const MpiCall& call) {
    if (call.pass != Pass::backward || call.layer < 0) posted = 0;
    if (call.pass != Pass::backward || call.what != MpiCall::What::send) return;
    constexpr auto kSlice = static_cast<std::int64_t>(sizeof(Scalar)) * kEven;
    if (call.bytes != kSlice / worldSize() * (kEven / worldSize())) return;  // a block of the ring
    if (++posted <= worldSize() - 1) return;
    if (posted == 2 * (worldSize() - 1)) posted = 0;
    const std::span rows(reinterpret_cast<const Scalar*>(call.rows), at(call.bytes) / sizeof(Scalar));
    all += std::ssize(rows);
    worked += std::ranges::count_if(rows, [](Scalar x) { return x != 0; });
  };
  t.method->runEpoch(0);
  return {t.comm.sum(worked), t.comm.sum(all)};
}

}  // namespace

// The masked product writes no sum where H was not positive; whose rows they are would drop it anyway, so
// that what is trained is the same.
TEST_CASE("mop's gradients are masked where they are summed, if the whole matrix is held", "[mop]") {
  if (worldSize() == 1) return;
  const auto [masked, all] = sentBack("whole");
  const auto [unmasked, allRound] = sentBack("ring");
  const std::int64_t elements = (kLayers - 1) * kEven * (kEven - kEven / worldSize());
  CHECK(all == elements);
  CHECK(allRound == elements);
  CHECK(unmasked > 9 * elements / 10);
  CHECK(masked < 7 * elements / 10);
  CHECK(masked > 3 * elements / 10);
}

TEST_CASE("a grid of one group is mop, one of one slice is vanilla", "[mop][volume]") {
  const int P = worldSize();
  for (const Dataset& set : hardGraphs()) {
    CAPTURE(set.name);
    const auto same = [&](const std::string& method, const std::string& shape) {
      CAPTURE(method, shape);
      const Owners owners = scatteredOwners(set, P);
      Trained expected(MPI_COMM_WORLD, set, settingsOf(method), owners);
      Trained actual(MPI_COMM_WORLD, set, with(settingsOf("mop-partition"), "grid", shape), owners);
      CHECK(actual.owners == expected.owners);
      for (int epoch = 0; epoch < 3; ++epoch) {
        CHECK(actual.method->runEpoch(epoch) == expected.method->runEpoch(epoch));  // to the bit
        CHECK(measuredOf(actual) == measuredOf(expected));
      }
    };
    same("mop", gridText(1, P));
    same("vanilla", gridText(P, 1));
  }
}

TEST_CASE("every grid gives what one worker gives and sends what its closed form says", "[mop][volume]") {
  const int P = worldSize();
  const Dataset set = hardGraphs()[0];
  Trained single(MPI_COMM_SELF, set, settingsOf("single"), Owners(60, 0));
  std::vector<double> losses;
  for (int epoch = 0; epoch < 5; ++epoch) losses.push_back(single.method->runEpoch(epoch));
  for (int groups = 1; groups <= P; ++groups) {
    if (P % groups != 0) continue;
    for (const std::string rows : {"contiguous", "block-cyclic"}) {
      CAPTURE(groups, rows);
      RunSettings run = with(settingsOf("mop-partition"), "grid", gridText(groups, P / groups));
      Trained t(MPI_COMM_WORLD, set, with(run, "rows", rows), {});
      CHECK(t.method->findings().at("result.ranks_per_part") == std::to_string(P / groups));
      for (int epoch = 0; epoch < 5; ++epoch) {
        const double tolerance = sizeof(Scalar) == 8 ? 1e-10 : 1e-4;
        CHECK(t.method->runEpoch(epoch) == Approx(losses[at(epoch)]).epsilon(tolerance));
        CHECK(measuredOf(t) == predictedOf(t, epoch == 0));
      }
    }
  }
}

TEST_CASE("block-cyclic rows give every worker its share of every chunk", "[mop]") {
  const MethodEntry& entry = *find<MethodEntry>("mop");
  const Csr arcs = path(1000);
  const auto place = [&](const std::string& rows, int parts) {
    const Values values = with(settingsOf("mop"), "rows", rows).parameters;
    return entry.place({arcs, parts, values, nullptr});
  };
  for (const int parts : {1, 2, 7, 8}) {
    CAPTURE(parts);
    const Owners blocks = place("contiguous", parts), cyclic = place("block-cyclic", parts);
    CHECK(std::ranges::is_sorted(blocks));
    for (int rank = 0; rank < parts; ++rank) {
      const auto share = 1000 * (rank + 1) / parts - 1000 * rank / parts;
      CHECK(std::ranges::count(blocks, rank) == share);
      CHECK(std::abs(std::ranges::count(cyclic, rank) - share) <= 16 / parts + 1);
    }
    for (Index c = 0; c < 16; ++c) {
      const std::set<std::int32_t> members(cyclic.begin() + 1000 * c / 16,
                                           cyclic.begin() + 1000 * (c + 1) / 16);
      CHECK(members.size() == at(parts));
    }
  }
}

TEST_CASE("round a ring no worker holds the whole propagation matrix", "[mop]") {
  const auto heldBy = [](const std::string& adjacency) {
    Trained t(MPI_COMM_WORLD, evenSet(), with(settingsOf("mop"), "adjacency", adjacency), {});
    t.method->runEpoch(0);
    return t.method->metrics().at("adjacency_bytes");
  };
  const double allHeld = heldBy("whole"), ringHeld = heldBy("ring");
  CHECK(allHeld == heldBy("whole"));
  if (worldSize() >= 4) CHECK(ringHeld < allHeld);  // three of P blocks at a time
}

TEST_CASE("round a ring a worker holds its rows both ways and two rooms for others', to the byte", "[mop]") {
  const int P = worldSize();
  const Dataset set = hardGraphs()[0];             // directed
  for (const std::string kind : {"gcn", "gin"}) {  // with values and without
    CAPTURE(kind);
    RunSettings run = with(settingsOf("mop"), "adjacency", "ring");
    run.model.kind = kind;
    Trained t(MPI_COMM_WORLD, set, run, {});
    for (int epoch = 0; epoch < 2; ++epoch) t.method->runEpoch(epoch);
    const Csr turned = transpose(t.propagation);
    const auto count = [&](const Csr& A, int rank) {  // of its rows' nonzeros
      Index nonzeros = 0;
      for (Index v = 0; v < A.rows(); ++v)
        if (t.owners[at(v)] == rank) nonzeros += A.degree(v);
      return nonzeros;
    };
    const auto rows = [&](int rank) { return static_cast<Index>(std::ranges::count(t.owners, rank)); };
    const Index entry = 4 + (kind == "gcn" ? static_cast<Index>(sizeof(Scalar)) : 0);
    Index most = 0;
    for (int me = 0; me < P; ++me) {
      Index bytes = 0;
      for (const Csr* A : {&std::as_const(t.propagation), &turned}) {
        bytes += 8 * (rows(me) + 1) + entry * count(*A, me);
        for (const int first : {1, 2}) {  // every other block comes to the same place
          Index offsets = 0, entries = 0;
          for (int step = first; step < P; step += 2) {
            offsets = std::max(offsets, rows((me + step) % P) + 1);
            entries = std::max(entries, count(*A, (me + step) % P));
          }
          bytes += 8 * offsets + entry * entries;
        }
      }
      most = std::max(most, bytes);
    }
    CHECK(t.method->metrics().at("adjacency_bytes") == static_cast<double>(most));
  }
}

TEST_CASE("mop says which rule a run breaks", "[mop]") {
  const MethodEntry& mop = *find<MethodEntry>("mop");
  const MethodEntry& mixed = *find<MethodEntry>("mop-partition");
  RunSettings run = settingsOf("mop", 8);
  run.dataset.name = "karate";
  run.cluster.workers = 8;
  CHECK(refusals(mop, run).empty());
  run.cluster.workers = 9;
  auto problems = refusals(mop, run);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "cluster.workers");
  CHECK(problems[0].message ==
        "mop cuts the columns of every aggregated layer into 9 slices, one a worker, and model.hidden is 8; "
        "at most 8 slices");
  const std::vector<Index> widths = {5, 8, 8, 3};
  CHECK(mop.refuseData(run, {widths}).size() == 1);
  run.cluster.workers = 5;
  CHECK(mop.refuseData(run, {widths}).empty());
  run.model.kind = "gat";
  problems = refusals(mop, run);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "model.order");
  for (const std::string wrong :
       {"", "2", "2x", "x4", "2x4x", "2x3", "0x0", "-2x-4", "2 x 4", "02x4", "2x04", "+2x4", "2x4 "}) {
    CAPTURE(wrong);
    RunSettings other = with(settingsOf("mop-partition", 8), "grid", wrong);
    other.cluster.workers = 8;
    problems = refusals(mixed, other);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message == "'" + wrong +
                                     "' cannot be used; GROUPSxSLICES with groups · slices = "
                                     "cluster.workers = 8, neither with leading zeros, or auto");
  }
  RunSettings other = with(settingsOf("mop-partition", 8), "grid", "2x8");
  other.cluster.workers = 16;
  CHECK(refusals(mixed, other).empty());
  other.model.hidden = 7;
  CHECK(refusals(mixed, other).size() == 1);
}
