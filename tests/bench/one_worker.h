#pragma once

// One worker with a data set of its own, for benchmarks of methods that train on one rank.

#include <memory>

#include "engine/methods/full_graph/full_graph.h"
#include "engine/run/worker/distribute.h"

namespace halo::bench {

struct OneWorker {
  Tracer tracer;
  Communicator comm{MPI_COMM_WORLD, tracer};
  RunSettings settings;
  Share share;
  std::unique_ptr<Model> model;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<WorkerParts> parts;
  std::unique_ptr<Method> method;

  OneWorker(const Dataset& set, const RunSettings& run) : settings(run) {
    const MethodEntry& entry = *find<MethodEntry>(run.method);
    settings.model = modelFor(entry, run.model);
    const Csr propagation = propagationMatrix(set.arcs, find<LayerEntry>(run.model.kind)->propagation);
    share = cutShare(set, propagation, Owners(set.split.size(), 0), 0, 1);
    model =
        std::make_unique<Model>(settings.model, layerWidths(settings.model, set.features.cols(), set.classes),
                                run.training.seed, false);
    optimizer = std::make_unique<Optimizer>(run.training);
    parts = std::make_unique<WorkerParts>(WorkerParts{comm, tracer, settings, share, *model, *optimizer});
    method = entry.make(*parts, settings.parameters);
  }
  ~OneWorker() {
    if (method != nullptr) method->finish();
  }
  OneWorker(const OneWorker&) = delete;
  OneWorker& operator=(const OneWorker&) = delete;
};

/// A generated graph at a tenth of its vertices, with one training vertex in twelve, as ogbn-products has.
inline Dataset tenthOf(const std::string& name) {
  for (const GraphShape& shape : generatedShapes()) {
    if (shape.name != name) continue;
    Dataset set = generate(shape, 0.1, /*seed=*/1);
    constexpr std::size_t kEvery = 12;
    for (std::size_t v = 0; v < set.split.size(); ++v)
      set.split[v] = v % kEvery == 0 ? Split::train : Split::test;
    return set;
  }
  throw std::runtime_error("no graph " + name);
}

/// Two layers of GraphSAGE, 256 wide, on batches of 1,024 with fan-outs 25 and 10.
inline RunSettings batchesOf(const std::string& method) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.parameters["batch"] = std::int64_t{1024};
  run.model.kind = "graphsage";
  run.model.layers = 2;
  run.model.hidden = 256;
  return run;
}

}  // namespace halo::bench
