#pragma once

#include <optional>

#include "views/timeline/timeline_canvas.h"

class QMenu;

namespace halo {

/// What a context menu of the timeline is about.
struct TimelinePlace {
  std::optional<SpanId> span;
  std::optional<RowId> row;
  std::int64_t ns = 0;
};

/// Entries for what lies at `at`, only those that have something to do. All arguments but `at` outlive the
/// menu.
void fillTimelineMenu(QMenu& menu, TimelineCanvas& canvas, TimelineBlocks& blocks, TimeWindow& window,
                      const TimelinePlace& at);

}  // namespace halo
