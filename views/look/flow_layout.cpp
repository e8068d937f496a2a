#include "views/look/flow_layout.h"

#include <algorithm>

namespace halo {

FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item) { items_.emplace_back(item); }

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index < 0 || index >= count() ? nullptr : items_[static_cast<std::size_t>(index)].get();
}

QLayoutItem* FlowLayout::takeAt(int index) {
  if (itemAt(index) == nullptr) return nullptr;
  QLayoutItem* item = items_[static_cast<std::size_t>(index)].release();
  items_.erase(items_.begin() + index);
  return item;
}

QSize FlowLayout::sizeHint() const {
  QSize size(0, 0);
  for (const auto& item : items_) {
    if (item->isEmpty()) continue;
    const QSize hint = item->sizeHint();
    size = {size.width() + (size.width() > 0 ? spacing() : 0) + hint.width(),
            std::max(size.height(), hint.height())};
  }
  return size;
}

QSize FlowLayout::minimumSize() const {
  QSize size(0, 0);
  for (const auto& item : items_)
    if (!item->isEmpty()) size = size.expandedTo(item->sizeHint());
  return size;
}

void FlowLayout::setGeometry(const QRect& area) {
  QLayout::setGeometry(area);
  place(area, /*moves=*/true);
}

/// How high they are together.
int FlowLayout::place(const QRect& area, bool moves) const {
  int x = area.left(), y = area.top(), high = 0;
  for (const auto& item : items_) {
    if (item->isEmpty()) continue;
    const QSize hint = item->sizeHint();
    if (x > area.left() && x + hint.width() > area.left() + area.width()) {
      x = area.left();
      y += high + spacing() / 2;
      high = 0;
    }
    if (moves) item->setGeometry(QRect(QPoint(x, y), hint));
    x += hint.width() + spacing();
    high = std::max(high, hint.height());
  }
  return y + high - area.top();
}

}  // namespace halo
