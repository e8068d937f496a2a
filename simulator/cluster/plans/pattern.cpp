#include "simulator/cluster/plans/pattern.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/methods/contract/layer_work.h"

namespace halo::cluster {
namespace {

Csr withItself(const Csr& arcs) {
  Csr pattern;
  pattern.cols = arcs.cols;
  pattern.offsets.reserve(arcs.offsets.size());
  pattern.columns.reserve(arcs.columns.size() + arcs.offsets.size());
  for (Index v = 0; v < arcs.rows(); ++v) {
    const auto row = arcs.row(v);
    const auto self = static_cast<Vertex>(v);
    const auto after = std::ranges::lower_bound(row, self);
    HALO_CHECK(after == row.end() || *after != self);
    pattern.columns.insert(pattern.columns.end(), row.begin(), after);
    pattern.columns.push_back(self);
    pattern.columns.insert(pattern.columns.end(), after, row.end());
    pattern.offsets.push_back(static_cast<Index>(pattern.columns.size()));
  }
  return pattern;
}

}  // namespace

bool aggregatesItself(std::string_view kind) { return layerWork(std::string(kind)).includesItself; }

Csr patternOf(const Csr& arcs, std::string_view kind) {
  Csr pattern = aggregatesItself(kind) ? withItself(arcs) : arcs;
  pattern.values.clear();
  if (layerWork(std::string(kind)).weighted) pattern.values.assign(pattern.columns.size(), Scalar{1});
  return pattern;
}

}  // namespace halo::cluster
