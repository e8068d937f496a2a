#include "engine/partition/stochastic/expected_rows.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

std::vector<double> chancesOfAny(Index vertices, Index batch, Index most) {
  HALO_CHECK(1 <= batch && batch <= vertices && most < std::max<Index>(1, vertices));
  std::vector<double> chances(at(most) + 1, 0.0);
  double none = 1;  // chance that none of c is there
  for (Index c = 0; c < most; ++c) {
    // of the others that are left, one more is in the batch
    const double met = std::min(1.0, static_cast<double>(batch - 1) / static_cast<double>(vertices - 1 - c));
    chances[at(c) + 1] = chances[at(c)] + none * met;
    none *= 1 - met;
  }
  return chances;
}

std::vector<double> expectedRows(const Csr& arcs, const Owners& owners, int parts, Index batch) {
  std::vector<double> sent(at(parts), 0.0);
  const Csr consumers = transpose(arcs);
  Index most = 0;
  for (Index v = 0; v < consumers.rows(); ++v) most = std::max(most, consumers.degree(v));
  const std::vector<double> chances = chancesOfAny(std::max<Index>(1, arcs.rows()), std::max<Index>(1, batch),
                                                   std::min(most, std::max<Index>(0, arcs.rows() - 1)));
  std::vector<Index> partConsumers(at(parts), 0);  // consumers of the vertex in each part
  for (Index v = 0; v < consumers.rows(); ++v) {
    const std::int32_t own = owners[at(v)];
    for (const Vertex u : consumers.row(v))
      if (u != v) ++partConsumers[at(owners[at(u)])];
    for (const Vertex u : consumers.row(v)) {
      const std::int32_t part = owners[at(u)];
      if (part != own) sent[at(own)] += chances[at(partConsumers[at(part)])];
      partConsumers[at(part)] = 0;
    }
    partConsumers[at(own)] = 0;
  }
  const double met = arcs.rows() == 0 ? 0 : static_cast<double>(batch) / static_cast<double>(arcs.rows());
  for (double& rows : sent) rows *= met;
  return sent;
}

}  // namespace halo
