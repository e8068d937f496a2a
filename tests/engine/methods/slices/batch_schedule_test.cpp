#include "engine/methods/slices/batch_schedule.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "datasets/graph/order.h"
#include "tests/support/small_graphs.h"

using namespace halo;

TEST_CASE("as many stages as Proposition 3.5 asks for, and no more", "[moa]") {
  for (Index n = 1; n <= 60; ++n)
    for (Index b = 0; b < n; ++b) {
      CAPTURE(n, b);
      // the first batch needs nothing of the last: (s - 1) n / s - n / s >= b
      int fewest = 1;
      while ((fewest - 2) * n < fewest * b) ++fewest;
      CHECK(enoughStages(n, b) == (fewest <= kMostStages ? fewest : kStagesWithinLayers));
    }
  // the bandwidths that the paper's Table 4 implies
  CHECK(enoughStages(1000, 818) == 11);
  CHECK(enoughStages(1000, 894) == 19);
  CHECK(enoughStages(1000, 666) == 6);
  CHECK(enoughStages(1000, 500) == 4);
}

TEST_CASE("the bandwidth in an order is that of the graph renumbered", "[moa]") {
  const Csr A = path(40);
  std::vector<Vertex> numbers(40);
  std::iota(numbers.begin(), numbers.end(), Vertex{0});
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const std::vector<Vertex> order = randomOrder(40, seed);
    CHECK(bandwidthIn(order, A, numbers, numbers) == bandwidth(permuted(A, order)));
  }
  CHECK(bandwidthIn(numbers, A, numbers, numbers) == 1);
}

TEST_CASE("batches and blocks have every position once, in order", "[moa]") {
  for (const Index vertices : {0, 1, 7, 60})
    for (const int batches : {1, 2, 5, 13})
      for (const int workers : {2, 6}) {
        CAPTURE(vertices, batches, workers);
        const BatchPlan plan = planOf(vertices, batches, workers);
        CHECK(plan.holders() == workers / 2);
        CHECK(plan.slices() == workers / 2);
        Index next = 0;
        std::vector<int> counts(at(vertices), 0);
        for (int b = 0; b < batches; ++b) {
          CHECK(plan.batch(b).begin == next);
          next += plan.batch(b).count;
          for (int i = 0; i < plan.holders(); ++i) {
            const Slice block = plan.block(b, i);
            for (Index p = block.begin; p < block.begin + block.count; ++p) {
              ++counts[at(p)];
              CHECK(plan.batchOf(p) == b);
            }
          }
        }
        CHECK(next == vertices);
        CHECK(std::ranges::all_of(counts, [](int times) { return times == 1; }));
      }
}
