// ROC's ranges and its modelled device. Exactness and volume stand among the identity tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "engine/base/index.h"
#include "engine/methods/full_graph/move_vertices.h"

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf() {
  RunSettings run = settingsFor("roc", "gcn", 3, 7);
  run.cluster.workers = worldSize();
  return run;
}

Owners rangesOf(const Dataset& set, int parts, double rowCost = 0) {
  Values values = settingsOf().parameters;
  values.insert_or_assign("row_cost", Value(rowCost));
  return find<MethodEntry>("roc")->place({set.arcs, parts, values, {}});
}

}  // namespace

TEST_CASE("no range has more than its share of the edges and one vertex's", "[roc]") {
  for (const Dataset& set : hardGraphs()) {
    Index largest = 0;
    for (Index v = 0; v < set.vertices(); ++v) largest = std::max(largest, set.arcs.degree(v));
    for (const int parts : {1, 2, 3, 7, 50}) {
      CAPTURE(set.name, parts);
      const Owners owners = rangesOf(set, parts);
      CHECK(std::ranges::is_sorted(owners));
      std::vector<Index> edges(at(parts), 0);
      for (Index v = 0; v < set.vertices(); ++v) edges.at(at(owners[at(v)])) += set.arcs.degree(v);
      for (const Index count : edges)
        CHECK(static_cast<double>(count) <=
              static_cast<double>(set.arcs.nonzeros()) / parts + static_cast<double>(largest));
    }
  }
}

TEST_CASE("rows that cost much make ranges of as many rows", "[roc]") {
  const Dataset set = hardGraphs()[2];  // a star: vertex 0 has half of all edges
  const Owners edges = rangesOf(set, 3), rows = rangesOf(set, 3, 1e6);
  CHECK(std::ranges::count(edges, 0) == 1);
  for (const int part : {0, 1, 2}) CHECK(std::ranges::count(rows, part) == 7);
}

TEST_CASE("what one range has too much the others lack alike", "[roc]") {
  // a hub with half of all edges, and leaves
  const Owners leaves = rangesOf(datasetOf("star", star(41), true, 3), 7);
  CHECK(std::ranges::count(leaves, 0) == 1);
  for (const int part : {1, 2, 3, 4, 5, 6}) {
    CAPTURE(part);
    CHECK(std::ranges::count(leaves, part) >= 6);
    CHECK(std::ranges::count(leaves, part) <= 7);
  }
  // vertices of 2 to 4 edges: ranges end within a vertex and a half of where prefix sums have them
  const Csr arcs = grid(20, 30);
  for (const int parts : {2, 7, 50}) {
    CAPTURE(parts);
    const Owners owners = rangesOf(datasetOf("grid", Csr(arcs), true, 3), parts);
    double before = 0;
    const double share = static_cast<double>(arcs.nonzeros()) / parts;
    for (int part = 0; part < parts; ++part) {
      double edges = 0;
      for (Index v = 0; v < arcs.rows(); ++v)
        if (owners[at(v)] == part) edges += static_cast<double>(arcs.degree(v));
      before += edges;
      CHECK(before >= share * (part + 1) - 1e-9);
      CHECK(before <= share * (part + 1) + 1.5 * 4);
    }
  }
  // rows are what there is to share where there are no edges
  const Owners none = rangesOf(datasetOf("edgeless", edgeless(9), true, 3), 3);
  for (const int part : {0, 1, 2}) CHECK(std::ranges::count(none, part) == 3);
}

namespace {

/// A device and its host, by the names of what they hold; X0 is the features.
struct Device {
  std::set<std::string> here, host = {"X0"};
  double in = 0, out = 0;

  void use(const std::string& name, double bytes) {
    if (here.insert(name).second) in += bytes;
  }
  void drop(const std::string& name, double bytes) {
    here.erase(name);
    if (host.insert(name).second) out += bytes;
  }
};

/// One epoch, step by step, keeping the inputs of some layers for the backward pass.
Device epochOf(std::span<const Index> widths, std::span<const Index> regions, bool updateFirst, double n,
               double own, unsigned keeps) {
  Device device;
  const int layers = static_cast<int>(regions.size());
  const auto input = [](int l) { return "X" + std::to_string(l); };
  const auto bytes = [&](int l) { return own * static_cast<double>(widths[at(l)]); };
  const auto aggregate = [&](int l) {
    device.in += n * static_cast<double>(regions[at(l)]);
    device.out += own * static_cast<double>(regions[at(l)]);
  };
  for (int l = 0; l < layers; ++l) {
    if (updateFirst) device.use(input(l), bytes(l));
    aggregate(l);
    device.here.insert(input(l));  // own rows of the region, if they were not there before
    device.here.insert(input(l + 1));
    if ((keeps >> l & 1) == 0) device.drop(input(l), bytes(l));
  }
  for (int l = layers - 1; l >= 0; --l) {
    if (l > 0 || updateFirst) aggregate(l);
    device.use(input(l), bytes(l));
  }
  return device;
}

}  // namespace

TEST_CASE("the modelled device copies what an epoch step by step needs, and keeps what saves most", "[roc]") {
  const Dataset set = hardGraphs()[1];
  for (const std::string order : {"update-first", "aggregate-first"})
    for (const int rooms : {-1, 0, 5, 7, 12, 14, 19}) {
      CAPTURE(order, rooms);
      const bool updateFirst = order == "update-first";
      const std::vector<Index> widths = {5, 7, 7, 3}, regions = updateFirst ? std::vector<Index>{7, 7, 3}
                                                                            : std::vector<Index>{5, 7, 7};
      const double S = sizeof(Scalar), n = static_cast<double>(set.vertices());
      RunSettings run = settingsOf();
      run.model.order = order;
      const auto most = [](Communicator& comm, const LocalGraph& graph) {
        return static_cast<double>(comm.max(static_cast<std::int64_t>(graph.owned.size())));
      };
      Trained sized(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      const double own = most(sized.comm, sized.share.graph);
      // room for the four regions, and for so many columns of rows
      const double memory = rooms < 0 ? 1e-6 : (4 * n * 7 + own * rooms) * S / 1e9;
      run.parameters.insert_or_assign("device_memory", Value(memory));
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      auto metrics = many.method->metrics();
      Device best = epochOf(widths, regions, updateFirst, n, own, 0);
      double keptBytes = 0;
      for (unsigned keeps = 1; keeps < 8; ++keeps) {
        double room = 0;
        for (int l = 0; l < 3; ++l)
          if (keeps >> l & 1) room += static_cast<double>(widths[at(l)]);
        const Device device = epochOf(widths, regions, updateFirst, n, own, keeps);
        const double moved = device.in + device.out, least = best.in + best.out;
        if (room > rooms || moved > least || (moved == least && own * room >= keptBytes)) continue;
        best = device;
        keptBytes = own * room;
      }
      CHECK(metrics["swap_in_bytes"] == S * best.in);
      CHECK(metrics["swap_out_bytes"] == S * best.out);
      CHECK(metrics["swap_kept_bytes"] == S * keptBytes);
      CHECK(metrics["swap_seconds"] == Approx(S * (best.in + best.out) / 12e9));
      CHECK(metrics["device_missing_bytes"] == (rooms < 0 ? 4 * n * 7 * S - 1000 : 0));
    }
}

TEST_CASE("every aggregation gives each range the rows of all others", "[roc][volume]") {
  const Dataset set = hardGraphs()[1];
  Trained many(MPI_COMM_WORLD, set, settingsOf(), scatteredOwners(set, worldSize()));
  many.method->runEpoch(0);
  std::int64_t bytes = 0;
  for (const auto& [key, flow] : measuredOf(many))
    if (std::get<0>(key) >= 0) bytes += flow.second;
  const auto expected =
      set.vertices() * (worldSize() - 1) * 2 * (7 + 7 + 3) * static_cast<Index>(sizeof(Scalar));
  CHECK(many.comm.sum(bytes) == expected);
}

TEST_CASE("costs of rows and edges are fitted once there are epochs to go by", "[roc]") {
  const Dataset set = hardGraphs()[0];
  Trained many(MPI_COMM_WORLD, set, settingsOf(), scatteredOwners(set, worldSize()));
  for (int epoch = 0; epoch < 4; ++epoch) many.method->runEpoch(epoch);
  CHECK(many.method->metrics().count("fitted_ns_per_edge") == 0);
  many.method->runEpoch(4);
  // one range, or ranges alike, do not tell rows from edges
  if (worldSize() == 1) CHECK(many.method->metrics().count("fitted_ns_per_edge") == 0);
  if (worldSize() <= 2) return;
  auto metrics = many.method->metrics();
  REQUIRE(metrics.count("fitted_ns_per_edge") == 1);
  CHECK(metrics["fitted_ns_per_row"] >= 0);
  CHECK(metrics["fitted_ns_per_edge"] >= 0);
  CHECK(metrics["fitted_ns_per_row"] + metrics["fitted_ns_per_edge"] > 0);
}

TEST_CASE("costs are fitted to the epochs after the first two, which allocate", "[roc]") {
  if (worldSize() <= 2) return;
  constexpr std::int64_t kRowNs = 30'000'000'000,
                         kEdgeNs = 70'000'000'000;  // beside which real work is nothing
  Trained many(MPI_COMM_WORLD, hardGraphs()[0], settingsOf(), {});
  const LocalGraph& graph = many.share.graph;
  const auto rows = static_cast<std::int64_t>(graph.owned.size());
  for (int epoch = 0; epoch < 5; ++epoch) {
    many.method->runEpoch(epoch);
    // worked after the epoch, before the next begins: the first two take as long everywhere, and longer
    many.tracer.addAsideCpu(
        -(epoch < 2 ? 1'000'000'000'000'000
                    : rows * kRowNs + (graph.own.nonzeros() + graph.halo.nonzeros()) * kEdgeNs));
  }
  const auto metrics = many.method->metrics();
  CHECK(metrics.at("fitted_ns_per_row") == Approx(static_cast<double>(kRowNs)).epsilon(0.01));
  CHECK(metrics.at("fitted_ns_per_edge") == Approx(static_cast<double>(kEdgeNs)).epsilon(0.01));
}

TEST_CASE("moved vertices make the shares that would have been cut", "[roc]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  for (const Dataset& set : hardGraphs())
    for (const Propagation kind : {Propagation::symmetric, Propagation::sum}) {  // with values, and without
      CAPTURE(set.name, static_cast<int>(kind));
      const Csr propagation = propagationMatrix(set.arcs, kind);
      const auto shareOf = [&](const Owners& owners) {
        return cutShare(set, propagation, owners, comm.rank(), comm.size());
      };
      Owners last(at(set.vertices()), comm.size() - 1), scattered = scatteredOwners(set, comm.size());
      Share share = shareOf(rangesOf(set, comm.size()));
      for (const Owners& owners : {scattered, last, rangesOf(set, comm.size(), 3)}) {
        moveVertices(comm, share, owners);
        CHECK(encodeShare(share) == encodeShare(shareOf(owners)));
      }
    }
}

TEST_CASE("ranges that are cut anew train as one worker and send what is predicted of them", "[roc]") {
  for (const Dataset& set : hardGraphs()) {
    CAPTURE(set.name);
    RunSettings run = with(settingsOf(), "resplit", Value(std::int64_t{4}));
    // equally many rows, which on a star is far from what edges and rows take
    run.parameters.insert_or_assign("row_cost", Value(1e6));
    run.model.dropout = 0.5;
    RunSettings alone = settingsFor("single", "gcn", 3, 7, 0.5);
    Trained many(MPI_COMM_WORLD, set, run, {});
    Trained single(MPI_COMM_SELF, set, alone, Owners(at(set.vertices()), 0));
    const std::size_t before = many.share.graph.owned.size();
    for (int epoch = 0; epoch < 14; ++epoch) {
      CAPTURE(epoch);
      const double expected = single.method->runEpoch(epoch);
      CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(sizeof(Scalar) == 8 ? 1e-9 : 1e-3));
      many.method->evaluate();
      CHECK(measuredOf(many) == predictedIn(many, epoch));
      const Index rows = many.comm.sum(static_cast<std::int64_t>(many.share.graph.owned.size()));
      CHECK(rows == set.vertices());
    }
    const auto moves = static_cast<std::int64_t>(many.method->metrics().at("resplits"));
    CHECK(moves <= 3);
    if (moves == 0) CHECK(many.share.graph.owned.size() == before);
  }
}

TEST_CASE("ranges are cut anew by what rows and edges were measured to take, and train on as one worker",
          "[roc]") {
  if (worldSize() <= 2) return;
  constexpr std::int64_t kRowNs = 60'000'000'000,
                         kEdgeNs = 20'000'000'000;  // beside which real work is nothing
  constexpr std::int32_t kResplit = 6;
  std::vector<Arc> arcs;  // the later a vertex, the more in-neighbours
  for (Vertex v = 0; v < 60; ++v)
    for (Vertex u = 0; u < v / 3; ++u) arcs.push_back({u, v});
  const Dataset set = datasetOf("slope", 60, arcs, true);
  RunSettings run = with(settingsOf(), "resplit", Value(std::int64_t{kResplit}));
  run.parameters.insert_or_assign("row_cost", Value(1e6));  // equally many rows to begin with
  run.model.dropout = 0.5;
  Trained many(MPI_COMM_WORLD, set, run, {});
  Trained single(MPI_COMM_SELF, set, settingsFor("single", "gcn", 3, 7, 0.5), Owners(60, 0));
  const auto expectedFor = [&](double rowCost) {
    Values values = settingsOf().parameters;
    values.insert_or_assign("row_cost", Value(rowCost));
    return find<MethodEntry>("roc")->place({many.propagation, worldSize(), values, {}});
  };
  const auto ownersNow = [&] {
    std::vector<std::int64_t> owners(at(set.vertices()), 0);
    for (const Vertex v : many.share.graph.owned) owners[at(v)] = many.comm.rank();
    many.comm.sum(owners);
    return Owners(owners.begin(), owners.end());
  };
  constexpr double kRatio = static_cast<double>(kRowNs) / kEdgeNs;
  const Owners before = ownersNow(), expected = expectedFor(kRatio);
  REQUIRE(before == expectedFor(1e6));
  REQUIRE(expected != before);
  REQUIRE((expected == expectedFor(0.99 * kRatio) && expected == expectedFor(1.01 * kRatio)));  // no tie
  for (std::int32_t epoch = 0; epoch < 2 * kResplit + 2; ++epoch) {
    CAPTURE(epoch);
    const double loss = single.method->runEpoch(epoch);
    CHECK(many.method->runEpoch(epoch) == Approx(loss).epsilon(sizeof(Scalar) == 8 ? 1e-9 : 1e-3));
    CHECK(measuredOf(many) == predictedIn(many, epoch));
    const LocalGraph& graph = many.share.graph;
    many.tracer.addAsideCpu(-(static_cast<std::int64_t>(graph.owned.size()) * kRowNs +
                              (graph.own.nonzeros() + graph.halo.nonzeros()) * kEdgeNs));
    const bool anew = epoch >= kResplit;
    CHECK(ownersNow() == (anew ? expected : before));
    // the second time there is nothing left to be cut otherwise
    CHECK(many.method->metrics().at("resplits") == (anew ? 1 : 0));
    CHECK(many.method->decided().empty() != anew);
  }
}

TEST_CASE("ranges stay as they are where nobody asks for others", "[roc]") {
  const Dataset set = hardGraphs()[0];
  Trained many(MPI_COMM_WORLD, set, settingsOf(), {});
  for (int epoch = 0; epoch < 10; ++epoch) many.method->runEpoch(epoch);
  CHECK(many.method->decided().empty());
  CHECK(many.method->metrics().count("resplits") == 0);
}
