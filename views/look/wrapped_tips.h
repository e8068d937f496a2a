#pragma once

#include <QObject>

namespace halo {

/// Shows long tooltips in several lines. Qt breaks the lines of rich text alone, and runs plain text off the
/// screen. To be installed as the application's event filter; what widgets and models keep stays as it is.
class WrappedTips : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace halo
