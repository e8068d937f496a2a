#pragma once

#include <QStatusBar>

namespace halo {

/// A status bar whose message ends before what stands there permanently. A message without room is elided in
/// its middle, since a path says most at its ends; the pointer has it whole.
class MessageBar : public QStatusBar {
  Q_OBJECT
 public:
  explicit MessageBar(QWidget* parent = nullptr);

  /// The message as far as it has room.
  QString drawn() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRect room() const;
};

}  // namespace halo
