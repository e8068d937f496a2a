// A method set up on the ranks of a communicator as the worker does it, for tests of methods.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/philox.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/methods/full_graph/full_graph.h"
#include "engine/methods/laws/volume.h"
#include "engine/partition/connectivity/metis.h"
#include "engine/run/worker/distribute.h"
#include "tests/support/graphs.h"

namespace halo::test {

// Scattered over the parts; with more than two, the last stays empty.
inline Owners scatteredOwners(Index vertices, int parts) {
  Owners owners;
  const int used = parts > 2 ? parts - 1 : parts;
  PhiloxStream random(11, Purpose::partition, 0);
  for (Index v = 0; v < vertices; ++v)
    owners.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(used))));
  return owners;
}

/// The same, but of the graph of that name one part, not the first if there are others, has all training
/// vertices.
inline Owners scatteredOwners(const Dataset& set, int parts) {
  Owners owners = scatteredOwners(set.vertices(), parts);
  if (set.name != kOnePartTrains) return owners;
  const int trainer = parts > 2 ? parts - 2 : parts - 1;
  for (std::size_t v = 0; v < owners.size(); ++v)
    if (set.split[v] == Split::train) owners[v] = trainer;
  return owners;
}

/// Gives the model so many layers, and a method that draws neighbours all of them in each: batches of the
/// same seeds are then of one size.
inline void setLayers(RunSettings& run, std::int64_t layers) {
  run.model.layers = layers;
  if (!run.parameters.contains("fanouts")) return;
  std::string all = "all";
  for (std::int64_t l = 1; l < layers; ++l) all += ",all";
  run.parameters["fanouts"] = all;
}

/// A method with its parameters' defaults, on a model of this form.
inline RunSettings settingsFor(const std::string& method, const std::string& kind, std::int64_t layers,
                               std::int64_t hidden, double dropout = 0) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  // what waits for modelled devices has a test of its own
  if (run.parameters.contains("clock")) run.parameters["clock"] = std::string("virtual");
  run.model.kind = kind;
  run.model.hidden = hidden;
  run.model.dropout = dropout;
  setLayers(run, layers);
  return run;
}

inline RunSettings with(RunSettings run, const std::string& key, Value value) {
  run.parameters.insert_or_assign(key, std::move(value));
  return run;
}

/// Of the workers, as mop-partition reads it.
inline std::string gridText(int groups, int slices) {
  return std::to_string(groups) + "x" + std::to_string(slices);
}

/// Of two differences; one that is no number is larger than any.
inline double larger(double a, double b) {
  return std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

/// The largest of the ranks' differences, as far as the scale has it: no number, or more than 1000, counts as
/// 1000. Collective.
inline double largestAnywhere(Communicator& comm, double value) {
  constexpr double kMost = 1e3, kScale = 1e15;
  const double most = std::min(larger(0, value), kMost);
  return static_cast<double>(comm.max(static_cast<std::int64_t>(most * kScale))) / kScale;
}

/// METIS as a run asks for it, for a method that divides vertices by several weights.
inline auto metisOf(const RunSettings& run) {
  return [imbalance = run.partition.imbalance, seed = run.training.seed](
             const Csr& arcs, const Weights& weights, int parts, int constraints) {
    return metisParts(arcs, weights, parts, imbalance, seed, MetisObjective::cut, constraints);
  };
}

/// Where it is set, messages move through the progress engine, as they do between hosts.
inline constexpr const char* kMovesVariable = "HALO_TEST_MOVES";

/// One method on the ranks of a communicator, everything it refers to included.
struct Trained {
  Tracer tracer{std::size_t{1} << 13};  // a worker's 12 MB took a quarter of the tests' time
  Communicator comm;
  RunSettings settings;
  Owners owners;
  Csr propagation;
  ArcPlacement arcs;          // if the method cuts vertices
  std::vector<Vertex> order;  // if it works on them in one of its own
  Share share;
  std::unique_ptr<Model> model;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<WorkerParts> parts;
  std::unique_ptr<Method> method;
  const MethodEntry* entry;

  Trained(MPI_Comm ranks, const Dataset& set, const RunSettings& run, const Owners& ownersOfAll)
      : comm(ranks, tracer), settings(run), owners(ownersOfAll), entry(find<MethodEntry>(run.method)) {
    HALO_CHECK(entry != nullptr);
    if (std::getenv(kMovesVariable) != nullptr) comm.keepMoving(Communicator::Moves::always);
    propagation = propagationMatrix(set.arcs, find<LayerEntry>(run.model.kind)->propagation);
    const auto widths = layerWidths(run.model, set.features.cols(), set.classes);
    if (entry->place != nullptr) {
      const auto scattered = [&](int count) { return scatteredOwners(set, count); };
      PlacementRequest request{set.arcs, comm.size(), run.parameters, scattered, {}, set.split};
      if (run.partition.method == "metis") request.divide = metisOf(run);
      Placement placement = placeVertices(*entry, std::move(request));
      owners = std::move(placement.owners);
      order = std::move(placement.order);
    }
    if (entry->placesArcs)
      arcs = arcsPlaced(propagation, owners, run.partition.method,
                        {comm.size(), run.partition.imbalance, run.training.seed, run.partition.parameters});
    share = cutShare(set, propagation, owners, comm.rank(), comm.size(), entry->placesArcs ? &arcs : nullptr);
    share.order = order;
    if (set.mapped) share.mapped = std::make_shared<const MappedRows>(*set.mapped);
    settings.model = modelFor(*entry, run.model);
    model = std::make_unique<Model>(settings.model, widths, run.training.seed, cached());
    if (embedsLabels(run.parameters)) model->embedLabels(run.training.seed);
    optimizer = std::make_unique<Optimizer>(run.training);
    parts = std::make_unique<WorkerParts>(WorkerParts{comm, tracer, settings, share, *model, *optimizer});
    method = entry->make(*parts, settings.parameters);
  }
  // A failed REQUIRE ends one rank alone: nobody would answer.
  ~Trained() {
    if (method != nullptr && std::uncaught_exceptions() == 0) method->finish();
  }
  Trained(const Trained&) = delete;
  Trained& operator=(const Trained&) = delete;
  bool cached() const { return cachesLayer0(*entry, settings.parameters); }
};

/// FLOP of this rank inside the layers since last asked.
inline std::int64_t flopOf(Trained& t) {
  std::int64_t flop = 0;
  for (const WorkRow& row : t.method->takeWork())
    if (row.layer >= 0) flop += row.flop;
  return flop;
}

inline int worldSize() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

using FlowKey = std::tuple<int, Pass, int>;
using Flows = std::map<FlowKey, std::pair<std::int64_t, std::int64_t>>;

/// What this rank sends in an epoch by the method's predictor, who knows what the last one decided: messages
/// and bytes by layer, pass and peer.
inline Flows predictedIn(const Trained& t, std::int64_t epoch) {
  VolumeRequest request;
  request.parts = t.comm.size();
  request.widths.assign(t.model->widths().begin(), t.model->widths().end());
  for (int l = 0; l < t.model->layers(); ++l) {
    request.propagated.push_back(t.model->layer(l).propagatedWidth());
    request.returned.push_back(t.model->layer(l).returnedWidth());
    request.backward.push_back(l > 0 || t.model->layer(l).backwardNeedsPropagation());
  }
  request.attends = attends(t.settings.model);
  request.heads = request.attends ? t.settings.model.heads : 1;
  request.weights = t.model->weightCount();
  request.inputWeights = t.model->inputWeightCount();
  request.elementBytes = sizeof(Scalar);
  request.firstEpoch = epoch == 0;
  request.epoch = epoch;
  request.parameters = t.settings.parameters;
  const std::vector<Index>& widths = t.model->widths();
  request.tables =
      rowsSent(*t.entry, {t.propagation, t.owners, t.comm.size(), t.settings, widths, &t.arcs, t.order});
  request.rows = request.tables.front();
  request.decided = t.method->decided();
  Flows flows;
  for (const PredictedVolume& v : predictVolume(*t.entry, request)) {
    if (v.source != t.comm.rank()) continue;
    auto& flow = flows[{v.layer, v.pass, v.target}];
    flow.first += v.messages;
    flow.second += v.bytes;
  }
  return flows;
}

/// The same of the first epoch, or of any other where these do not differ.
inline Flows predictedOf(const Trained& t, bool first) { return predictedIn(t, first ? 0 : 1); }

/// What it sent since this was last asked.
inline Flows measuredOf(Trained& t) {
  Flows flows;
  for (const Flow& f : t.comm.takeFlows()) {
    if (f.messages == 0) continue;  // only received from there
    auto& flow = flows[{f.layer, f.pass, f.target}];
    flow.first += f.messages;
    flow.second += f.bytes;
  }
  return flows;
}

/// Messages and bytes of all layers and ranks since this was last asked; not the all-reduce. Collective.
inline std::pair<std::int64_t, std::int64_t> totalOf(Trained& t) {
  std::int64_t messages = 0, bytes = 0;
  for (const auto& [key, flow] : measuredOf(t)) {
    if (std::get<0>(key) < 0) continue;
    messages += flow.first;
    bytes += flow.second;
  }
  return {t.comm.sum(messages), t.comm.sum(bytes)};
}

/// For a method that uses fresh rows: three epochs send what is predicted, and nothing was stale.
inline void checkFreshAndAsPredicted(Trained& many) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    many.method->prepareProbe();
    many.method->runEpoch(epoch);
    for (const Staleness& row : many.method->probeStaleness()) CHECK(row.absolute == 0);
    many.method->evaluate();
    CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
  }
}

/// Logits of the own rows, mean over `epochs` further epochs: what unbiased draws are measured by.
inline std::vector<double> meanLogits(Trained& many, int epochs) {
  std::vector<double> mean;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    many.method->runEpoch(epoch);
    const auto values = many.method->logits()->values();
    mean.resize(values.size(), 0);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(values[i]) / epochs;
  }
  return mean;
}

}  // namespace halo::test
