#include "engine/partition/stochastic/join_neighbours.h"

#include <catch2/catch.hpp>

#include "tests/support/small_graphs.h"

namespace halo {

TEST_CASE("vertices without a part join most of their neighbours, the lightest first",
          "[partition][stochastic]") {
  // 4 has two neighbours in part 0 and one in part 1, 5 reaches only 4, 6 nobody
  const Csr edges = symmetrised(buildCsr(7, std::vector<Arc>{{0, 4}, {1, 4}, {2, 4}, {4, 5}}, false));
  const Weights weights(7, 1);
  Owners owners{0, 0, 1, 1, -1, -1, -1};
  joinNeighbours(edges, weights, 2, 10, owners);
  CHECK(owners == Owners{0, 0, 1, 1, 0, 0, 1});  // part 1 is lighter for the last

  Owners full{0, 0, 1, 1, -1, -1, -1};
  joinNeighbours(edges, weights, 2, 3, full);  // 5 finds part 0 full
  CHECK(full == Owners{0, 0, 1, 1, 0, 1, 0});

  const Csr pair = symmetrised(buildCsr(3, std::vector<Arc>{{0, 1}, {0, 2}}, false));
  Owners pairOwners{0, -1, -1};
  joinNeighbours(pair, {1, 2, 1}, 2, 2, pairOwners);  // 2 is lighter than 1 and takes the room
  CHECK(pairOwners == Owners{0, 1, 0});
}

TEST_CASE("where no vertex has a part, parts grow along edges", "[partition][stochastic]") {
  Owners owners(12, -1);
  joinNeighbours(path(12), Weights(12, 1), 3, 4, owners);
  for (std::size_t v = 0; v < 12; ++v) CHECK(owners[v] == static_cast<std::int32_t>(v / 4));
}

}  // namespace halo
