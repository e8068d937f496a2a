#pragma once

#include <array>
#include <cstdint>

#include "engine/sampling/fanouts.h"
#include "engine/sampling/keyed_word.h"

namespace halo {

/// Of the draws of vertex v in block l of L, g · L below 2^32.
constexpr std::uint64_t neighbourStream(std::uint64_t step, int layers, int layer, std::int32_t v) {
  const auto all = static_cast<std::uint64_t>(layers), hop = static_cast<std::uint64_t>(layers - layer);
  return (step * all + hop) << 32 | static_cast<std::uint32_t>(v);
}

/// k_v: arcs that a row of `degree` arcs gives.
constexpr std::int64_t drawnArcs(std::int64_t degree, std::int32_t fanout, bool replace) {
  const bool draws = degree > fanout || (replace && degree > 0 && fanout != kAllNeighbours);
  return draws ? fanout : degree;
}

/// Positions that a row draws, at most kMostFanout, each from 4-word blocks 0, 1, … of one Philox stream as
/// PhiloxStream hands them out.
class RowDraw {
 public:
  /// `count` of [0, degree), each draw one of its own.
  /// `count` < degree distinct ones of [0, degree), where not `replace`. Every subset is equally likely.
  /// Source: Floyd's algorithm (Bentley and Floyd 1987). O(count²) up to 32, else O(count).
  void draw(const DrawKey& key, std::uint64_t stream, std::uint64_t degree, std::uint32_t count,
            bool replace);
  const std::uint32_t* positions() const { return positions_.data(); }

 private:
  void fill(const DrawKey& key, std::uint64_t stream, std::uint32_t count);
  void leaveRepeats(std::uint64_t degree, std::uint32_t count);
  bool taken(std::uint32_t position);

  static constexpr std::uint32_t kAlong = 32, kSlots = 4096;
  std::array<std::uint64_t, kMostFanout + 2> words_;
  std::array<std::uint32_t, kMostFanout> positions_;
  std::array<std::uint64_t, kSlots> table_{};  // row's number and position of a slot
  std::uint32_t row_ = 0;
};

}  // namespace halo
