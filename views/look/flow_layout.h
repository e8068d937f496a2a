#pragma once

#include <QLayout>
#include <memory>
#include <vector>

namespace halo {

/// Widgets in a row as wide as they ask for, and in further rows where they have no room beside each other.
class FlowLayout : public QLayout {
  Q_OBJECT
 public:
  explicit FlowLayout(QWidget* parent) : QLayout(parent) {}
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), /*moves=*/false); }
  QSize sizeHint() const override;     // of one row
  QSize minimumSize() const override;  // of the widest
  void setGeometry(const QRect& area) override;

 private:
  int place(const QRect& area, bool moves) const;

  std::vector<std::unique_ptr<QLayoutItem>> items_;
};

}  // namespace halo
