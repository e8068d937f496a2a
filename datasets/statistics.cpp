#include "datasets/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/index.h"

namespace halo {
namespace {

Spread spreadOf(std::vector<Index> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const Index upper = *middle;
  const Index lower = values.size() % 2 == 1 ? upper : *std::max_element(values.begin(), middle);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const Index sum = std::accumulate(values.begin(), values.end(), Index{0});
  return {*least, *most, static_cast<double>(lower + upper) / 2,
          static_cast<double>(sum) / static_cast<double>(values.size())};
}

/// Which vertices hang together: a forest whose roots stand for components.
class Components {
 public:
  explicit Components(Index vertices) : parent_(at(vertices)) {
    std::iota(parent_.begin(), parent_.end(), Vertex{0});
  }
  void join(Vertex a, Vertex b) {
    a = root(a);
    b = root(b);
    parent_[at(std::max(a, b))] = std::min(a, b);
  }
  Vertex root(Vertex v) {
    for (; parent_[at(v)] != v; v = parent_[at(v)]) parent_[at(v)] = parent_[at(parent_[at(v)])];
    return v;
  }

 private:
  std::vector<Vertex> parent_;
};

void ofArcs(const Dataset& dataset, DatasetStatistics& s) {
  const Index n = dataset.vertices();
  std::vector<Index> in(at(n)), out(at(n), 0), members(at(n), 0);
  Components components(n);
  for (Index v = 0; v < n; ++v) {
    in[at(v)] = dataset.arcs.degree(v);
    for (const Vertex u : dataset.arcs.row(v)) {
      ++out[at(u)];
      components.join(u, static_cast<Vertex>(v));
    }
  }
  for (Index v = 0; v < n; ++v) {
    s.isolated += in[at(v)] + out[at(v)] == 0;
    Index& size = members[at(components.root(static_cast<Vertex>(v)))];
    s.components += ++size == 1;
    s.largestComponent = std::max(s.largestComponent, size);
  }
  s.inDegree = spreadOf(std::move(in));
  s.outDegree = spreadOf(std::move(out));
}

void ofLabels(const Dataset& dataset, DatasetStatistics& s) {
  s.classVertices.assign(at(dataset.classes), 0);
  for (const std::int32_t label : dataset.labels) ++(label < 0 ? s.unlabelled : s.classVertices[at(label)]);
  if (!dataset.multiLabel()) return;
  std::vector<Index> labels;
  for (Index v = 0; v < dataset.multiLabels.rows(); ++v) {
    Index count = 0;
    for (Index c = 0; c < dataset.multiLabels.cols(); ++c) {
      const bool has = dataset.multiLabels(v, c) != 0;
      s.classVertices[at(c)] += has;
      count += has;
    }
    s.unlabelled += count == 0;
    labels.push_back(count);
  }
  s.labelsPerVertex = spreadOf(std::move(labels));
}

void ofFeatures(const Matrix& features, DatasetStatistics& s) {
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
  for (Index v = 0; v < features.rows(); ++v) {
    bool zero = true;
    for (const Scalar feature : features.row(v)) {
      const auto value = static_cast<double>(feature);
      zero = zero && value == 0;
      if (!std::isfinite(value)) {
        ++s.nonFinite;
        continue;
      }
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
    s.zeroRows += zero;
  }
  const Index finite = features.size() - s.nonFinite;
  if (finite == 0) return;
  s.leastFeature = least;
  s.mostFeature = most;
  s.meanFeature = sum / static_cast<double>(finite);
}

}  // namespace

DatasetStatistics statisticsOf(const Dataset& dataset) {
  DatasetStatistics s;
  ofArcs(dataset, s);
  ofLabels(dataset, s);
  ofFeatures(dataset.features, s);
  return s;
}

}  // namespace halo
