#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace halo {

/// What a pane shows instead of nothing: one sentence and, where something can be done, one button.
class Notice : public QWidget {
  Q_OBJECT
 public:
  explicit Notice(QWidget* parent = nullptr);

  /// `button` empty: none.
  void tell(const QString& sentence, const QString& button = {});
  QString sentence() const;

 signals:
  void pressed();

 private:
  QLabel* label_;
  QPushButton* button_;
};

}  // namespace halo
