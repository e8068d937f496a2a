// Reverse Cuthill–McKee where it is at home: real road networks. Skipped where the data are not.
#include <catch2/catch.hpp>
#include <cmath>

#include "datasets/graph/order.h"
#include "datasets/load.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/shared_data.h"

using namespace halo;

TEST_CASE("reverse Cuthill-McKee narrows real road networks", "[order][real]") {
  const auto file = GENERATE("data/road-usroads/road-euroroad.mtx", "data/road-dimacs9/NY.gr.xz");
  const auto path = sharedData(file);
  if (path.empty()) return;
  const OwnCache own;
  DatasetRequest request;
  request.name = path.string();
  const Csr roads = loadDataset(request).arcs;
  const Index asNumbered = bandwidth(roads);
  const std::vector<Vertex> order = rcmOrder(roads);
  const Index narrowed = bandwidth(permuted(roads, order));
  CAPTURE(file, asNumbered, narrowed);
  // roads are nearly planar, so levels of the search are of the order of √n
  CHECK(static_cast<double>(narrowed) <= 4 * std::sqrt(static_cast<double>(roads.rows())));
  CHECK(10 * narrowed < asNumbered);
  CHECK(bandwidth(permuted(roads, randomOrder(roads.rows(), /*seed=*/1))) > asNumbered / 2);
}
