#pragma once

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>

namespace halo {

/// Lets the wheel pass by a box without the focus, so that scrolling a page changes nothing on the way.
class WheelWithFocusOnly : public QObject {
 public:
  /// Of this box; Qt gives it the focus by the wheel otherwise.
  static void watch(QWidget& box) {
    box.setFocusPolicy(Qt::StrongFocus);
    box.installEventFilter(new WheelWithFocusOnly(&box));
  }
  /// Of every list to choose from and box of numbers in there by now.
  static void watchAllIn(QWidget& window) {
    for (auto* list : window.findChildren<QComboBox*>()) watch(*list);
    for (auto* number : window.findChildren<QAbstractSpinBox*>()) watch(*number);
  }

 protected:
  bool eventFilter(QObject* box, QEvent* event) override {
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(box)->hasFocus()) return false;
    event->ignore();  // for what scrolls around it
    return true;
  }

 private:
  using QObject::QObject;
};

}  // namespace halo
