#include <catch2/catch.hpp>

#include "datasets/generate/generate_arcs.h"
#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

/// Hubs, and communities whose members have neighbouring numbers: what one part of the graph asks of banks
/// says little of another.
const Csr& skewed() {
  static const Csr arcs = [] {
    GraphShape shape;
    shape.generator = "community";
    shape.vertices = 4000;
    shape.averageDegree = 40;
    shape.exponent = 1.9;
    shape.maxDegree = 1500;
    shape.homophily = 0.8;
    shape.classes = 7;
    return plantCommunities(shape, planGraph(shape, 1), 3, {}, 1).arcs;
  }();
  return arcs;
}

double tileOverCycle(const std::string& device, std::int64_t width) {
  const Csr& matrix = skewed();
  const Graph graph{matrix.rows(), matrix.nonzeros(), 1, &matrix};
  const auto cycles = [&](Level level) {
    return static_cast<double>(
        find<AcceleratorEntry>(deviceFile(device).model)
            ->simulate({deviceFigures(device), library(), graph, {{0, Pass::forward, width, false}}, level})
            .cycles);
  };
  return cycles(Level::tile) / cycles(Level::cycle);
}

}  // namespace

TEST_CASE("on a graph of hubs and communities, too, tiles take what is counted cycle by cycle",
          "[simulator]") {
  for (const char* device : {"spu", "hygcn", "hygcn-mixgcn", "awb-gcn", "awb-gcn-mixgcn", "fpga"})
    for (const std::int64_t width : {128, 16, 4}) {
      CAPTURE(device, width);
      CHECK(tileOverCycle(device, width) == Approx(1).margin(0.1));
    }
}
