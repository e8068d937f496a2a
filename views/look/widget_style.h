#pragma once

#include <QProxyStyle>

namespace halo {

/// Qt's own style, with frames of check boxes and radio buttons that can be seen on dark colours too. Qt
/// makes such frames of a darker shade of what is behind. Tabs are narrow enough that those of a perspective
/// stand with their whole names in a window 1280 wide.
class WidgetStyle : public QProxyStyle {
  Q_OBJECT
 public:
  WidgetStyle() : QProxyStyle("Fusion") {}

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option = nullptr,
                  const QWidget* widget = nullptr) const override;
};

}  // namespace halo
