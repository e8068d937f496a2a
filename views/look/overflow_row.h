#pragma once

#include <QList>
#include <QWidget>

class QFrame;
class QHBoxLayout;
class QPushButton;
class QVBoxLayout;

namespace halo {

/// Groups of widgets in one row, however narrow it is. What has no room stands in a pane that a button at the
/// end opens. A group is as wide as it asks for, and takes no room while it is hidden.
class OverflowRow : public QWidget {
  Q_OBJECT
 public:
  explicit OverflowRow(QWidget* parent = nullptr);

  void add(QWidget* group);
  /// How many groups stand in the row.
  int shown() const { return shown_; }
  QPushButton& more() { return *more_; }
  QSize minimumSizeHint() const override { return {0, QWidget::minimumSizeHint().height()}; }

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int fitting() const;
  void arrange();
  void open();

  QList<QWidget*> groups_;
  int shown_ = 0;
  bool arranging_ = false;  // moving groups lays the row out, which asks again
  QHBoxLayout* row_;
  QPushButton* more_;
  QFrame* pane_ = nullptr;  // made when it is needed
  QVBoxLayout* column_ = nullptr;
};

}  // namespace halo
