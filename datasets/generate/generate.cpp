#include "datasets/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "datasets/generate/generate_labels.h"
#include "datasets/graph/asking.h"
#include "datasets/input/limits.h"
#include "engine/base/address_limit.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

// The bytes of a generated set are a promise (recordings name it by seed): raise this when they change.
constexpr int kGeneratorVersion = 1;

// Counts as published (see the catalogue). The exponent of a community graph is fitted to the published
// largest degree. With it the largest of n draws from the power law with the published average is that
// degree. Yelp's largest degree is not published and is ours. com-Amazon and com-Orkut have neither features
// nor labels. Signal and label noise are ours: they leave a GCN about the published score.
std::vector<GraphShape> makeShapes() {
  std::vector<GraphShape> shapes;
  const auto add = [&](GraphShape shape) -> GraphShape& { return shapes.emplace_back(std::move(shape)); };
  const auto community = [&](const char* name, const char* resembles, Index n, double degree, double exponent,
                             Index most, double homophily, Index f, std::int32_t classes) -> GraphShape& {
    return add({.name = name,
                .resembles = resembles,
                .generator = "community",
                .vertices = n,
                .averageDegree = degree,
                .exponent = exponent,
                .maxDegree = most,
                .homophily = homophily,
                .features = f,
                .classes = classes});
  };
  const auto train = [](GraphShape& shape, double trainShare, double validShare, double labelNoise) {
    shape.train = trainShare;
    shape.valid = validShare;
    shape.labelNoise = labelNoise;
  };
  GraphShape& arxiv = community("arxiv-like", "ogbn-arxiv", 169343, 6.887, 2.353, 13155, 0.65, 128, 40);
  arxiv.directed = true;
  train(arxiv, 0.54, 0.18, 0.22);
  train(community("com-amazon-like", "com-Amazon", 334863, 5.52985, 3.489, 549, 0.8, 64, 40), 0.6, 0.2, 0.1);
  GraphShape& cora = community("cora-like", "Cora", 2708, 3.898, 2.699, 168, 0.81, 1433, 7);
  cora.signal = 3.5;  // few labelled vertices and many columns: a weaker one drowns in the noise
  train(cora, 0.052, 0.185, 0.1);
  train(community("orkut-like", "com-Orkut", 3072441, 76.28, 3.239, 33313, 0.6, 320, 20), 0.6, 0.2, 0.1);
  GraphShape& papers =
      community("papers100m-like", "ogbn-papers100M", 111059956, 14.548, 2.746, 251471, 0.6, 128, 172);
  papers.directed = true;
  train(papers, 0.78, 0.08, 0.3);
  train(community("products-like", "ogbn-products", 2449029, 50.52, 3.291, 17481, 0.8, 100, 47), 0.08, 0.02,
        0.15);
  train(community("reddit-like", "Reddit", 232965, 491.99, 3.943, 21657, 0.75, 602, 41), 0.66, 0.10, 0.03);
  GraphShape& road = add({.name = "road-like",
                          .resembles = "road network NE (9th DIMACS challenge)",
                          .generator = "road",
                          .vertices = 1524453,
                          .averageDegree = 2.537,
                          .maxDegree = 9,
                          .features = 16,
                          .classes = 8});
  road.labelNoise = 0.05;
  GraphShape& yelp = community("yelp-like", "Yelp", 716847, 19.47, 3.2, 4886, 0.75, 300, 100);
  yelp.multiLabel = true;
  yelp.signal = 2.0;  // shared by about six labels
  train(yelp, 0.75, 0.10, 0.15);
  return shapes;
}

std::string digest(const std::string& text) {  // FNV-1a
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return fmt::format("{:016x}", hash);
}

void checkScale(const GraphShape& shape, double scale) {
  if (scale > 0 && scale <= 1) return;
  throw InputError(
      {.key = "dataset.scale",
       .message = fmt::format("{} cannot be used for {}; a number above 0, at most 1", scale, shape.name)});
}

void checkMemory(const GraphShape& shape, double scale) {
  const double needed = generateBytes(shape, scale), available = availableBytes();
  if (needed <= available) return;
  throw EnvironmentError(
      fmt::format("{} at scale {} needs about {} of memory and this machine has {} available; "
                  "a scale of about {:.2g} fits{}",
                  shape.name, scale, sizeText(needed), sizeText(available), 0.9 * scale * available / needed,
                  addressLimitRemark()));
}

}  // namespace

const std::vector<GraphShape>& generatedShapes() {
  static const std::vector<GraphShape> shapes = makeShapes();
  return shapes;
}

Index generatedVertices(const GraphShape& shape, double scale) {
  checkScale(shape, scale);
  constexpr Index kLeast = 32;
  const Index scaled = std::llround(scale * static_cast<double>(shape.vertices));
  return std::min(shape.vertices, std::max(kLeast, scaled));
}

std::vector<Split> splitOfGenerated(const GraphShape& shape, double scale, std::uint64_t seed) {
  std::vector<Split> split;
  plantSplit(shape, generatedVertices(shape, scale), seed, split);
  return split;
}

double generateArcsBytes(const GraphShape& shape, double scale) {
  const GraphPlan plan = planGraph(shape, scale);
  // list and rows of the arcs, and the counting sort between them (`buildCsr`)
  const double perArc = 2 * sizeof(Arc) + sizeof(Vertex);
  const double perVertex = 2 * sizeof(Index) + 40;
  return static_cast<double>(plan.vertices) * (perVertex + plan.degree * perArc);
}

double generateBytes(const GraphShape& shape, double scale) {
  const GraphPlan plan = planGraph(shape, scale);
  const double labels = plan.classes * (shape.multiLabel ? sizeof(Scalar) : 0.0) + sizeof(std::int32_t);
  return generateArcsBytes(shape, scale) +
         static_cast<double>(plan.vertices) * (static_cast<double>(shape.features) * sizeof(Scalar) + labels);
}

Dataset generate(const GraphShape& shape, double scale, std::uint64_t seed, const Progress& progress,
                 int threads) {
  checkScale(shape, scale);
  checkMemory(shape, scale);
  const GraphPlan plan = planGraph(shape, scale);
  PlantedGraph graph = shape.generator == "road" ? plantRoads(plan, seed, progress, threads)
                                                 : plantCommunities(shape, plan, seed, progress, threads);
  Dataset data;
  data.name = shape.name;
  data.directed = shape.directed;
  plantFeatures(shape, plan, graph, seed, threads, asking(progress, "features", 0.7), data.features);
  const AskStop askStop = asking(progress, "labels", 0.95);
  plantLabels(shape, plan, graph, seed, threads, askStop, data);
  plantSplit(shape, plan.vertices, seed, data.split, askStop);
  data.arcs = std::move(graph.arcs);
  data.marks = {"generated graph"};
  data.source = fmt::format("generated: {} at scale {}, seed {}", shape.name, scale, seed);
  data.fingerprint = digest(fmt::format("{} version {}", data.source, kGeneratorVersion));
  if (progress) progress("generated", 1.0);
  return data;
}

}  // namespace halo
