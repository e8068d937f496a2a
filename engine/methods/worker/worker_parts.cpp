#include "engine/methods/worker/worker_parts.h"

#include <algorithm>

namespace halo {

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

void aggregate(Tracer& tracer, const Csr& A, const Matrix& X, Matrix& Y, Write write) {
  const Timed timed(tracer, Kind::compute, Name::aggregate);
  spmm(A, X, Y, write);
}

}  // namespace halo
