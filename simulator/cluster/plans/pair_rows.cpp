#include "simulator/cluster/plans/pair_rows.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/index.h"

namespace halo::cluster {

std::vector<PairRows> haloPairs(const Csr& propagation, const Owners& owners, int parts) {
  const auto count = at(parts);
  std::vector<std::unordered_map<std::int32_t, std::int64_t>> rowsTo(count);
  const Csr consumers = transpose(propagation);  // row v: who aggregates v
  std::vector<std::int32_t> targets;
  for (Index v = 0; v < consumers.rows(); ++v) {
    const std::int32_t home = owners[at(v)];
    targets.clear();
    for (const Vertex u : consumers.row(v))
      if (const std::int32_t part = owners[at(u)]; part != home) targets.push_back(part);
    std::ranges::sort(targets);
    targets.erase(std::ranges::unique(targets).begin(), targets.end());
    for (const std::int32_t part : targets) ++rowsTo[at(home)][part];
  }
  std::vector<PairRows> pairs;
  for (std::size_t source = 0; source < count; ++source) {
    const std::size_t begin = pairs.size();
    for (const auto& [target, rows] : rowsTo[source])
      pairs.push_back({static_cast<std::int32_t>(source), target, rows});
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(begin), pairs.end(),
              [](const PairRows& a, const PairRows& b) { return a.target < b.target; });
  }
  return pairs;
}

RowTable tableOf(const std::vector<PairRows>& pairs, int parts) {
  const auto count = at(parts);
  RowTable table(count, std::vector<std::int64_t>(count, 0));
  for (const PairRows& pair : pairs) table[at(pair.source)][at(pair.target)] = pair.rows;
  return table;
}

}  // namespace halo::cluster
