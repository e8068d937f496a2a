// Every vertex to a part at random, parts of equal size (±1): vertices in a random order, cut into blocks.
#include <algorithm>
#include <utility>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {
namespace {

Owners random(const Csr& arcs, const PartitionRequest& request) {
  const auto n = at(arcs.rows());
  std::vector<std::pair<std::uint64_t, std::size_t>> order(n);  // the number drawn, the vertex
  for (std::size_t v = 0; v < n; ++v) {
    const auto words = philox(request.seed, Purpose::partition, v);
    order[v] = {std::uint64_t{words[0]} << 32 | words[1], v};
  }
  std::ranges::sort(order);
  Owners owners(n);
  for (std::size_t place = 0; place < n; ++place)
    owners[order[place].second] = static_cast<std::int32_t>(place * at(request.parts) / n);
  return owners;
}

const Registered<PartitionerEntry> self{
    {{"random", "vertices at random, equally many for each part", "baseline"}, random}};

}  // namespace
}  // namespace halo
