#pragma once

#include <QFontMetrics>
#include <QString>
#include <vector>

#include "engine/record/rows/rows.h"
#include "views/look/axis.h"
#include "views/timeline/timeline_lines.h"

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

}  // namespace halo
