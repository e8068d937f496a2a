#pragma once

#include <string>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"

namespace halo::test {

inline RunSettings labelSettings(const std::string& kind, double dropout, double share = 0.62) {
  RunSettings run = settingsFor("supergcn", kind, 3, 6, dropout);
  run.parameters.insert_or_assign("label_propagation", Value(share));
  if (kind == "gat") run.parameters.insert_or_assign("aggregation", Value(std::string("post")));
  run.model.heads = 3;
  run.model.norm = "layer";
  run.cluster.workers = worldSize();
  return run;
}

/// Whose label is shown, worked out anew.
inline bool shown(const Dataset& set, Index v, std::uint64_t seed, std::uint32_t epoch, double share) {
  const double draw = unit(philox(seed, Purpose::labelSplit, static_cast<std::uint64_t>(v), epoch)[0]);
  return set.split[at(v)] == Split::train && draw < share;
}

}  // namespace halo::test
