#include "engine/model/model.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// "(7, 32)", as numpy writes it.
std::string shapeText(const std::vector<Index>& shape) {
  std::string text;
  for (const Index size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

std::vector<Index> shapeOf(const Weight& weight) {
  if (weight.isVector) return {weight.value.cols()};
  return {weight.value.rows(), weight.value.cols()};
}

}  // namespace

const LayerEntry& layerKind(const std::string& name) {
  if (const auto* entry = find<LayerEntry>(name)) return *entry;
  std::string list;
  for (const auto& [kind, entry] : registry<LayerEntry>()) list += " " + kind;
  throw InputError(
      {.file = {}, .key = "model.kind", .message = "'" + name + "' cannot be used; one of" + list});
}

std::vector<Index> layerWidths(const ModelSettings& settings, Index in, Index classes) {
  HALO_CHECK(settings.layers >= 1);
  std::vector<Index> widths(at(settings.layers) + 1, settings.hidden);
  widths.front() = in;
  widths.back() = classes;
  return widths;
}

Order layerOrder(const ModelSettings& settings, const std::vector<Index>& widths, int layer,
                 bool layer0Cached) {
  const auto l = at(layer);
  HALO_CHECK(layer >= 0 && l + 1 < widths.size());
  if (layer == 0 && layer0Cached) return Order::aggregateFirst;
  if (settings.order == "aggregate-first") return Order::aggregateFirst;
  if (settings.order == "update-first") return Order::updateFirst;
  if (settings.order == "update-last") return Order::updateLast;
  if (layerKind(settings.kind).propagation == Propagation::attention) return Order::updateFirst;
  return widths[l + 1] < widths[l] ? Order::updateFirst : Order::aggregateFirst;
}

Model::Model(const ModelSettings& settings, const std::vector<Index>& widths, std::uint64_t seed,
             bool layer0Cached)
    : widths_(widths) {
  const LayerEntry& kind = layerKind(settings.kind);
  const int count = static_cast<int>(widths.size()) - 1;
  HALO_CHECK(count >= 1);
  for (int l = 0; l < count; ++l) {
    LayerRequest request;
    request.in = widths[at(l)];
    request.out = widths[at(l) + 1];
    request.order = layerOrder(settings, widths, l, layer0Cached);
    request.seed = seed;
    request.number = l;
    request.learnEpsilon = settings.learnEpsilon;
    request.heads = settings.heads;
    request.last = l + 1 == count;
    layers_.push_back(kind.make(request));
    auto& norm = norms_.emplace_back();
    if (settings.norm == "layer" && l + 1 < count) {
      norm.push_back(filled("norm.scale", request.out, 1));
      norm.push_back(filled("norm.shift", request.out, 0));
    }
  }
  nameWeights();
}

void Model::embedLabels(std::uint64_t seed) {
  HALO_CHECK(labels_.empty());
  LayerRequest request;
  request.seed = seed;
  request.number = -1;  // comes before layer 0
  labels_.push_back(glorot("embedding", widths_.back(), widths_.front(), request));
  nameWeights();
}

bool Model::normalised(int l) const { return !norms_[at(l)].empty(); }

void Model::nameWeights() {
  named_.clear();
  for (int l = 0; l < layers(); ++l)
    for (auto* group : {&layer(l).weights(), &norm(l)})
      for (Weight& weight : *group)
        named_.emplace_back("layer" + std::to_string(l) + "." + weight.name, &weight);
  for (Weight& weight : labels_) named_.emplace_back("labels." + weight.name, &weight);
}

Index Model::weightCount() {
  Index count = 0;
  for (const auto& [name, weight] : weights()) count += weight->value.size();
  return count;
}

Index Model::inputWeightCount() {
  Index count = 0;
  if (InputProduct* product = layer(0).inputProduct(); product != nullptr)
    for (const Weight* weight : product->rowWeights()) count += weight->value.size();
  return count;
}

void Model::load(const std::filesystem::path& npz) { take(readNpz(npz), npz.string()); }
void Model::loadBytes(const std::string& npz, const std::string& name) {
  take(readNpzBytes(npz, name), name);
}

void Model::take(const std::map<std::string, NpyArray>& arrays, const std::string& file) {
  std::vector<Problem> problems;
  std::map<std::string, Weight*> expected;
  for (const auto& [name, weight] : weights()) {
    expected.emplace(name, weight);
    const auto shape = shapeOf(*weight);
    if (const auto array = arrays.find(name); array == arrays.end())
      problems.push_back(
          {.file = file, .key = name, .message = "missing; an array of shape " + shapeText(shape)});
    else if (array->second.shape != shape)
      problems.push_back({.file = file,
                          .key = name,
                          .message = "has shape " + shapeText(array->second.shape) + "; the model needs " +
                                     shapeText(shape)});
  }
  for (const auto& [name, array] : arrays)
    if (!expected.contains(name))
      problems.push_back(
          {.file = file, .key = name, .message = "the model has no array of this name; leave it out"});
  if (!problems.empty()) throw InputError(std::move(problems));

  for (const auto& [name, weight] : expected) {
    const Matrix values = arrays.at(name).matrix(file + ": " + name);
    if (!std::ranges::all_of(values.values(), [](Scalar value) { return std::isfinite(value); }))
      throw DamagedInput(Problem{.file = file, .key = name, .message = "holds what is not a finite number"});
    std::ranges::copy(values.values(), weight->value.data());
  }
}

std::string Model::saveBytes() {
  std::vector<std::pair<std::string, const Matrix*>> arrays;
  std::vector<std::string> vectors;
  for (const auto& [name, weight] : weights()) {
    arrays.emplace_back(name, &weight->value);
    if (weight->isVector) vectors.push_back(name);
  }
  return writeNpz(arrays, vectors);
}

}  // namespace halo
