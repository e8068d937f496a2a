#include "views/figure/figure_style.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"

namespace halo {

QColor figureColor(const FigureSeries& series, std::size_t index, Theme theme) {
  if (series.kind) return palette(theme).color(*series.kind);
  return QColor(seriesColor(theme, series.color.value_or(static_cast<int>(index))));
}

Qt::PenStyle seriesDash(std::size_t index) {
  constexpr std::array kDashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
  return kDashes[index % kDashes.size()];
}

Qt::PenStyle curveDash(const FigureSeries& series, std::size_t index) {
  return seriesDash(series.color ? at(series.dash) : index);
}

QColor bandColor(const QColor& curve) {
  constexpr int kAlpha = 56;
  return {curve.red(), curve.green(), curve.blue(), kAlpha};
}

QColor heatColor(double share, Theme theme) {
  const Palette& colors = palette(theme);
  return QColor(mix(colors.background, colors.kind[0], std::clamp(share, 0.0, 1.0)));
}

QColor changeColor(double share, Theme theme) {
  const Palette& colors = palette(theme);
  return QColor(halo::changeColor(colors, share, colors.background));
}

}  // namespace halo
