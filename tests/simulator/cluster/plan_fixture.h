#pragma once

#include "engine/base/index.h"
#include "engine/methods/laws/volume.h"
#include "engine/model/model.h"
#include "engine/partition/vertex_cut/arc_parts.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "tests/support/graphs.h"

namespace halo::cluster {

using test::datasetOf;

inline RunSettings runOf(const std::string& method, const std::string& kind = "gcn",
                         std::int64_t layers = 3) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = kind;
  run.model.layers = layers;
  run.model.hidden = 16;
  run.model.heads = 2;
  run.partition.method = "random";
  return run;
}

/// Scattered over the parts; with more than two, the last stays empty.
inline Owners scattered(Index vertices, int parts) {
  Owners owners;
  const int used = parts > 2 ? parts - 1 : parts;
  PhiloxStream random(11, Purpose::partition, 0);
  for (Index v = 0; v < vertices; ++v)
    owners.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(used))));
  return owners;
}

struct Sample {
  Dataset set = datasetOf("sample", 90, test::randomArcs(90, 400, 5), /*directed=*/true);
  RunSettings run;
  std::vector<std::int64_t> widths;
  Csr propagation;

  explicit Sample(RunSettings settings) : run(std::move(settings)) {
    for (const Index width : layerWidths(run.model, /*in=*/20, /*classes=*/12)) widths.push_back(width);
    propagation = propagationMatrix(set.arcs, find<LayerEntry>(run.model.kind)->propagation);
  }
  PlanRequest request(int ranks, std::int64_t epoch) const {
    return {set.arcs, propagation, run, widths, ranks, epoch, [this](int parts) {
              return scattered(set.vertices(), parts);
            }};
  }
  /// Why the method does not do this; empty if it does.
  std::vector<Problem> refused(int ranks) const {
    RunSettings settings = run;
    settings.cluster.workers = ranks;
    const MethodEntry& method = *find<MethodEntry>(run.method);
    std::vector<Problem> problems = refusals(method, settings);
    if (problems.empty() && method.refuseData != nullptr) {
      const std::vector<Index> shape(widths.begin(), widths.end());
      problems = method.refuseData(settings, {shape});
    }
    if ((!method.distributed && ranks > 1) || method.sampled) problems.push_back({});
    return problems;
  }
  /// What the method's predictor says, asked as the worker asks it.
  std::vector<PredictedVolume> predicted(int ranks, std::int64_t epoch) const {
    const MethodEntry& method = *find<MethodEntry>(run.method);
    RunSettings settings = run;
    settings.model = modelFor(method, run.model);
    Model model(settings.model, {widths.begin(), widths.end()}, 1, cachesLayer0(method, run.parameters));
    VolumeRequest volume;
    volume.parts = ranks;
    volume.widths = widths;
    for (int l = 0; l < model.layers(); ++l) {
      volume.propagated.push_back(model.layer(l).propagatedWidth());
      volume.returned.push_back(model.layer(l).returnedWidth());
      volume.backward.push_back(l > 0 || model.layer(l).backwardNeedsPropagation());
    }
    volume.attends = attends(settings.model);
    volume.heads = volume.attends ? settings.model.heads : 1;
    volume.weights = model.weightCount();
    volume.elementBytes = sizeof(Scalar);
    volume.firstEpoch = epoch == 0;
    volume.epoch = epoch;
    volume.parameters = run.parameters;
    const Placement placement = placeVertices(method, {set.arcs, ranks, run.parameters, [&](int parts) {
                                                         return parts == 1 ? Owners(at(set.vertices()), 0)
                                                                           : scattered(set.vertices(), parts);
                                                       }});
    ArcPlacement arcs;
    if (method.placesArcs)
      arcs = arcsPlaced(propagation, placement.owners, run.partition.method,
                        {ranks, run.partition.imbalance, run.training.seed, run.partition.parameters});
    const std::vector<Index> sizes(widths.begin(), widths.end());
    volume.tables =
        rowsSent(method, {propagation, placement.owners, ranks, settings, sizes, &arcs, placement.order});
    volume.rows = volume.tables.front();
    return predictVolume(method, volume);
  }
};

}  // namespace halo::cluster
