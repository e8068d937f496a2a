#include "datasets/graph/dataset.h"

#include <algorithm>

#include "datasets/graph/digest.h"

namespace halo {

Index Dataset::count(Split part) const { return std::count(split.begin(), split.end(), part); }

std::string contentDigest(const Dataset& dataset) {
  Digest digest;
  const auto add = [&](const auto& values) {
    digest.add(values.data(), values.size() * sizeof(*values.data()));
  };
  digest.add(dataset.directed).add(dataset.classes).add(dataset.features.cols());
  add(dataset.arcs.offsets);
  add(dataset.arcs.columns);
  add(dataset.features.values());
  add(dataset.labels);
  add(dataset.multiLabels.values());
  add(dataset.split);
  return digest.hex();
}

}  // namespace halo
