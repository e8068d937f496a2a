#include "simulator/pipeline/pipeline_batches.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "datasets/graph/order.h"
#include "engine/base/problem.h"
#include "engine/comm/exchange/batch_transposition.h"
#include "tests/simulator/pipeline/pipeline_fixture.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::test;

namespace {

std::string refusal(const PipelineRates& rates) {
  try {
    timePhase(cutIntoBatches(path(10), 2, PipelineDependence::exact), rates);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("batches are those of the method moa", "[pipeline]") {
  for (const Index vertices : {1, 7, 60, 1000})
    for (const int batches : {1, 2, 5, 13, 64}) {
      CAPTURE(vertices, batches);
      const Batching batching{vertices, batches};
      const BatchPlan plan{vertices, batches, {}, {}};
      for (int j = 0; j < batches; ++j) {
        CHECK(batching.begin(j) == plan.batch(j).begin);
        CHECK(batching.rows(j) == plan.batch(j).count);
      }
      for (Index position = 0; position < vertices; ++position)
        CHECK(batching.batchAt(position) == plan.batchOf(position));
    }
}

TEST_CASE("what a batch refers to is read off the graph", "[pipeline]") {
  const auto batches = GENERATE(1, 2, 5, 16, 70);
  for (const Csr& A : {randomDirected(60, 100, 3), randomUndirected(60, 50, 4), path(60), star(60),
                       edgeless(60), permuted(grid(6, 10), randomOrder(60, 1))}) {
    const BatchCut exact = cutIntoBatches(A, batches, PipelineDependence::exact);
    const BatchCut slow = cutIntoBatchesReference(A, batches);
    CHECK(exact.lastNeeded == slow.lastNeeded);
    CHECK(exact.lastReader == slow.lastReader);
    // what refers to batch j over A is what j refers to over its transpose
    CHECK(cutIntoBatches(transpose(A), batches, PipelineDependence::exact).lastNeeded == exact.lastReader);

    Index nonzeros = 0;
    for (const Index count : exact.nonzeros) nonzeros += count;
    CHECK(nonzeros == A.nonzeros());
    const BatchCut band = cutIntoBatches(A, batches, PipelineDependence::band);
    const BatchCut all = cutIntoBatches(A, batches, PipelineDependence::all);
    for (std::size_t j = 0; j < exact.lastNeeded.size(); ++j) {
      CHECK(exact.lastNeeded[j] <= band.lastNeeded[j]);
      CHECK(band.lastNeeded[j] <= all.lastNeeded[j]);
      CHECK(all.lastNeeded[j] == batches - 1);
    }
  }
}

TEST_CASE("the band reaches as far as the proposition says", "[pipeline]") {
  for (Index n = 1; n <= 40; ++n)
    for (Index b = 0; b < n; ++b)
      for (int s = 1; s <= 8; ++s) {
        const BatchCut cut = cutIntoBatches(bandGraph(n, b), s, PipelineDependence::band);
        // bandGraph has no arcs if b = 0, and then no bandwidth either
        for (int j = 0; j < s; ++j) {
          if (cut.batching.rows(j) == 0) continue;
          CAPTURE(n, b, s, j);
          // k <= ceil(min(n, e + b) s / n), batches from 1, e the end of the batch
          const Index reach = std::min(n, cut.batching.begin(j + 1) + b);
          CHECK(cut.lastNeeded[at(j)] + 1 == (reach * s + n - 1) / n);
        }
      }
}

TEST_CASE("a phase takes what its rows and nonzeros take", "[pipeline]") {
  const BatchCut cut = cutIntoBatches(star(10), 2, PipelineDependence::exact);
  CHECK(cut.nonzeros == std::vector<Index>{13, 5});
  const PipelinePhase phase = timePhase(cut, {.aggregatePsPerNonzero = 2.5,
                                              .aggregatePsPerRow = 1,
                                              .updatePsPerRow = 7,
                                              .toDensePsPerRow = 3,
                                              .toSparsePsPerRow = 4,
                                              .overheadPs = 100});
  CHECK(phase.aggregatePs == std::vector<std::int64_t>{138, 118});  // 100 + 5 + 32.5, rounded; 100 + 5 + 12.5
  CHECK(phase.updatePs == std::vector<std::int64_t>{135, 135});
  CHECK(phase.toDensePs == std::vector<std::int64_t>{15, 15});
  CHECK(phase.toSparsePs == std::vector<std::int64_t>{20, 20});
}

TEST_CASE("rates that cannot be are refused by name", "[pipeline]") {
  CHECK(refusal({.aggregatePsPerNonzero = -1}) ==
        "pipeline.aggregate_ps_per_nonzero: -1 cannot be used; 0 or more");
  CHECK(refusal({.updatePsPerRow = std::nan("")}) ==
        "pipeline.update_ps_per_row: nan cannot be used; 0 or more");
  CHECK(refusal({.overheadPs = std::numeric_limits<double>::infinity()}) ==
        "pipeline.overhead_ps: inf cannot be used; 0 or more");
  CHECK(refusal({.updatePsPerRow = 1e16}) ==
        "pipeline.update: one phase takes 5e+16 ps or more; at most 1e+16");
  CHECK(refusal(byRows(1, 1)).empty());
}
