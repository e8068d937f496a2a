#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/csr.h"
#include "engine/experiment/experiment.h"
#include "engine/record/span.h"

namespace halo::sim {

/// What is published of a graph (resources/graphs.toml).
struct GraphFigures {
  std::int64_t vertices = 0, arcs = 0, features = 0, classes = 0;
  double exponent = 0;         // of the degree distribution, for a replica
  std::int64_t maxDegree = 0;  // for a replica
  std::string source;
};
std::map<std::string, GraphFigures> readGraphs(const std::filesystem::path& file);

/// What is aggregated over: counts of a graph, and the graph itself where blocks are counted in it.
struct Graph {
  std::int64_t vertices = 0, nonzeros = 0;
  /// With counts alone, neighbours lie at most this share of the vertices apart (after ordering); 1:
  /// anywhere.
  double band = 1;
  const Csr* matrix = nullptr;  // rows are destinations; outlives this
};

/// Rows with a nonzero, and columns: each has a sum to be written, a row of features to be read. With counts
/// alone the mean over random places.
std::int64_t rowsUsed(const Graph& graph);
std::int64_t sourcesUsed(const Graph& graph);

/// One aggregation over the whole graph for the feature columns of one device.
struct SlicePass {
  std::int64_t layer = 0;
  Pass direction = Pass::forward;
  std::int64_t width = 0;  // columns; 0: this device has none and does nothing
  bool masked = false;     // which outputs are wanted is known beforehand (training)
};

/// Devices whose slices are alike in every pass.
struct DeviceClass {
  std::int64_t first = 0, devices = 0;  // numbers first … first + devices − 1
  std::vector<SlicePass> passes;
};

/// The aggregations of one epoch (forward of widths d_0 … d_{L−1}, backward of d_1 … d_{L−1}: 2L − 1) or one
/// inference (forward alone) of a model that aggregates first, each width shared by `slices` devices: device
/// i has ⌊d/slices⌋ columns, and one more if i < d mod slices.   Source: MixGCN 3.1, simulator.md 1.2
std::vector<DeviceClass> passesOf(const ModelSettings& model, std::int64_t features, bool training,
                                  std::int64_t slices);

}  // namespace halo::sim
