#include "datasets/statistics.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "engine/base/index.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

DatasetStatistics ofGraph(const Csr& graph, bool directed) {
  return statisticsOf(datasetOf("graph", graph, directed));
}

void checkSpread(const Spread& spread, std::vector<Index> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  CHECK(spread.least == values.front());
  CHECK(spread.most == values.back());
  CHECK(spread.median == static_cast<double>(values[(n - 1) / 2] + values[n / 2]) / 2);
  CHECK(spread.mean == Approx(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n)));
}

/// The definition: what is reached from each vertex, along arcs in both directions.
std::vector<Index> componentSizes(const std::set<std::pair<Index, Index>>& arcs, Index vertices) {
  std::vector<Index> component(at(vertices));
  std::iota(component.begin(), component.end(), Index{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [u, v] : arcs) {
      Index &a = component[at(u)], &b = component[at(v)];
      changed = changed || a != b;
      a = b = std::min(a, b);
    }
  }
  std::vector<Index> sizes;
  for (Index c = 0; c < vertices; ++c)
    if (const Index size = std::count(component.begin(), component.end(), c); size > 0) sizes.push_back(size);
  return sizes;
}

}  // namespace

TEST_CASE("the statistics of a star and of a path are their closed forms", "[statistics]") {
  const Index n = GENERATE(2, 3, 21);
  const DatasetStatistics ofStar = ofGraph(star(n), false);
  CHECK(ofStar.inDegree.most == n - 1);
  CHECK(ofStar.inDegree.least == 1);
  CHECK(ofStar.inDegree.median == 1);
  CHECK(ofStar.inDegree.mean == Approx(2.0 * static_cast<double>(n - 1) / static_cast<double>(n)));
  CHECK(ofStar.components == 1);
  CHECK(ofStar.largestComponent == n);
  CHECK(ofStar.isolated == 0);
  const DatasetStatistics ofPath = ofGraph(path(n), false);
  CHECK(ofPath.inDegree.most == std::min<Index>(2, n - 1));
  CHECK(ofPath.inDegree.mean == ofStar.inDegree.mean);
  CHECK(ofPath.largestComponent == n);
}

TEST_CASE("an arc makes neither of its ends isolated, and components do not ask for its direction",
          "[statistics]") {
  const std::vector<Arc> arcs = {{0, 1}, {2, 1}, {4, 5}};
  const DatasetStatistics s = ofGraph(buildCsr(7, arcs, false), true);
  CHECK(s.isolated == 2);    // 3 and 6
  CHECK(s.components == 4);  // {0, 1, 2}, {4, 5} and these
  CHECK(s.largestComponent == 3);
  CHECK(s.inDegree.most == 2);
  CHECK(s.outDegree.most == 1);
  CHECK(s.inDegree.mean == s.outDegree.mean);
  const DatasetStatistics none = ofGraph(buildCsr(3, {}, false), false);
  CHECK(none.isolated == 3);
  CHECK(none.components == 3);
  CHECK(none.largestComponent == 1);
}

TEST_CASE("the statistics of random graphs are what their definitions count", "[statistics]") {
  const auto seed = GENERATE(range(0, 60));
  CAPTURE(seed);
  PhiloxStream random(static_cast<std::uint64_t>(seed), Purpose::shuffle, 3);
  const auto n = static_cast<Index>(1 + random.below(40));
  const std::vector<Arc> arcs =
      randomArcs(n, static_cast<Index>(random.below(60)), static_cast<std::uint64_t>(seed));
  const bool directed = seed % 2 == 0;
  const DatasetStatistics s = statisticsOf(datasetOf("random", n, arcs, directed));
  std::set<std::pair<Index, Index>> distinctArcs;
  for (const auto& [u, v] : arcs) {
    if (u == v) continue;
    distinctArcs.emplace(u, v);
    if (!directed) distinctArcs.emplace(v, u);
  }
  std::vector<Index> in(at(n)), out(in), sizes = componentSizes(distinctArcs, n);
  for (const auto& [u, v] : distinctArcs) {
    ++out[at(u)];
    ++in[at(v)];
  }
  Index isolated = 0;
  for (std::size_t v = 0; v < in.size(); ++v) isolated += in[v] == 0 && out[v] == 0;
  CHECK(s.isolated == isolated);
  CHECK(s.components == static_cast<Index>(sizes.size()));
  CHECK(s.largestComponent == *std::max_element(sizes.begin(), sizes.end()));
  checkSpread(s.inDegree, in);
  checkSpread(s.outDegree, out);
}

TEST_CASE("classes, labels and features are counted, whatever is missing among them", "[statistics]") {
  Dataset set = datasetOf("small", path(4), false, 2, 3);
  set.labels = {2, -1, 0, 2};
  const std::vector<Scalar> features = {0, 0, -1, 4, Scalar(0.5), 0, 0, 0};
  std::copy(features.begin(), features.end(), set.features.data());
  const DatasetStatistics s = statisticsOf(set);
  CHECK(s.classVertices == std::vector<Index>{1, 0, 2});
  CHECK(s.unlabelled == 1);
  CHECK(s.leastFeature == -1);
  CHECK(s.mostFeature == 4);
  CHECK(s.meanFeature == 3.5 / 8);
  CHECK(s.zeroRows == 2);
  CHECK(s.nonFinite == 0);
  set.features(0, 1) = std::numeric_limits<Scalar>::quiet_NaN();
  set.features(1, 1) = std::numeric_limits<Scalar>::infinity();
  const DatasetStatistics wild = statisticsOf(set);
  CHECK(wild.nonFinite == 2);
  CHECK(wild.mostFeature == 0.5);
  CHECK(wild.meanFeature == -0.5 / 6);
  CHECK(wild.zeroRows == 1);
  set.features.resize(0, 0);
  CHECK(statisticsOf(set).mostFeature == 0);
}

TEST_CASE("a vertex with several labels counts in each of its classes", "[statistics]") {
  Dataset set = datasetOf("many", path(3), false, 2, 4);
  set.labels.clear();
  set.multiLabels.setZero(3, 4);
  set.multiLabels(0, 1) = set.multiLabels(0, 3) = set.multiLabels(2, 3) = 1;
  const DatasetStatistics s = statisticsOf(set);
  CHECK(s.classVertices == std::vector<Index>{0, 1, 0, 2});
  CHECK(s.unlabelled == 1);
  checkSpread(s.labelsPerVertex, {2, 0, 1});
}
