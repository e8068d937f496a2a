#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/record/rows/rows.h"

namespace halo {

/// What times are told in: what modelled devices take, or what this machine's wall clock showed.
enum class TimeClock : std::uint8_t { modelled, wall };
inline constexpr std::array<std::string_view, 2> kTimeClocks = {"modelled", "wall"};  // in order

/// Which of the two a run recorded. Devices are modelled by simulations and by hyscale. On a real clock
/// hyscale's spans, iterations and stages are of the wall, `dilation` times as long as modelled. On a virtual
/// clock and in simulations all of them are modelled, and there is no wall time.
struct RunClock {
  bool hasModelled = false, hasWall = true;
  double dilation = 1;

  bool hasBoth() const { return hasModelled && hasWall; }
  /// The wanted one where it was recorded, else the other.
  TimeClock shown(TimeClock wanted) const;
  /// How many ns of the recording are one of the shown ones.
  double divisor(TimeClock wanted) const;
};
RunClock runClock(const RunRow& run, const std::map<std::string, std::string>& parameters);

/// A moment that was recorded, so divided: neighbours that touch still do.
std::int64_t dividedNs(std::int64_t ns, double divisor);

}  // namespace halo
