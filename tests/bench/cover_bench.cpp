// The minimum cover of a cut of ten million edges.
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>

#include "datasets/graph/csr.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/partition/halo/cover.h"

using namespace halo;

namespace {

/// Sources and destinations drawn by x^skew: 1 is uniform, above it few vertices take part in many edges.
Csr randomCut(Index rows, Index cols, Index edges, double skew, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 9);
  const auto draw = [&](Index count) {
    return static_cast<Vertex>(static_cast<double>(count) * std::pow(random.uniform(), skew));
  };
  const Index most = std::max(rows, cols);
  std::vector<Arc> arcs;
  for (Index e = 0; e < edges; ++e) arcs.push_back({draw(cols), draw(rows)});
  Csr graph = buildCsr(most, arcs, true);
  graph.offsets.resize(at(rows) + 1);
  graph.cols = cols;
  return graph;
}

}  // namespace

TEST_CASE("minimum cover of a cut of ten million edges", "[!benchmark][cover]") {
  for (const double skew : {1.0, 3.0}) {
    for (const Index sides : {1'000'000, 4'000'000}) {
      const Csr edges = randomCut(sides, sides, 10'000'000, skew, 1);
      Index size = 0;
      const std::clock_t begin = std::clock();
      size = minimumCover(edges).size;  // once: it takes seconds
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      WARN("sides of " << sides << ", skew " << skew << ": " << edges.nonzeros() << " edges, cover of "
                       << size << " in " << seconds << " s of processor time");
      CHECK(seconds < 10);
    }
  }
}
