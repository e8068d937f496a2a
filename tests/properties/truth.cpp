#include "tests/properties/truth.h"

#include <algorithm>

#include "engine/base/index.h"

namespace halo::properties {
namespace {

std::vector<Arc> drawArcs(Random& random, Index vertices) {
  std::vector<Arc> arcs(at(between(random, 0, 3 * vertices)));
  const auto vertex = [&] { return static_cast<Vertex>(between(random, 0, vertices - 1)); };
  for (Arc& arc : arcs) {
    arc = {vertex(), vertex()};
    if (chance(random, 0.05)) arc.target = arc.source;
    if (chance(random, 0.05)) arc = arcs.front();
  }
  return arcs;
}

/// Classes without a gap: the readers tell their number by the largest.
void drawLabels(Random& random, Truth& truth) {
  truth.classes = static_cast<std::int32_t>(between(random, 1, std::min<Index>(4, truth.vertices)));
  truth.labels.resize(at(truth.vertices));
  const bool gaps = chance(random, 0.3);
  for (std::int32_t& label : truth.labels)
    label =
        gaps && chance(random, 0.2) ? -1 : static_cast<std::int32_t>(between(random, 0, truth.classes - 1));
  const auto places = anyOrder(random, truth.vertices);
  for (std::int32_t c = 0; c < truth.classes; ++c) truth.labels[at(places[at(c)])] = c;
}

void drawMultiLabels(Random& random, Truth& truth) {
  truth.classes = static_cast<std::int32_t>(between(random, 2, 4));
  truth.multiLabels.setZero(truth.vertices, truth.classes);
  for (Scalar& flag : truth.multiLabels.values()) flag = chance(random, 0.4) ? 1 : 0;
  truth.multiLabels(0, 0) = truth.multiLabels(0, truth.classes - 1) = 1;  // one vertex has several
}

void drawSplit(Random& random, Truth& truth) {
  truth.split.resize(at(truth.vertices));
  for (std::size_t v = 0; v < truth.split.size(); ++v) {
    const bool labelled = truth.labels.empty() || truth.labels[v] >= 0;
    truth.split[v] = labelled ? static_cast<Split>(between(random, 0, 3)) : Split::none;
  }
  // a set that nothing is trained on is no set
  const auto first = std::ranges::find_if(truth.labels, [](std::int32_t label) { return label >= 0; });
  truth.split[truth.labels.empty() ? 0 : at(first - truth.labels.begin())] = Split::train;
}

}  // namespace

Truth drawTruth(Random& random) {
  Truth truth;
  truth.vertices = chance(random, 0.1) ? between(random, 1, 2) : between(random, 3, 20);
  truth.arcs = drawArcs(random, truth.vertices);
  truth.features.resize(truth.vertices, between(random, 1, 5));
  for (Scalar& value : truth.features.values())
    value = chance(random, 0.3) ? 0 : static_cast<Scalar>(between(random, -32, 32)) / 4;
  chance(random, 0.3) ? drawMultiLabels(random, truth) : drawLabels(random, truth);
  drawSplit(random, truth);
  return truth;
}

void onlySingleLabels(Random& random, Truth& truth) {
  if (truth.multiLabels.empty()) return;
  truth.multiLabels = Matrix();
  drawLabels(random, truth);
  drawSplit(random, truth);
}

void labelAll(Random& random, Truth& truth) {
  for (std::int32_t& label : truth.labels)
    if (label < 0) label = static_cast<std::int32_t>(between(random, 0, truth.classes - 1));
}

void dropIsolated(Random& random, Truth& truth) {
  if (truth.arcs.empty()) truth.arcs.push_back({0, static_cast<Vertex>(truth.vertices - 1)});
  std::vector<Vertex> moved(at(truth.vertices), -1);
  for (const Arc arc : truth.arcs) moved[at(arc.source)] = moved[at(arc.target)] = 0;
  Vertex next = 0;
  for (Vertex& place : moved)
    if (place == 0) place = next++;
  for (Arc& arc : truth.arcs) arc = {moved[at(arc.source)], moved[at(arc.target)]};
  truth.vertices = next;
  truth.features = Matrix();
  truth.split.clear();
  truth.multiLabels.empty() ? drawLabels(random, truth) : drawMultiLabels(random, truth);
}

void makeSymmetric(Truth& truth) {
  const Csr both = symmetrised(buildCsr(truth.vertices, truth.arcs, true));
  truth.arcs.clear();
  for (Index v = 0; v < both.rows(); ++v)
    for (const Vertex u : both.row(v)) truth.arcs.push_back({u, static_cast<Vertex>(v)});
}

std::vector<std::vector<Index>> targets(const Truth& truth) {
  std::vector<std::vector<Index>> lists(at(truth.vertices));
  for (const Arc arc : truth.arcs) lists[at(arc.source)].push_back(arc.target);
  return lists;
}

void addInverses(Truth& truth) {
  const std::size_t written = truth.arcs.size();
  for (std::size_t i = 0; i < written; ++i)
    if (const Arc arc = truth.arcs[i]; arc.source != arc.target)
      truth.arcs.push_back({arc.target, arc.source});
}

namespace {

bool same(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && std::ranges::equal(a.values(), b.values());
}

std::string arcsOf(const Csr& arcs) {
  std::string text = std::to_string(arcs.rows()) + " vertices,";
  for (Index v = 0; v < arcs.rows(); ++v)
    for (const Vertex u : arcs.row(v)) text += " " + std::to_string(u) + ">" + std::to_string(v);
  return text;
}

bool generated(const Dataset& set, const std::string& part) {
  return std::ranges::find(set.marks, "generated " + part) != set.marks.end();
}

}  // namespace

std::string difference(const Dataset& set, const Truth& truth) {
  Csr arcs = buildCsr(truth.vertices, truth.arcs, false);
  if (!set.directed) arcs = symmetrised(arcs);
  if (arcsOf(set.arcs) != arcsOf(arcs)) return "arcs: " + arcsOf(set.arcs) + "; written " + arcsOf(arcs);
  if (truth.features.empty() ? !generated(set, "features") : !same(set.features, truth.features))
    return "features";
  const bool unlabelled = truth.labels.empty() && truth.multiLabels.empty();
  if (unlabelled) return generated(set, "labels") ? "" : "labels where none were written";
  if (set.labels != truth.labels) return "labels";
  if (!same(set.multiLabels, truth.multiLabels)) return "labels, several a vertex";
  if (set.classes != truth.classes)
    return std::to_string(set.classes) + " classes; written " + std::to_string(truth.classes);
  if (truth.split.empty() ? !generated(set, "split") : set.split != truth.split) return "split";
  return "";
}

}  // namespace halo::properties
