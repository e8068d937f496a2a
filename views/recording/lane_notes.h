#pragma once

#include <QString>

#include "views/recording/time_window.h"

namespace halo {

/// What somebody wrote at a moment of a rank; `ns` on the axis of the timeline.
struct LaneNote {
  LaneChoice lane;
  std::int64_t ns = 0;
  QString text;
  bool operator==(const LaneNote&) const = default;
};

}  // namespace halo
