#include <algorithm>

#include "simulator/cluster/counted_plan.h"

namespace halo::cluster {
namespace {

/// Of a method that goes round by round: the two largest messages, which are held at a time.
std::int64_t twoLargest(const Plan& plan, int rank) {
  std::int64_t first = 0, second = 0;
  for (const Step& step : plan.steps) {
    if (step.op != Op::exchange) continue;
    const Traffic& traffic = plan.traffics[static_cast<std::size_t>(step.traffic)];
    const std::int64_t bytes = traffic.inBytes[rank] / std::max<std::int64_t>(traffic.inMessages[rank], 1);
    second = std::max(second, std::min(first, bytes));
    first = std::max(first, bytes);
  }
  return first + second;
}

/// What arrives in the exchanges of a pass, by rank, over all layers; broadcasts: the largest block.
std::int64_t arrivedBytes(const Plan& plan, int rank, bool late) {
  std::int64_t bytes = 0;
  for (const Step& step : plan.steps) {
    if (step.traffic < 0 || (late && step.depth == 0)) continue;
    const Traffic& traffic = plan.traffics[static_cast<std::size_t>(step.traffic)];
    const bool kept = late || step.pass == Pass::forward;
    if (step.op == Op::exchange && kept) bytes += traffic.inBytes[rank] * std::max(step.depth, 1);
    if (step.op == Op::broadcast && traffic.outMessages[rank] > 0)
      bytes = std::max(bytes, traffic.outBytes[rank] / traffic.outMessages[rank]);
  }
  return bytes;
}

}  // namespace

PerRank memoryOf(const ModelShape& shape, const MethodStyle& style, const Loads& loads, bool normalised,
                 const Plan& plan) {
  constexpr std::int64_t kElement = sizeof(Scalar);
  const bool transposed = style.order == ExchangeOrder::transposed;
  const bool inRounds = style.order == ExchangeOrder::rounds && !loads.partEntries.empty();
  const std::int64_t slices = plan.ranks / style.groups;
  std::vector<std::int64_t> bytes;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    std::int64_t elements = 4 * shape.weights;
    for (const LayerShape& layer : shape.layers) {
      elements += loads.rows[rank] * (2 * layer.in + (normalised ? layer.out : 0));
      if (transposed) elements += 2 * loads.rowsOfGroup[rank] * sliceWidth(layer.in, rank % slices, slices);
    }
    const std::int64_t entries = transposed ? loads.entriesOfGroup[rank] : loads.entries[rank];
    const std::int64_t rows = transposed ? loads.rowsOfGroup[rank] : loads.rows[rank];
    const bool late = style.depth > 0;
    bytes.push_back(kElement * elements + 8 * entries + 8 * (rows + 1) +
                    (transposed ? 0
                     : inRounds ? twoLargest(plan, rank)
                                : arrivedBytes(plan, rank, late)));
  }
  return PerRank(std::move(bytes));
}

}  // namespace halo::cluster
