#pragma once

#include "views/spans/timeline_blocks.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_style.h"

class QPainter;

namespace halo {

int headingHeightFor(const QFont& font);

/// Paints the headings of several runs: colour and name, where a run stands on the axis, and its epochs.
/// These need not be those of the ruler. Also paints the names of hosts, parts or layers, where lanes stand
/// by them.
void paintHeadings(QPainter& painter, const TimelineLayout& layout, const TimelineBlocks& blocks,
                   const TimelineStyle& style);

}  // namespace halo
