#include "engine/partition/stochastic/expected_gains.h"

#include <algorithm>
#include <utility>

namespace halo {

ExpectedGains::ExpectedGains(NetParts& state, std::int64_t limit, const std::vector<std::int64_t>& chances)
    : state_(state),
      limit_(limit),
      chances_(chances),
      offered_(static_cast<std::size_t>(state.parts()), 0),
      isListed_(offered_.size(), 0) {
  for (Vertex net = 0; net < state.graph().netCount(); ++net)
    for (const auto& [part, pins] : state.touched(net))
      if (part != state.owner(sourceOf(net))) cost_ += costOf(pins);
}

std::int64_t ExpectedGains::gain(Vertex node, std::int32_t part) const {
  const std::int32_t own = state_.owner(node);
  if (part == own) return 0;
  std::int64_t sum = 0;
  for (const Vertex net : state_.graph().netsOf(node)) {
    const Vertex source = sourceOf(net);
    if (source == node) {
      sum += costOf(state_.pinsIn(net, part)) - costOf(state_.pinsIn(net, own) - 1);
      continue;
    }
    const std::int32_t home = state_.owner(source);
    if (home != own) sum += addedCost(state_.pinsIn(net, own) - 1);
    if (home != part) sum -= addedCost(state_.pinsIn(net, part));
  }
  return sum;
}

void ExpectedGains::offer(std::int32_t part, std::int64_t weight) {
  const auto at = static_cast<std::size_t>(part);
  if (!std::exchange(isListed_[at], 1)) parts_.push_back(part);
  offered_[at] += weight;
}

// What holds for any part is summed once: that another consumer in a part without any costs the most.
NodeMove ExpectedGains::best(Vertex node) {
  const std::int32_t own = state_.owner(node);
  std::int64_t anywhere = 0;
  parts_.clear();
  for (const Vertex net : state_.graph().netsOf(node)) {
    const Vertex source = sourceOf(net);
    const std::int32_t home = state_.owner(source);
    if (source != node) anywhere -= addedCost(0);
    for (const auto& [part, pins] : state_.touched(net)) {
      if (source == node)
        part == own ? void(anywhere -= costOf(pins - 1)) : offer(part, costOf(pins));
      else if (part != own)
        offer(part, addedCost(0) - (part == home ? 0 : addedCost(pins)));
      else if (part != home)
        anywhere += addedCost(pins - 1);
    }
  }
  const std::int64_t heaviest = limit_ - state_.graph().nodeWeight[static_cast<std::size_t>(node)];
  NodeMove best;
  for (const std::int32_t part : parts_) {
    const auto at = static_cast<std::size_t>(part);
    isListed_[at] = 0;
    const std::int64_t gain = anywhere + std::exchange(offered_[at], 0), weight = state_.weight(part);
    if (weight > heaviest) continue;
    const bool lighter =
        best.part >= 0 && std::pair(weight, part) < std::pair(state_.weight(best.part), best.part);
    if (best.part < 0 || gain > best.gain || (gain == best.gain && lighter)) best = {gain, part};
  }
  return best;
}

Vertex ExpectedGains::onlyPin(Vertex net, std::int32_t part) const {
  return *std::ranges::find_if(state_.graph().pinsOf(net),
                               [&](Vertex pin) { return state_.owner(pin) == part; });
}

}  // namespace halo
