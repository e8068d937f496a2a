#pragma once

#include <QFontMetrics>
#include <QString>
#include <vector>

#include "engine/record/rows/rows.h"
#include "views/look/axis.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_style.h"

class QPainter;

namespace halo {

/// A word of the ruler: pixels from the left edge of the lanes to its first letter and to the mark it names.
struct RulerWord {
  double x = 0;
  QString text;
  double mark = 0;
  bool begins = true;  // false: what it names has begun left of the view, so there is no mark
};

/// Names of major ticks, those that stand whole within `width`: half a number is another number.
std::vector<RulerWord> tickWords(const std::vector<TimeTick>& ticks, const PixelGrid& grid, double ratio,
                                 const QFontMetrics& metrics);
/// Names of the epochs in view, as many as have room, each whole.
std::vector<RulerWord> epochWords(const std::vector<EpochRow>& epochs, std::size_t first,
                                  const PixelGrid& grid, double ratio, const QFontMetrics& metrics);

/// How high a ruler of ticks above epochs is in these letters.
int rulerHeightFor(const QFont& font);
/// Ticks and epochs of the first block above the lanes, and the corner left of them.
void paintRuler(QPainter& painter, const TimelineLayout& layout, const TimelineStyle& style);

}  // namespace halo
