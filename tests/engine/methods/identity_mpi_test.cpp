// The identity tests of methods.md 0.7: every exact method gives what one worker gives, on every hard graph,
// for every rank count this program is started with; and it sends exactly what its predictor says.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <tuple>

#include "engine/comm/communicator.h"
#include "engine/methods/full_graph.h"
#include "engine/methods/volume.h"
#include "engine/run/distribute.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kTwentyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;

/// One method on the ranks of a communicator, everything it refers to included.
struct Trained {
  Tracer tracer;
  Communicator comm;
  RunSettings settings;
  Owners owners;
  Csr propagation;
  Share share;
  std::unique_ptr<Model> model;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<WorkerParts> parts;
  std::unique_ptr<Method> method;
  const MethodEntry* entry;

  Trained(MPI_Comm ranks, const Dataset& set, const RunSettings& run, const Owners& ownersOfAll)
      : comm(ranks, tracer), settings(run), owners(ownersOfAll), entry(find<MethodEntry>(run.method)) {
    REQUIRE(entry != nullptr);
    propagation = propagationMatrix(set.arcs, find<LayerEntry>(run.model.kind)->propagation);
    share = cutShare(set, propagation, owners, comm.rank(), comm.size());
    const auto widths = layerWidths(run.model, set.features.cols(), set.classes);
    model = std::make_unique<Model>(run.model, widths, run.training.seed, cached());
    optimizer = std::make_unique<Optimizer>(run.training);
    parts = std::make_unique<WorkerParts>(WorkerParts{comm, tracer, settings, share, *model, *optimizer});
    method = entry->make(*parts, settings.parameters);
  }
  bool cached() const { return settings.parameters.flag("layer0_cache"); }
};

RunSettings settingsOf(const std::string& method, const std::string& kind, const std::string& order,
                       double dropout, const std::string& norm, bool cache) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.parameters.insert_or_assign("layer0_cache", Value(cache));
  run.model.kind = kind;
  run.model.layers = 3;
  run.model.hidden = 7;
  run.model.order = order;
  run.model.norm = norm;
  run.model.dropout = dropout;
  return run;
}

// Scattered over the parts; with more than two, the last stays empty and the first holds vertex 0 alone.
Owners scatteredOwners(Index vertices, int parts) {
  Owners owners;
  const int used = parts > 2 ? parts - 1 : parts;
  PhiloxStream random(11, Purpose::partition, 0);
  for (Index v = 0; v < vertices; ++v)
    owners.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(used))));
  return owners;
}

int worldSize() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

double largest(std::span<const Scalar> values) {
  double most = 0;
  for (const Scalar v : values) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

// CHECK, not REQUIRE: leaving early on one rank would hang the others in the next collective.
void checkSame(const Trained& one, Trained& many, double tolerance) {
  const Matrix& whole = *one.method->logits();
  const Matrix& own = *many.method->logits();
  const double scale = std::max(largest(whole.values()), 1e-30);
  double worst = 0;
  for (std::size_t i = 0; i < many.share.graph.owned.size(); ++i)
    for (Index c = 0; c < whole.cols(); ++c)
      worst = std::max(worst, std::abs(static_cast<double>(own(static_cast<Index>(i), c) -
                                                           whole(many.share.graph.owned[i], c))));
  CHECK(worst <= tolerance * scale);
  const auto expected = one.model->weights();
  const auto found = many.model->weights();
  for (std::size_t w = 0; w < expected.size(); ++w) {
    CAPTURE(expected[w].first);
    const auto a = expected[w].second->gradient.values(), b = found[w].second->gradient.values();
    const double size = std::max(largest(a), 1e-30);
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      difference = std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    // a gradient that is rounding noise beside the others is compared on their scale
    CHECK(difference <= tolerance * std::max(size, 1e-3));
  }
}

using FlowKey = std::tuple<int, Pass, int>;
std::map<FlowKey, std::pair<std::int64_t, std::int64_t>> predictedOf(const Trained& t, bool first) {
  VolumeRequest request;
  request.parts = t.comm.size();
  request.widths.assign(t.model->widths().begin(), t.model->widths().end());
  for (int l = 0; l < t.model->layers(); ++l) {
    request.propagated.push_back(t.model->layer(l).propagatedWidth());
    request.backward.push_back(l > 0 || t.model->layer(l).backwardNeedsPropagation());
  }
  request.weights = t.model->weightCount();
  request.elementBytes = sizeof(Scalar);
  request.firstEpoch = first;
  request.parameters = t.settings.parameters;
  request.rows = haloRows(t.propagation, t.owners, t.comm.size());
  std::map<FlowKey, std::pair<std::int64_t, std::int64_t>> flows;
  for (const PredictedVolume& v : predictVolume(*t.entry, request)) {
    if (v.source != t.comm.rank()) continue;
    auto& flow = flows[{v.layer, v.pass, v.target}];
    flow.first += v.messages;
    flow.second += v.bytes;
  }
  return flows;
}

std::map<FlowKey, std::pair<std::int64_t, std::int64_t>> measuredOf(Trained& t) {
  std::map<FlowKey, std::pair<std::int64_t, std::int64_t>> flows;
  for (const Flow& f : t.comm.takeFlows()) {
    if (f.messages == 0) continue;  // only received from there
    auto& flow = flows[{f.layer, f.pass, f.target}];
    flow.first += f.messages;
    flow.second += f.bytes;
  }
  return flows;
}

}  // namespace

TEST_CASE("one epoch of every exact method equals one worker's", "[identity]") {
  for (const Dataset& set : hardGraphs()) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const std::string order : {"aggregate-first", "update-first"}) {
        for (const std::string overlap : {"none", "local-first"}) {
          const bool cache = order == "aggregate-first" && overlap == "local-first";
          const std::string norm = overlap == "none" ? "layer" : "none";
          CAPTURE(set.name, kind, order, overlap, cache, norm);
          Trained one(MPI_COMM_SELF, set, settingsOf("single", kind, order, 0.0, norm, cache),
                      Owners(static_cast<std::size_t>(set.vertices()), 0));
          RunSettings run = settingsOf("vanilla", kind, order, 0.0, norm, cache);
          run.parameters.insert_or_assign("overlap", Value(overlap));
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set.vertices(), worldSize()));
          const double expected = one.method->runEpoch(0), found = many.method->runEpoch(0);
          CHECK(found == Approx(expected).epsilon(kOneEpoch));
          checkSame(one, many, kOneEpoch);
        }
      }
    }
  }
}

TEST_CASE("twenty epochs with Adam and dropout follow one worker's", "[identity]") {
  const std::vector<Dataset> sets = hardGraphs();
  for (const std::size_t which : {0U, 1U, 8U}) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const bool cache : {false, true}) {
        const Dataset& set = sets[which];
        CAPTURE(set.name, kind, cache);
        Trained one(MPI_COMM_SELF, set, settingsOf("single", kind, "auto", 0.5, "layer", cache),
                    Owners(static_cast<std::size_t>(set.vertices()), 0));
        Trained many(MPI_COMM_WORLD, set, settingsOf("vanilla", kind, "auto", 0.5, "layer", cache),
                     scatteredOwners(set.vertices(), worldSize()));
        for (int epoch = 0; epoch < 20; ++epoch) {
          const double expected = one.method->runEpoch(epoch), found = many.method->runEpoch(epoch);
          CAPTURE(epoch);
          CHECK(found == Approx(expected).epsilon(kTwentyEpochs).margin(1e-9));
          const EpochRow a = one.method->evaluate(), b = many.method->evaluate();
          if (sizeof(Scalar) == 8) CHECK(a.train == b.train);
        }
      }
    }
  }
}

TEST_CASE("what a method sends equals its closed form to the byte and message", "[identity][volume]") {
  for (const Dataset& set : hardGraphs()) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const std::string order : {"aggregate-first", "update-first", "auto"}) {
        for (const bool cache : {false, true}) {
          if (cache && order == "update-first") continue;  // a cached layer 0 aggregates first
          CAPTURE(set.name, kind, order, cache);
          Trained many(MPI_COMM_WORLD, set, settingsOf("vanilla", kind, order, 0.5, "none", cache),
                       scatteredOwners(set.vertices(), worldSize()));
          for (int epoch = 0; epoch < 2; ++epoch) {
            many.method->runEpoch(epoch);
            many.method->evaluate();  // sends, but is not counted
            CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
          }
        }
      }
    }
  }
}
