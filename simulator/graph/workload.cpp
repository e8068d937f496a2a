#include "simulator/graph/workload.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/experiment/figure_file.h"

namespace halo::sim {
namespace {

/// Of `count` rows or columns, those with a nonzero: in the mean over random places.
std::int64_t expectedUsed(std::int64_t count, std::int64_t nonzeros) {
  if (count == 0) return 0;
  const auto all = static_cast<double>(count);
  return static_cast<std::int64_t>(-all * std::expm1(-static_cast<double>(nonzeros) / all));
}

}  // namespace

std::map<std::string, GraphFigures> readGraphs(const std::filesystem::path& file) {
  static constexpr std::int64_t kMany = 1'000'000'000'000;
  static constexpr Parameter kKeys[] = {
      {"vertices", "count", Integer{0, 0, 2'000'000'000}},
      {"arcs", "nonzeros of the adjacency matrix that is aggregated over", Integer{0, 0, kMany}},
      {"features", "input width", Integer{0, 1, 1'000'000}},
      {"classes", "output width", Integer{0, 1, 1'000'000}},
      {"exponent", "of the degree distribution, for a replica", Real{2.3, 1.01, 10}},
      {"max_degree", "for a replica", Integer{1, 1, 2'000'000'000}},
  };
  std::map<std::string, GraphFigures> graphs;
  for (const auto& [name, table] : readFigures(file, kKeys)) {
    const Values& figures = table.figures;
    graphs[name] = {figures.integer("vertices"),
                    figures.integer("arcs"),
                    figures.integer("features"),
                    figures.integer("classes"),
                    figures.real("exponent"),
                    figures.integer("max_degree"),
                    table.source};
  }
  return graphs;
}

std::int64_t rowsUsed(const Graph& graph) {
  if (graph.matrix == nullptr) return expectedUsed(graph.vertices, graph.nonzeros);
  std::int64_t used = 0;
  for (Index r = 0; r < graph.matrix->rows(); ++r) used += graph.matrix->degree(r) > 0 ? 1 : 0;
  return used;
}

std::int64_t sourcesUsed(const Graph& graph) {
  if (graph.matrix == nullptr) return expectedUsed(graph.vertices, graph.nonzeros);
  std::vector<bool> used(at(graph.matrix->cols));
  for (const Vertex v : graph.matrix->columns) used[at(v)] = true;
  return std::ranges::count(used, true);
}

bool updatesFirst(const ModelSettings& model, std::int64_t in, std::int64_t out) {
  return model.order == "auto" ? out < in : model.order == "update-first";
}

std::int64_t widestOf(std::span<const SlicePass> passes) {
  std::int64_t widest = 0;
  for (const SlicePass& pass : passes) widest = std::max(widest, pass.width);
  return widest;
}

std::vector<std::int64_t> layerWidths(const ModelSettings& model, std::int64_t features,
                                      std::int64_t classes) {
  std::vector<std::int64_t> widths(at(model.layers) + 1, model.hidden);
  widths.front() = features;
  if (model.layers > 0) widths.back() = classes;
  return widths;
}

std::vector<SlicePass> wholePasses(const ModelSettings& model, std::int64_t features, std::int64_t classes,
                                   bool training) {
  const std::vector<std::int64_t> widths = layerWidths(model, features, classes);
  std::vector<SlicePass> passes;
  const auto add = [&](std::int64_t layer, Pass direction) {
    const auto l = at(layer);
    const bool updated = updatesFirst(model, widths[l], widths[l + 1]);
    if (direction == Pass::backward && layer == 0 && !updated) return;  // nobody needs the features' gradient
    const bool dropped = updated ? direction == Pass::forward && layer + 1 < model.layers : true;
    passes.push_back({layer, direction, widths[updated ? l + 1 : l], training && dropped, updated});
  };
  for (std::int64_t layer = 0; layer < model.layers; ++layer) add(layer, Pass::forward);
  for (std::int64_t layer = model.layers; training && layer-- > 0;) add(layer, Pass::backward);
  return passes;
}

std::vector<DeviceClass> passesOf(std::span<const SlicePass> passes, std::int64_t slices) {
  std::vector<std::int64_t> starts = {0};  // a device from which on some slice is narrower
  for (const SlicePass& pass : passes) starts.push_back(pass.width % slices);
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());

  std::vector<DeviceClass> classes;
  for (std::size_t c = 0; c < starts.size(); ++c) {
    const std::int64_t end = c + 1 < starts.size() ? starts[c + 1] : slices;
    DeviceClass deviceClass{starts[c], end - starts[c], {passes.begin(), passes.end()}};
    for (SlicePass& pass : deviceClass.passes)
      pass.width = pass.width / slices + (deviceClass.first < pass.width % slices);
    classes.push_back(std::move(deviceClass));
  }
  return classes;
}

}  // namespace halo::sim
