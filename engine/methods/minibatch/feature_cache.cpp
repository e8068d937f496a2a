#include "engine/methods/minibatch/feature_cache.h"

#include <algorithm>
#include <numeric>

#include "engine/base/index.h"
#include "engine/methods/minibatch/kept_rows.h"

namespace halo {

HostFeatures::HostFeatures(WorkerParts& parts)
    : width_(parts.share.features.cols()), ownBytes_(parts.share.features.bytes()) {
  if (parts.share.mapped) {
    values_ = parts.share.mapped->rows().data();
    return;
  }
  memory_ = parts.comm.shareMemory(at(parts.share.graph.globalVertices * width_) * sizeof(Scalar));
  auto* const values = reinterpret_cast<Scalar*>(memory_->data());
  const std::vector<Vertex>& owned = parts.share.graph.owned;
  for (std::size_t row = 0; row < owned.size(); ++row)
    std::ranges::copy(parts.share.features.row(static_cast<Index>(row)), values + owned[row] * width_);
  parts.comm.barrier();
  values_ = values;
}

FeatureCache::FeatureCache(const HostFeatures& host, const ClosedPart& part, Index capacity)
    : host_(host), placeOf_(at(part.graph().vertices()), -1) {
  const std::vector<Index> degrees = part.outDegrees();
  const std::span<const Vertex> vertices = part.vertices();
  const std::vector<std::size_t> order = mostRead(vertices, degrees, capacity);
  kept_.resize(std::ssize(order), host.width());
  Index arcs = 0;
  for (Index place = 0; place < kept_.rows(); ++place) {
    const Vertex v = vertices[order[at(place)]];
    std::ranges::copy(host.row(v), kept_.row(place).begin());
    placeOf_[at(v)] = static_cast<Vertex>(place);
    arcs += degrees[order[at(place)]];
  }
  if (const Index all = std::reduce(degrees.begin(), degrees.end()); all > 0)
    expected_ = static_cast<double>(arcs) / static_cast<double>(all);
}

Index FeatureCache::read(std::span<const Vertex> vertices, Matrix& out) const {
  out.resize(std::ssize(vertices), host_.width());
  Index hits = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vertex place = placeOf_[at(vertices[i])];
    std::ranges::copy(place >= 0 ? kept_.row(place) : host_.row(vertices[i]),
                      out.row(static_cast<Index>(i)).begin());
    hits += place >= 0 ? 1 : 0;
  }
  return hits;
}

}  // namespace halo
