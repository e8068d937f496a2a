#pragma once

#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/matrix.h"
#include "engine/base/philox.h"

namespace halo::properties {

using Random = PhiloxStream;

/// The random numbers of one case: a case is made again from its seed alone.
inline Random randomOf(std::uint64_t seed, std::uint64_t stream = 0) {
  return Random(seed, Purpose::generate, stream);
}

inline bool chance(Random& random, double share) { return random.uniform() < share; }

/// From `low` to `high`, both included.
inline Index between(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

template <class T>
const T& pick(Random& random, const std::vector<T>& from) {
  return from[random.below(from.size())];
}
inline std::string pick(Random& random, std::initializer_list<const char*> from) {
  return std::data(from)[random.below(from.size())];
}

template <class T>
void shuffle(Random& random, std::vector<T>& values) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

/// 0 … n−1 in any order.
inline std::vector<Index> anyOrder(Random& random, Index n) {
  std::vector<Index> order(at(n));
  std::iota(order.begin(), order.end(), Index{0});
  shuffle(random, order);
  return order;
}

}  // namespace halo::properties
