#pragma once

#include "views/timeline/timeline_selection.h"
#include "views/timeline/timeline_style.h"

class QPainter;

namespace halo {

// What stands over the lanes.

/// A dashed line where an epoch of the first block begins, while they are not too close.
void paintEpochs(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style);
/// `area`: the selected time. Frames around selected spans, shades over area, zoom and what is measured, each
/// with its length.
void paintSelection(QPainter& painter, const TimelineLayout& layout, TimeRange area,
                    const TimelineSelection& selection, const TimelineStyle& style);

}  // namespace halo
