#include "simulator/cluster/machines/crossings.h"

#include <algorithm>
#include <numeric>

namespace halo::cluster {
namespace {

/// Of the numbers from 0 to before `end`, those whose bit of value `bit` is not set.
std::int64_t withoutBit(std::int64_t end, std::int64_t bit) {
  return end / (2 * bit) * bit + std::min(end % (2 * bit), bit);
}

}  // namespace

Crossings shiftedBy(const NodeRanks& among, std::int64_t distance) {
  const std::int64_t count = std::min(among.perNode, among.ranks);
  // in the first node, which is full: those that stay further up, and those that come round to it again
  const std::int64_t stay = std::max<std::int64_t>(0, count - distance) +
                            std::max<std::int64_t>(0, count - (among.ranks - distance));
  return {count - stay, stay > 0};
}

Crossings exchangedAt(const NodeRanks& among, std::int64_t distance) {
  Crossings most;
  for (std::int64_t begin = 0; begin < among.ranks; begin += among.perNode) {
    const std::int64_t end = std::min(begin + among.perNode, among.ranks);
    const auto lower = [&](std::int64_t from, std::int64_t to) {
      return from < to ? withoutBit(to, distance) - withoutBit(from, distance) : 0;
    };
    const std::int64_t pairs = lower(begin, end - distance);
    const std::int64_t alone = lower(std::max(begin, among.ranks - distance), end);  // their peer is no rank
    most.beyond = std::max(most.beyond, end - begin - alone - 2 * pairs);
    most.within = most.within || pairs > 0;
  }
  return most;
}

Crossings handedOn(const NodeRanks& among, std::int64_t distance, std::int64_t root) {
  if (among.perNode >= among.ranks) return {0, true};
  // a border is crossed where it lies 1 to `distance` behind a sender
  if (among.ranks % among.perNode != 0 || among.ranks % (2 * distance) != 0) {
    const auto wrapped = [&](std::int64_t rank) { return (rank % among.ranks + among.ranks) % among.ranks; };
    const auto node = [&](std::int64_t place) { return wrapped(place + root) / among.perNode; };
    for (std::int64_t border = 0; border < among.ranks; border += among.perNode) {
      const std::int64_t place = wrapped(border - root), behind = place % (2 * distance);
      const std::int64_t from = place - behind, to = from + distance;
      if (behind > 0 && behind <= distance && to < among.ranks && node(from) != node(to))
        return {1, distance < among.perNode};
    }
    return {0, true};
  }
  if (distance >= among.perNode) return {1, false};
  // borders lie all over what the size of a node leaves of two distances
  const std::int64_t apart = std::gcd(among.perNode, 2 * distance);
  const std::int64_t first = (among.perNode - root % among.perNode) % apart;
  return {(first == 0 ? apart : first) <= distance ? 1 : 0, true};
}

}  // namespace halo::cluster
