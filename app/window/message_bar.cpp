#include "app/window/message_bar.h"

#include <QPainter>
#include <QSizeGrip>
#include <QStyle>
#include <QStyleOption>
#include <algorithm>

#include "views/look/figure_text.h"

namespace halo {

MessageBar::MessageBar(QWidget* parent) : QStatusBar(parent) {
  connect(this, &QStatusBar::messageChanged, this,
          [this](const QString& message) { setToolTip(message.isEmpty() ? QString() : plainRich(message)); });
}

/// Up to the first widget, all of which are permanent.
QRect MessageBar::room() const {
  constexpr int kLeft = 6, kGap = 12;
  int end = width();
  for (const auto* widget : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (widget->isVisibleTo(this) && qobject_cast<const QSizeGrip*>(widget) == nullptr)
      end = std::min(end, widget->x());
  return {kLeft, 0, std::max(0, end - kGap - kLeft), height()};
}

QString MessageBar::drawn() const {
  return fontMetrics().elidedText(currentMessage(), Qt::ElideMiddle, room().width());
}

void MessageBar::paintEvent(QPaintEvent* event) {
  if (currentMessage().isEmpty()) return QStatusBar::paintEvent(event);
  QPainter painter(this);
  QStyleOption option;
  option.initFrom(this);
  style()->drawPrimitive(QStyle::PE_PanelStatusBar, &option, &painter, this);
  painter.setPen(palette().windowText().color());
  painter.drawText(room(), Qt::AlignLeading | Qt::AlignVCenter | Qt::TextSingleLine, drawn());
}

}  // namespace halo
