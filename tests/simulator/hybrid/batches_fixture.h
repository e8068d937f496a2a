#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "datasets/generate/generate_arcs.h"
#include "simulator/hybrid/hybrid_node.h"
#include "tests/simulator/hybrid/platform_fixture.h"

namespace halo::simtest {

/// Mini-batches drawn from a replica of a published graph.
inline sim::BatchSizes drawn(const std::string& name, double vertices) {
  for (const GraphShape& shape : generatedShapes()) {
    if (shape.name != name) continue;
    const double scale = vertices / static_cast<double>(shape.vertices);
    const Csr A = symmetrised(plantCommunities(shape, planGraph(shape, scale), 1, {}, 0).arcs);
    return sim::BatchSizes(A, {.batchSizes = {256, 1024, 3072}, .draws = 6, .scale = 1 / scale});
  }
  throw std::runtime_error("no shape " + name);
}
inline const sim::BatchSizes& products() {
  static const sim::BatchSizes sizes = drawn("products-like", 25'000);
  return sizes;
}
inline const sim::BatchSizes& papers() {
  static const sim::BatchSizes sizes = drawn("papers100m-like", 30'000);
  return sizes;
}

/// HP-GNN's sizes for 1024 seeds and fan-outs 25 and 10, in proportion to the batch.
inline sim::BatchSizes publishedSizes() {
  sim::BatchSize one{{102'483, 9'000, 1'024}, {137'420, 8'505}};
  for (double& count : one.vertices) count /= 1024;
  for (double& count : one.edges) count /= 1024;
  return sim::BatchSizes(one);
}

inline const sim::HybridWork kProducts{{100, 256, 47}, false, 196'615};
inline const sim::HybridWork kPapers{{128, 256, 172}, false, 1'207'179};
inline const sim::HybridWork kMag{{756, 256, 153}, false, 1'112'392};

/// One of HyScale's six sets of experiments.
struct HyScaleSet {
  const char* name;
  sim::HybridWork work;
  bool large;  // papers100M's graph, else products'
  bool sage() const { return work.concatenates; }
  const sim::BatchSizes& sizes() const { return large ? papers() : products(); }
};
inline std::array<HyScaleSet, 6> hyScaleSets() {
  const auto sage = [](sim::HybridWork work) {
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

}  // namespace halo::simtest
