#include "simulator/device/graph_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/assemble.h"
#include "datasets/generate/generate.h"
#include "datasets/generate/generate_arcs.h"
#include "datasets/graph/asking.h"
#include "datasets/load.h"
#include "engine/base/problem.h"
#include "simulator/graph/localise.h"

namespace halo::sim {
namespace {

constexpr double kReplicaError = 0.05;  // of its arcs: beyond, it stands for another graph

void refuseNarrow(double vertices, double arcs, const GraphRequest& request) {
  if (auto problem = tooNarrow(vertices, arcs * request.locality, request.band))
    throw InputError(std::move(*problem));
}

GraphShape shapeOf(const GraphRequest& request, const GraphFigures& figures) {
  GraphShape shape;
  shape.name = request.graph;
  shape.generator = "community";
  shape.vertices = figures.vertices;
  shape.averageDegree =
      static_cast<double>(figures.arcs) / static_cast<double>(std::max<std::int64_t>(1, figures.vertices));
  shape.exponent = figures.exponent;
  shape.maxDegree = figures.maxDegree;
  shape.homophily = 0.01;  // the generator needs some; where communities lie says nothing of numbers
  shape.classes = 2;
  shape.directed = true;
  return shape;
}

/// A smaller graph with the figures' degrees, as near the diagonal as asked.
Csr replicaOf(const GraphRequest& request, const GraphFigures& figures, const Progress& progress) {
  const GraphShape shape = shapeOf(request, figures);
  Csr replica =
      plantCommunities(shape, planGraph(shape, request.replicaScale), request.dataset.seed, progress, 0).arcs;
  if (request.band >= 1) return replica;
  const auto n = static_cast<double>(replica.rows());
  refuseNarrow(n, static_cast<double>(replica.nonzeros()), request);
  return localised(replica, std::llround(request.band * n), request.locality, request.dataset.seed,
                   asking(progress, "moving arcs to the diagonal", 0.8));
}

/// A replica of few vertices has no room for the degrees of the graph.
void refuseThinReplica(const GraphRequest& request, const Csr& replica, double arcs) {
  if (std::abs(static_cast<double>(replica.nonzeros()) - arcs) <= kReplicaError * arcs) return;
  throw InputError(
      {.key = "simulate.replica_scale",
       .message = fmt::format("a replica of {} vertices has {} arcs, {:.0f} would stand for '{}'; a larger "
                              "scale has room for its degrees",
                              replica.rows(), replica.nonzeros(), arcs, request.graph)});
}

/// An edge list whose arcs stay on disk; nothing where they cannot.
std::optional<SourceGraph> fromStream(const GraphRequest& request, const Progress& progress) {
  if (!request.stream || request.features || request.tiling == "statistics") return std::nullopt;
  SourceGraph source;
  source.streamed = streamedArcs(request.dataset, progress);
  if (!source.streamed) return std::nullopt;
  const CsrRows rows = source.streamed->rows();
  source.tiling = "exact";
  source.directed = source.streamed->directed();
  source.vertices = rows.rows();
  source.nonzeros = rows.nonzeros();
  source.features = kGeneratedFeatures;
  source.classes = std::min<std::int64_t>(kGeneratedClasses, source.vertices);
  source.marks = {"generated features", "generated labels", "generated split"};
  return source;
}

SourceGraph fromDataset(const GraphRequest& request, const Progress& progress) {
  if (auto streamed = fromStream(request, progress)) return std::move(*streamed);
  DatasetRequest inMemory = request.dataset;
  inMemory.mapFeatures = false;  // of training
  Dataset dataset = loadDataset(inMemory, progress);
  SourceGraph source;
  source.tiling = request.tiling == "statistics" ? "statistics" : "exact";
  source.band = request.band;
  source.locality = request.locality;
  source.directed = dataset.directed;
  source.vertices = dataset.vertices();
  source.nonzeros = dataset.arcs.nonzeros();
  source.features = dataset.features.cols();
  source.classes = dataset.classes;
  source.marks = std::move(dataset.marks);
  if (source.tiling == "statistics")
    refuseNarrow(static_cast<double>(source.vertices), static_cast<double>(source.nonzeros), request);
  if (source.tiling == "exact") {
    source.arcs = std::move(dataset.arcs);
    source.split = std::move(dataset.split);
  }
  if (request.features) source.rows = std::move(dataset.features);
  return source;
}

SourceGraph fromFigures(const GraphRequest& request, const GraphFigures& figures, const Progress& progress) {
  SourceGraph source;
  source.tiling = request.tiling == "replica" ? "replica" : "statistics";
  source.band = request.band;
  source.locality = request.locality;
  source.vertices = figures.vertices;
  source.nonzeros = figures.arcs;
  source.features = figures.features;
  source.classes = figures.classes;
  source.exponent = figures.exponent;
  source.maxDegree = figures.maxDegree;
  refuseNarrow(static_cast<double>(source.vertices), static_cast<double>(source.nonzeros), request);
  if (source.tiling == "statistics") return source;
  source.arcs = replicaOf(request, figures, progress);
  source.directed = true;
  source.share = static_cast<double>(source.arcs.rows()) / static_cast<double>(figures.vertices);
  refuseThinReplica(request, source.arcs, static_cast<double>(figures.arcs) * source.share);
  source.marks.emplace_back("replica");
  return source;
}

}  // namespace

Index replicaVertices(const GraphRequest& request, const GraphFigures& figures) {
  return generatedVertices(shapeOf(request, figures), request.replicaScale);
}

std::vector<Problem> replicaRefusals(const GraphRequest& request, const GraphFigures& figures,
                                     double availableBytes) {
  const double scale = request.replicaScale;
  if (request.tiling != "replica" || scale <= 0 || scale > 1) return {};
  const GraphShape shape = shapeOf(request, figures);
  std::vector<Problem> problems;
  if (const double needed = generateArcsBytes(shape, scale); needed > availableBytes)
    problems.push_back(
        {.key = "simulate.replica_scale",
         .message = fmt::format(
             "{} of '{}' needs about {:.1f} GB of memory, and this machine has {:.1f} GB available; a "
             "scale of about {:.2g} fits",
             scale, request.graph, needed * 1e-9, availableBytes * 1e-9,
             0.9 * scale * availableBytes / needed)});
  constexpr double kDrawn = 2e5;  // arcs: so few are drawn at once, and more have room
  const double arcs = static_cast<double>(figures.arcs) * scale;
  if (problems.empty() && arcs <= kDrawn) try {
      const Csr replica = replicaOf(request, figures, {});
      refuseThinReplica(request, replica,
                        static_cast<double>(figures.arcs) * static_cast<double>(replica.rows()) /
                            static_cast<double>(std::max<Index>(1, figures.vertices)));
    } catch (const InputError& error) {
      return error.problems();
    }
  return problems;
}

double placesInBand(double vertices, double band) {
  const double reach = std::min(band * vertices, vertices - 1);
  return vertices + reach * (2 * vertices - reach - 1);
}

std::optional<Problem> tooNarrow(double vertices, double arcs, double band) {
  if (band >= 1 || placesInBand(vertices, band) >= arcs) return std::nullopt;
  // the reach with as many places as arcs, in two digits that do not fall short of it
  const double share = 1 - std::sqrt(std::max(0.0, 1 - arcs / (vertices * vertices)));
  const double digit = std::pow(10, std::floor(std::log10(share)) - 1);
  return Problem{
      .key = "simulate.band",
      .message = fmt::format("{} has room for {:.3g} arcs next to the diagonal, and the graph has {:.3g}; at "
                             "least {:.2g}",
                             band, placesInBand(vertices, band), arcs,
                             std::min(1.0, std::ceil(share / digit) * digit))};
}

Graph SourceGraph::graph() const {
  if (tiling == "statistics") return {vertices, nonzeros, band, nullptr, exponent, maxDegree, {}, locality};
  if (streamed) return {vertices, nonzeros, 1, streamed->rows()};
  return {arcs.rows(), arcs.nonzeros(), 1, &arcs};
}

SourceGraph sourceGraph(const GraphRequest& request, const Library& library, const Progress& progress) {
  SourceGraph source = request.graph.empty()
                           ? fromDataset(request, progress)
                           : fromFigures(request, library.graphs.at(request.graph), progress);
  if (source.nonzeros == 0)
    throw InputError(
        Problem{.key = "dataset",
                .message = "has no edges, so that there is nothing to aggregate; a graph with edges"});
  return source;
}

}  // namespace halo::sim
