#pragma once

#include <QApplication>
#include <QTest>
#include <QWheelEvent>
#include <QWidget>

namespace halo::test {

/// As a hand does it, by one step: up for 1, down for -1. What the program itself sends is passed on to
/// nobody.
inline void turnWheel(QWidget& widget, int steps) {
  const QPointF at = widget.rect().center();
  QWheelEvent turn(at, widget.mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, Qt::NoModifier,
                   Qt::NoScrollPhase, false);
  QSpontaneKeyEvent::setSpontaneous(&turn);
  qApp->notify(&widget, &turn);
}

}  // namespace halo::test
