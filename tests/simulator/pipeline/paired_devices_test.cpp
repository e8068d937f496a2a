#include "simulator/pipeline/paired_devices.h"

#include <catch2/catch.hpp>

#include "datasets/graph/order.h"
#include "tests/simulator/device.h"
#include "tests/simulator/pipeline/pipeline_fixture.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;
using namespace halo::test;

namespace {

PairedSettings settings() {
  PairedSettings all;
  all.sparse = "spu";
  all.sparseFigures = deviceFigures("spu");
  all.denseGmacs = 1000;
  all.slices = 4;
  all.model.layers = 3;
  all.model.hidden = 16;
  all.model.order = "aggregate-first";
  return all;
}

/// A graph that is there, its features and classes 16 wide.
SourceGraph sourceOf(Csr arcs) {
  SourceGraph source;
  source.vertices = arcs.rows();
  source.nonzeros = arcs.nonzeros();
  source.features = source.classes = 16;
  source.tiling = "exact";
  source.arcs = std::move(arcs);
  return source;
}

/// Figures alone.
SourceGraph figures(const char* graph, double band) {
  return sourceGraph({.graph = graph, .tiling = "statistics", .band = band}, library());
}

PairedResult run(const PairedSettings& all, SourceGraph source) {
  return simulatePaired(all, source, library());
}

std::int64_t total(const PairedResult& result) {
  std::int64_t sum = 0;
  for (const PairedPhase& phase : result.phases) sum += phase.aggregatePs + phase.updatePs;
  return sum;
}

}  // namespace

TEST_CASE("an epoch is 2L - 1 phases with the products of their updates", "[pipeline]") {
  PairedSettings all = settings();
  const PairedResult result = run(all, sourceOf(bandGraph(1000, 3)));
  REQUIRE(result.phases.size() == 5);
  // 1000 rows on four devices, 16 × 16, at 1 multiply-add a ns: 64 µs a product
  constexpr std::int64_t kProduct = 250 * 16 * 16;
  constexpr std::int64_t kProducts[] = {1, 1, 3, 2, 1};
  for (std::size_t p = 0; p < 5; ++p) CHECK(result.phases[p].updatePs == kProducts[p] * kProduct);
  CHECK(result.phases[3].direction == Pass::backward);
  CHECK(result.phases[3].layer == 2);
  all.training = false;
  CHECK(run(all, sourceOf(bandGraph(1000, 3))).phases.size() == 3);
}

TEST_CASE("phases have the products of their kind and order", "[pipeline]") {
  ModelSettings model;
  model.layers = 2;
  model.hidden = 16;
  using Product = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  const auto products = [&](const char* kind, const char* order) {
    model.kind = kind;
    model.order = order;
    std::vector<std::vector<Product>> all;
    for (const PairedPhase& phase : phasesOf(model, 64, 8, true)) {
      auto& shapes = all.emplace_back();
      for (const Update& update : phase.updates) shapes.emplace_back(update.in, update.out, update.products);
    }
    return all;
  };
  using Products = std::vector<std::vector<Product>>;
  CHECK(products("gcn", "aggregate-first") == Products{{{64, 16, 1}}, {{16, 8, 3}}, {{64, 16, 1}}});
  CHECK(products("graphsage", "aggregate-first") == Products{{{64, 16, 2}}, {{16, 8, 6}}, {{64, 16, 2}}});
  CHECK(products("gin", "aggregate-first") == Products{{{64, 16, 1}, {16, 16, 1}},
                                                       {{16, 8, 1}, {8, 8, 3}, {16, 8, 2}},
                                                       {{16, 16, 2}, {64, 16, 1}}});
  // the first product before anything is aggregated, the last gradient after all is
  CHECK(products("gcn", "update-first") ==
        Products{{{64, 16, 1}}, {{16, 8, 1}}, {}, {{16, 8, 2}}, {{64, 16, 1}}});
  CHECK(products("graphsage", "update-first") ==
        Products{{{64, 16, 2}}, {{16, 8, 2}}, {{16, 8, 2}}, {{16, 8, 2}, {64, 16, 1}}, {{64, 16, 1}}});
  CHECK(products("gin", "update-first") ==
        Products{
            {{64, 16, 1}}, {{16, 16, 1}, {16, 8, 1}}, {{8, 8, 3}}, {{16, 8, 2}, {16, 16, 2}}, {{64, 16, 1}}});
  CHECK(products("gcn", "auto") == products("gcn", "update-first"));

  model.order = "update-first";
  const auto phases = phasesOf(model, 64, 8, true);
  CHECK(phases[0].width == 0);
  CHECK(phases[0].out == 16);
  CHECK(phases[2].width == 8);
  CHECK(phases[2].out == 8);
}

TEST_CASE("a pipeline whose layers update first takes what its phases do", "[pipeline]") {
  PairedSettings all = settings();
  all.model.order = "update-first";
  all.stages = 1;
  const PairedResult result = run(all, sourceOf(bandGraph(1000, 3)));
  REQUIRE(result.phases.size() == 7);  // 2 L aggregations, and the first product
  CHECK(result.phases.front().aggregatePs == 0);
  CHECK(result.times.makespanPs == total(result));
  // what waits for the first product is a fill, not idle
  CHECK(result.times.timesOf(PipelineUnit::sparse).fillPs == result.phases.front().updatePs);
  all.stages = 8;
  const PairedResult batches = run(all, sourceOf(bandGraph(1000, 3)));
  CHECK(batches.times.makespanPs < result.times.makespanPs);
}

TEST_CASE("one batch a phase is sequential", "[pipeline]") {
  PairedSettings all = settings();
  all.stages = 1;
  const PairedResult result = run(all, sourceOf(bandGraph(1000, 3)));
  CHECK(result.times.makespanPs == result.sequentialPs);
  CHECK(result.sequentialPs == total(result));
}

TEST_CASE("ordering gains what the law says where batches are alike", "[pipeline]") {
  // what Table 4 implies of each band, and the stages that it has
  const auto [graph, band, stages] = GENERATE(table<const char*, double, int>({{"reddit", 0.81, 11},
                                                                               {"orkut", 0.81, 11},
                                                                               {"twitter", 0.892, 19},
                                                                               {"friendster", 0.65, 6},
                                                                               {"papers100m", 0.45, 4}}));
  PairedSettings all = settings();
  all.slices = 32;
  all.model.hidden = 128;
  const PairedResult result = run(all, figures(graph, band));
  CAPTURE(graph, result.balance);
  CHECK(result.propositionStages == stages);
  CHECK(result.stages == stages);
  CHECK(static_cast<double>(result.bandwidth) / static_cast<double>(result.vertices) == Approx(band));
  CHECK(result.times.makespanPs <= result.unorderedPs);
  CHECK(result.unorderedPs <= result.sequentialPs);
  const auto gainOf = [](const PairedResult& pipeline) {
    return static_cast<double>(pipeline.unorderedPs) / static_cast<double>(pipeline.times.makespanPs);
  };
  CHECK(gainOf(result) == Approx(result.lawGain).epsilon(0.01));
  // one batch too few, and the gain is gone
  all.stages = stages - 1;
  CHECK(run(all, figures(graph, band)).lawGain == Approx(1));
  // where the first phase updates longer than it aggregates, and others do not
  for (const double gmacs : {335.0, 670.0, 3350.0})
    for (const int more : {0, 1, 7}) {
      all.denseGmacs = gmacs;
      all.stages = stages + more;
      const PairedResult turns = run(all, figures(graph, band));
      CAPTURE(gmacs, more);
      CHECK(gainOf(turns) == Approx(turns.lawGain).epsilon(0.01));
    }
  for (const double overhead : {10.0, 100.0, 1000.0}) {
    all.overheadUs = overhead;
    all.stages = stages + 1;
    const PairedResult costly = run(all, figures(graph, band));
    CAPTURE(overhead);
    CHECK(gainOf(costly) == Approx(costly.lawGain).epsilon(0.01));
  }
}

TEST_CASE("a pipeline that takes longer than can be counted is refused by name", "[pipeline]") {
  const Csr arcs = bandGraph(1000, 3);
  const auto refusal = [&](const PairedSettings& all) {
    try {
      run(all, sourceOf(arcs));
    } catch (const InputError& error) {
      return error.problems().front().key;
    }
    return std::string();
  };
  PairedSettings all = settings();
  CHECK(refusal(all).empty());
  all.denseGmacs = 1e-11;  // three products of 64,000 multiply-adds
  CHECK(refusal(all) == "pipeline.dense_gmacs");
  all.denseGmacs = 4e-11;  // each phase can be counted, all together cannot
  CHECK(refusal(all) == "pipeline");
  all = settings();
  all.overheadUs = 1e13;
  CHECK(refusal(all) == "pipeline.overhead_us");
}

TEST_CASE("phases all alike gain to within one percent of the law", "[pipeline]") {
  PairedSettings all = settings();
  all.slices = 32;
  all.model.layers = 1;  // forward alone: N = 1
  all.training = false;
  const PairedResult oneLayer = run(all, figures("papers100m", 0.45));
  CHECK(oneLayer.lawGain == Approx(1));
  // three layers 128 wide of 128 features and as many classes are alike
  all.model.layers = 3;
  all.model.hidden = 128;
  for (const double gmacs : {500.0, 5000.0, 33'500.0}) {
    all.denseGmacs = gmacs;
    SourceGraph source = figures("papers100m", 0.45);
    source.classes = 128;
    const PairedResult result = run(all, std::move(source));
    CAPTURE(gmacs, result.balance);
    const double gain =
        static_cast<double>(result.unorderedPs) / static_cast<double>(result.times.makespanPs);
    CHECK(gain == Approx(result.lawGain).epsilon(0.01));
    CHECK(gain <= result.mostGain * (1 + 1e-9));
    CHECK(gain == Approx(result.mostGain).epsilon(0.01));
  }
}

TEST_CASE("a graph without arcs hides the shorter phase, a complete one gains nothing by its order",
          "[pipeline]") {
  PairedSettings all = settings();
  all.stages = 8;
  all.denseGmacs = 10;
  const PairedResult together = run(all, sourceOf(completeGraph(64)));
  CHECK(together.times.makespanPs == together.unorderedPs);

  // nothing but the diagonal: the longer of the two, and one batch of the other, which nothing hides
  std::vector<Arc> diagonal;
  for (Vertex v = 0; v < 800; ++v) diagonal.push_back({v, v});
  all.training = false;  // three phases alike
  const PairedResult apart = run(all, sourceOf(buildCsr(800, diagonal, true)));
  const auto [aggregate, update] = std::pair(apart.phases[1].aggregatePs, apart.phases[1].updatePs);
  CHECK(apart.bandwidth == 0);
  CHECK(apart.stages >= apart.propositionStages);
  CHECK(static_cast<double>(apart.times.makespanPs) ==
        Approx(3.0 * static_cast<double>(std::max(aggregate, update)) +
               static_cast<double>(std::min(aggregate, update)) / 8)
            .epsilon(0.001));
  CHECK(apart.times.makespanPs < apart.unorderedPs);
}

TEST_CASE("what a batch refers to is no later than what the bandwidth allows", "[pipeline]") {
  const Csr arcs = symmetrised(randomDirected(600, 900, 3));
  PairedSettings all = settings();
  all.ordered = true;
  all.denseGmacs = 5;
  for (const int stages : {2, 4, 16}) {
    all.stages = stages;
    all.dependence = PipelineDependence::exact;
    const PairedResult exact = run(all, sourceOf(arcs));
    all.dependence = PipelineDependence::band;
    const PairedResult band = run(all, sourceOf(arcs));
    CHECK(exact.times.makespanPs <= band.times.makespanPs);
    CHECK(exact.bandwidth == bandwidth(permuted(arcs, rcmOrder(arcs))));
  }
}

TEST_CASE("a link is a third resource that can be the longest", "[pipeline]") {
  PairedSettings all = settings();
  all.stages = 8;
  const Csr arcs = bandGraph(4000, 5);
  const PairedResult without = run(all, sourceOf(arcs));
  all.link = {"slow", 0.001, 1, 0};
  const PairedResult slow = run(all, sourceOf(arcs));
  CHECK(slow.times.slower() == PipelineUnit::toDense);
  // 4000 rows × 4 columns × 4 bytes a phase at 1 Mbit/s
  CHECK(static_cast<double>(slow.times.makespanPs) * 1e-12 > 5 * 4000 * 4 * 4 * 8 / 1e6);
  CHECK(slow.times.makespanPs > without.times.makespanPs);
}

TEST_CASE("units are divided so that neither kind waits for the other", "[pipeline]") {
  PairedSettings all = settings();
  all.model.hidden = 128;
  all.denseGmacs = 2000;
  all.units = 16;
  const PairedResult divided = run(all, figures("papers100m", 0.45));
  CHECK(divided.sparseDevices + divided.denseDevices == 16);
  all.units = 0;
  all.slices = 8;
  const PairedResult halves = run(all, figures("papers100m", 0.45));
  const auto longer = [](const PairedResult& pipeline) {
    std::int64_t sum = 0;
    for (const PairedPhase& phase : pipeline.phases) sum += std::max(phase.aggregatePs, phase.updatePs);
    return sum;
  };
  CHECK(longer(divided) <= longer(halves));
  all.units = 1;
  CHECK_THROWS_AS(run(all, figures("papers100m", 0.45)), InputError);
}

TEST_CASE("a dense device by name times its own updates", "[pipeline]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    if (entry.updatePs == nullptr) continue;
    CAPTURE(name);
    PairedSettings all = settings();
    all.dense = name;
    all.denseFigures = deviceFigures(name);
    const PairedResult result = run(all, sourceOf(bandGraph(1000, 3)));
    CHECK(result.phases[1].updatePs == entry.updatePs(all.denseFigures, 250, 16, 16));
    CHECK(result.phases[2].updatePs == 3 * result.phases[1].updatePs);
  }
}

TEST_CASE("a graph without vertices takes no time in a pipeline", "[pipeline]") {
  const PairedResult result = run(settings(), sourceOf(buildCsr(0, {}, false)));
  CHECK(result.times.makespanPs == 0);
  CHECK(result.sequentialPs == 0);
}

TEST_CASE("batches of figures alone are those of a graph of that band", "[pipeline]") {
  const Csr arcs = bandGraph(97, 13);
  for (const int stages : {1, 2, 5, 96, 97, 120}) {
    const BatchCut counted = cutIntoBatches(arcs, stages, PipelineDependence::band);
    const BatchCut cut = cutByBand(97, arcs.nonzeros(), 13, stages);
    CHECK(cut.lastNeeded == counted.lastNeeded);
    CHECK(cut.lastReader == counted.lastReader);
    std::int64_t sum = 0;
    for (const Index nonzeros : cut.nonzeros) sum += nonzeros;
    CHECK(sum == arcs.nonzeros());
  }
}
