#include "views/look/widget_style.h"

#include <QPainter>
#include <QStyleOption>

#include "views/look/palette.h"

namespace halo {

namespace {

/// Between the colours of the pane and of its text: dark on light, light on dark.
QColor frameOf(const QStyleOption& option) {
  constexpr double kShare =
      0.65;  // contrast of 3:1 and more in both themes; weaker where nothing can be done
  const bool enabled = option.state.testFlag(QStyle::State_Enabled);
  return QColor(mix(option.palette.color(QPalette::Base).rgb(),
                    option.palette.color(QPalette::Active, QPalette::Text).rgb(),
                    enabled ? kShare : kShare / 2));
}

}  // namespace

void WidgetStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if (element != PE_IndicatorCheckBox && element != PE_IndicatorRadioButton) return;
  painter->save();
  painter->setPen(frameOf(*option));
  painter->setBrush(Qt::NoBrush);
  if (element == PE_IndicatorCheckBox) {
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
  } else {
    painter->setRenderHint(QPainter::Antialiasing);
    painter->drawEllipse(QRectF(option->rect).adjusted(1.5, 1.5, -1.5, -1.5));
  }
  painter->restore();
}

int WidgetStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  constexpr int kBesideTab = 16;  // of both sides together; Qt's own is 24
  return metric == PM_TabBarTabHSpace ? kBesideTab : QProxyStyle::pixelMetric(metric, option, widget);
}

}  // namespace halo
