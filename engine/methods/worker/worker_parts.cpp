#include "engine/methods/worker/worker_parts.h"

#include <algorithm>

#include "engine/kernels/sparse/gather.h"

namespace halo {

void Share::gatherFeatures(std::span<const Vertex> rows, std::span<Scalar> out) const {
  if (mapped)
    gatherRows(mapped->rows(), graph.owned, rows, out);
  else
    gatherRows(features, rows, out);
}

Holdings haloHoldings(const LocalGraph& graph) {
  return {boundaryOf(graph.peers), static_cast<std::int64_t>(graph.haloIds.size()),
          graph.own.nonzeros() + graph.halo.nonzeros()};
}

std::int64_t boundaryOf(std::span<const HaloPeer> peers) {
  std::vector<Vertex> sent;
  for (const HaloPeer& peer : peers) sent.insert(sent.end(), peer.sendRows.begin(), peer.sendRows.end());
  std::ranges::sort(sent);
  return std::ranges::unique(sent).begin() - sent.begin();
}

void aggregate(Tracer& tracer, const Csr& A, FirstRows X, Matrix& Y, Write write) {
  const Timed timed(tracer, Kind::compute, Name::aggregate);
  spmm(A, X, Y, write);
}

}  // namespace halo
