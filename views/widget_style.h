#pragma once

#include <QProxyStyle>

namespace halo {

/// Qt's own style, with frames of check boxes and radio buttons that can be seen on dark colours too: Qt
/// makes them of a darker shade of what is behind.
class WidgetStyle : public QProxyStyle {
  Q_OBJECT
 public:
  WidgetStyle() : QProxyStyle("Fusion") {}

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

}  // namespace halo
