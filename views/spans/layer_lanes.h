#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "views/spans/timeline_lane.h"

namespace halo {

/// The spans of lanes by their layers: a lane of its own for each layer, rank and lane that has any. They are
/// copied a stretch at a time, so that nothing waits for it.
class LayerLanes {
 public:
  struct Part {
    std::int16_t layer = -1;  // −1: of what belongs to no layer
    std::unique_ptr<TimelineLane> lane;
  };

  /// Copies about so many spans more, lane after lane, of those appended since too; true while there are
  /// others. The lanes are those of the call before, or more.
  bool advance(std::span<const std::unique_ptr<TimelineLane>> lanes, std::size_t spans);
  const std::vector<Part>& parts() const { return parts_; }
  void clear();
  std::size_t bytes() const;

 private:
  using Key = std::pair<std::int64_t, Lane>;
  struct Copied {
    std::size_t spans = 0;
    std::vector<std::size_t> ofRow;
  };
  /// Of each row of the lane the spans that begin before a moment; true while there are others. Takes what it
  /// copies off `spans`.
  bool copy(const TimelineLane& lane, std::size_t& spans);
  TimelineLane& partOf(std::int16_t layer, const TimelineLane& lane);

  std::vector<Part> parts_;
  std::map<Key, Copied> copied_;
};

}  // namespace halo
