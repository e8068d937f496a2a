#pragma once

#include <QDialog>

namespace halo {

/// Every key in one place: those of the menus and those of the timeline.
class KeyOverlay : public QDialog {
  Q_OBJECT
 public:
  KeyOverlay(const QList<QAction*>& actions, QWidget* parent);
};

}  // namespace halo
