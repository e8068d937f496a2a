#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/graph/csr_rows.h"
#include "engine/base/stop_asks.h"
#include "engine/experiment/experiment.h"
#include "engine/record/trace/span.h"

namespace halo::sim {

/// What is published of a graph (resources/graphs.toml).
struct GraphFigures {
  std::int64_t vertices = 0, arcs = 0, features = 0, classes = 0;
  double exponent = 0;         // of the degree distribution, for a replica
  std::int64_t maxDegree = 0;  // for a replica
  std::string source;
};
std::map<std::string, GraphFigures> readGraphs(const std::filesystem::path& file);

/// Rows of a matrix, or none.
class RowsRef {
 public:
  RowsRef(std::nullptr_t = nullptr) {}  // NOLINT(google-explicit-constructor)
  RowsRef(const Csr* matrix) {          // NOLINT(google-explicit-constructor)
    if (matrix != nullptr) rows_ = *matrix;
  }
  RowsRef(const CsrRows& rows) : rows_(rows) {}  // NOLINT(google-explicit-constructor)
  const CsrRows& operator*() const { return *rows_; }
  const CsrRows* operator->() const { return &*rows_; }
  bool operator==(std::nullptr_t) const { return !rows_.has_value(); }

 private:
  std::optional<CsrRows> rows_;
};

/// What is aggregated over: counts of a graph, and the graph itself where blocks are counted in it.
struct Graph {
  std::int64_t vertices = 0, nonzeros = 0;
  /// With counts alone, neighbours lie at most this share of the vertices apart (after ordering); 1:
  /// anywhere.
  double band = 1;
  RowsRef matrix = nullptr;  // rows are destinations; what it refers to outlives this
  /// With counts alone: of the degrees' power law, where one is known (0: arcs at random rows).
  double exponent = 0;
  std::int64_t maxDegree = 0;
  /// Called now and then while tiles are made of it and worked on; what it throws ends the work (somebody
  /// wants to stop).
  AskStop askStop = {};
  /// With counts alone: the share of the nonzeros that keep within `band`; the others lie anywhere.
  double locality = 1;
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
  bool updated = false;    // rows are multiplied with the layer's weights before they are aggregated
};

/// Columns of the widest pass; 0 where there is none.
std::int64_t widestOf(std::span<const SlicePass> passes);

/// Devices whose slices are alike in every pass.
struct DeviceClass {
  std::int64_t first = 0, devices = 0;  // numbers first … first + devices − 1
  std::vector<SlicePass> passes;
};

/// Whether a layer multiplies its rows before it aggregates them: model.order, `auto` where that makes them
/// narrower, as training has it (engine/model/model.h).
bool updatesFirst(const ModelSettings& model, std::int64_t in, std::int64_t out);

/// d_0 … d_L: the features, the hidden layers, the classes.
std::vector<std::int64_t> layerWidths(const ModelSettings& model, std::int64_t features,
                                      std::int64_t classes);

/// The aggregations of one inference (forward alone) or one epoch, over all columns. Layer l aggregates rows
/// of d_l columns, or, if it updates first, of d_{l+1}. Backward it does the same, the first layer only if it
/// updates first. A model that aggregates first throughout thus has 2L − 1. Which sums are wanted is known in
/// training. Of inputs, dropout says it forward and the activation backward. Of outputs it is known forward,
/// but for the last layer. Alike for gcn, graphsage and gin, whose own row is added by the dense side.
/// Source: MixGCN 3.1; resources/design/simulator.md, Workload of an epoch
std::vector<SlicePass> wholePasses(const ModelSettings& model, std::int64_t features, std::int64_t classes,
                                   bool training);

/// The same shared by `slices` devices: device i has ⌊d/slices⌋ columns, and one more if i < d mod slices.
std::vector<DeviceClass> passesOf(std::span<const SlicePass> passes, std::int64_t slices);

}  // namespace halo::sim
