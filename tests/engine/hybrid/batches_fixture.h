#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "datasets/generate/generate_arcs.h"
#include "engine/hybrid/stage_model.h"
#include "tests/engine/hybrid/platform_fixture.h"

namespace halo::hybridtest {

/// Mini-batches drawn from a replica of a published graph.
inline BatchSizes drawn(const std::string& name, double vertices) {
  for (const GraphShape& shape : generatedShapes()) {
    if (shape.name != name) continue;
    const double scale = vertices / static_cast<double>(shape.vertices);
    const Csr A = symmetrised(plantCommunities(shape, planGraph(shape, scale), 1, {}, 0).arcs);
    return BatchSizes(A, {.batchSizes = {256, 1024, 3072}, .draws = 6, .scale = 1 / scale});
  }
  throw std::runtime_error("no shape " + name);
}
inline const BatchSizes& products() {
  static const BatchSizes sizes = drawn("products-like", 25'000);
  return sizes;
}
inline const BatchSizes& papers() {
  static const BatchSizes sizes = drawn("papers100m-like", 30'000);
  return sizes;
}

/// HP-GNN's sizes for 1024 seeds and fan-outs 25 and 10, in proportion to the batch.
inline BatchSizes publishedSizes() {
  BatchSize size{{102'483, 9'000, 1'024}, {137'420, 8'505}};
  for (double& count : size.vertices) count /= 1024;
  for (double& count : size.edges) count /= 1024;
  return BatchSizes(size);
}

inline const HybridWork kProducts{{100, 256, 47}, false, 196'615};
inline const HybridWork kPapers{{128, 256, 172}, false, 1'207'179};
inline const HybridWork kMag{{756, 256, 153}, false, 1'112'392};

/// One of HyScale's six sets of experiments.
struct HyScaleSet {
  const char* name;
  HybridWork work;
  bool large;  // papers100M's graph, else products'
  bool sage() const { return work.concatenates; }
  const BatchSizes& sizes() const { return large ? papers() : products(); }
};
inline std::array<HyScaleSet, 6> hyScaleSets() {
  const auto sage = [](HybridWork work) {
    work.concatenates = true;
    return work;
  };
  return {{{"GCN on products", kProducts, false},
           {"GCN on papers100M", kPapers, true},
           {"GCN on MAG240M", kMag, true},
           {"SAGE on products", sage(kProducts), false},
           {"SAGE on papers100M", sage(kPapers), true},
           {"SAGE on MAG240M", sage(kMag), true}}};
}

}  // namespace halo::hybridtest
