#pragma once

#include "views/recording/lane_notes.h"
#include "views/recording/node_marks.h"
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

/// A hue by batch lies along the upper edge of spans that are wide enough. A step line of what waits lies
/// along the lower edge of lanes. Over all lanes stands a line a decision, with ▲ where it was kept and ▽
/// where not.
void paintNodeMarks(QPainter& painter, const TimelineLayout& layout, const NodeMarks& marks,
                    const TimelineStyle& style);

/// Flags at the first row of their ranks, with as much of their words as a flag takes.
void paintNotes(QPainter& painter, const TimelineLayout& layout, const std::vector<LaneNote>& notes,
                const TimelineStyle& style);
/// The note whose flag stands there; of several the one painted last.
std::optional<LaneNote> noteAt(const TimelineLayout& layout, const std::vector<LaneNote>& notes, QPoint at);

/// Of a batch by its number in the run: unlike those before and after it, and unlike the kinds of such lanes.
QRgb batchHue(std::int64_t number, Theme theme);
/// One of these in a box of the legend.
void paintNodeSign(QPainter& painter, const QRect& box, NodeSign sign, const Palette& colors);

/// Of a decision's sign; empty beside it.
QString decisionTooltip(const TimelineLayout& layout, const NodeMarks& marks, QPoint at);
/// The batch of what stands there: "batch 7, epoch 1, iteration 2; 1 waits"; empty: none.
QString batchText(const TimelineLayout& layout, const NodeMarks& marks, QPoint at);

}  // namespace halo
