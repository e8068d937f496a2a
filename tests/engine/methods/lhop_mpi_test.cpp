// What lhop is to do: nothing but features travels, work and memory are those of the redundant
// rows. That it gives what one worker gives, and sends what is predicted, the identity tests check.
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "engine/kernels/threads/work.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings lhop(bool refetch, std::int64_t layers = 3) {
  RunSettings run = settingsFor("lhop", "gcn", layers, 7);
  run.parameters.insert_or_assign("refetch", Value(refetch));
  run.model.order = "aggregate-first";
  return run;
}

/// N^k of each k from 0 to hops as marks of vertices, from the definition: k times every in-neighbour.
std::vector<std::vector<bool>> reached(const Csr& P, const Owners& owners, int rank, std::int64_t hops) {
  std::vector<std::vector<bool>> sets(1);
  for (const std::int32_t owner : owners) sets[0].push_back(owner == rank);
  for (std::int64_t k = 0; k < hops; ++k) {
    std::vector<bool> wider = sets.back();
    for (Index v = 0; v < P.rows(); ++v)
      if (sets.back()[at(v)])
        for (const Vertex u : P.row(v)) wider[at(u)] = true;
    sets.push_back(wider);
  }
  return sets;
}

std::int64_t size(const std::vector<bool>& set) { return std::count(set.begin(), set.end(), true); }

std::int64_t nonzeros(const Csr& P, const std::vector<bool>& set) {
  std::int64_t sum = 0;
  for (Index v = 0; v < P.rows(); ++v)
    if (set[at(v)]) sum += P.degree(v);
  return sum;
}

}  // namespace

TEST_CASE("lhop sends features before layer 0 and nothing between layers", "[lhop]") {
  for (const bool refetch : {true, false}) {
    for (const Dataset& set : hardGraphs()) {
      CAPTURE(set.name, refetch);
      const Owners owners = scatteredOwners(set, worldSize());
      Trained t(MPI_COMM_WORLD, set, lhop(refetch), owners);
      for (int epoch = 0; epoch < 3; ++epoch) {
        t.method->runEpoch(epoch);
        std::int64_t sent = 0;
        for (const auto& [key, flow] : measuredOf(t)) {
          const auto [layer, pass, target] = key;
          const bool features = layer == 0 && pass == Pass::forward;
          CHECK((features || (layer == -1 && target == -1)));
          if (features) sent += flow.second;
        }
        std::int64_t remote = 0;
        for (int rank = 0; rank < worldSize(); ++rank)
          remote += size(reached(t.propagation, owners, rank, 3)[3]) -
                    static_cast<std::int64_t>(std::ranges::count(owners, rank));
        const bool fetches = refetch || epoch == 0;
        CHECK(t.comm.sum(sent) ==
              (fetches ? remote * set.features.cols() * std::int64_t{sizeof(Scalar)} : 0));
      }
    }
  }
}

TEST_CASE("lhop works as much as the rows it computes take, and keeps as much", "[lhop]") {
  const Dataset set = datasetOf("random", 60, randomArcs(60, 90, 4), true);
  const Owners owners = scatteredOwners(60, worldSize());
  Trained t(MPI_COMM_WORLD, set, lhop(false), owners);
  t.method->runEpoch(0);
  const std::int64_t before = work().total();
  t.method->runEpoch(1);
  const auto near = reached(t.propagation, owners, t.comm.rank(), 3);
  const std::vector<Index>& d = t.model->widths();
  std::int64_t flop = 0, elements = 0;
  for (std::size_t l = 0; l < 3; ++l) {
    const std::vector<bool>& targets = near[2 - l];
    flop += 2 * nonzeros(t.propagation, targets) * d[l] * (l > 0 ? 2 : 1);
    flop += 2 * size(targets) * d[l] * d[l + 1] * (l > 0 ? 3 : 2);
    elements += size(near[3 - l]) * d[l];
  }
  CHECK(work().total() - before == flop);
  std::int64_t noted = 0;
  for (const WorkRow& row : t.method->takeWork()) noted += row.flop;
  CHECK(noted == 2 * flop);  // of two epochs
  CHECK(t.method->memoryBytes() >= elements * std::int64_t{sizeof(Scalar)});
}

TEST_CASE("where the graph is no wider than the layers are many, every lhop worker does everything",
          "[lhop]") {
  const Dataset set = datasetOf("star", star(21), false);
  Trained t(MPI_COMM_WORLD, set, lhop(true, /*layers=*/3), scatteredOwners(21, worldSize()));
  Trained single(MPI_COMM_SELF, set, lhop(true, /*layers=*/3), Owners(21, 0));
  t.method->runEpoch(0);
  single.method->runEpoch(0);
  const auto firstLayer = [](Trained& trained) {
    std::int64_t flop = 0;
    for (const WorkRow& row : trained.method->takeWork())
      if (row.layer == 0) flop += row.flop;
    return flop;
  };
  // two hops lead from any vertex of a star to all: layer 0 is computed for all of them by whoever owns one
  const std::int64_t expected = t.share.graph.owned.empty() ? 0 : firstLayer(single);
  CHECK(firstLayer(t) == expected);
}
