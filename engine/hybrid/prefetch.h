#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace halo {

/// What of later mini-batches runs beside the propagation of one (HyScale IV-B):
///
///   none  all four stages of a batch in turn
///   one   sampling of k + 2; loading, then transfer, of k + 1
///   two   sampling of k + 3, loading of k + 2, transfer of k + 1
enum class Prefetch : std::uint8_t { none, one, two };
inline constexpr std::array<std::string_view, 3> kPrefetches = {"none", "one", "two"};

/// Iterations between the sampling of a mini-batch and its propagation.
constexpr int iterationsAhead(Prefetch prefetch) {
  return prefetch == Prefetch::none ? 0 : prefetch == Prefetch::one ? 2 : 3;
}

}  // namespace halo
