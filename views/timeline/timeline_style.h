#pragma once

#include <QFont>

#include "views/look/palette.h"

namespace halo {

/// What the painters of the timeline draw with.
struct TimelineStyle {
  const Palette* colors = nullptr;
  double pixelRatio = 1;  // device pixels a pixel
  QFont font;

  bool operator==(const TimelineStyle&) const = default;
};

/// Half-transparent colours over lanes; `alpha` from 0 to 255.
inline QColor withAlpha(QRgb rgb, int alpha) {
  QColor color = QColor::fromRgb(rgb);
  color.setAlpha(alpha);
  return color;
}

}  // namespace halo
