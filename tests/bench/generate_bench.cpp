// Ten million edges from nothing to a data set: haloscope-benchmarks "[generate]".
#include <catch2/catch.hpp>

#include "datasets/generate/generate.h"
#include "datasets/graph/order.h"

using namespace halo;

TEST_CASE("generate ten million edges", "[!benchmark][generate]") {
  struct Case {
    const char* name;
    double scale;  // at which the graph has ten million edges
  };
  const auto [name, scale] = GENERATE(Case{"reddit-like", 0.175}, Case{"products-like", 0.1617},
                                      Case{"arxiv-like", 1.0}, Case{"road-like", 1.0});
  const auto& shapes = generatedShapes();
  for (const GraphShape& shape : shapes) {
    if (shape.name != name) continue;
    const Dataset once = generate(shape, scale, /*seed=*/1);
    const Index lines = once.arcs.nonzeros() / (once.directed ? 1 : 2);
    BENCHMARK(std::string(name) + ", " + std::to_string(lines) + " edges") {
      return generate(shape, scale, /*seed=*/1).arcs.nonzeros();
    };
  }
}

TEST_CASE("reverse Cuthill-McKee of a road network", "[!benchmark][order]") {
  for (const GraphShape& shape : generatedShapes()) {
    if (shape.name != "road-like") continue;
    const Csr A = generate(shape, 1.0, /*seed=*/1).arcs;
    BENCHMARK(std::to_string(A.rows()) + " vertices") { return rcmOrder(A).front(); };
  }
}
