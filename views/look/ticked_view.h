#pragma once

#include <QAbstractItemView>
#include <QItemSelectionModel>
#include <QMouseEvent>
#include <QPersistentModelIndex>
#include <QStyle>
#include <QStyleOptionViewItem>

#include "views/look/without_type_ahead.h"

namespace halo {

/// A list, table or tree whose boxes are ticked without choosing the row: what is shown stays. Letters choose
/// nothing either. Rows can be dragged out of it.
template <class View>
class TickedView : public WithoutTypeAhead<View> {
 public:
  TickedView() {
    this->setDragEnabled(true);
    this->setDragDropMode(QAbstractItemView::DragOnly);
  }

  /// Where the box of an index is, in the viewport; empty where it has none.
  QRect boxOf(const QModelIndex& index) const {
    if (!index.data(Qt::CheckStateRole).isValid()) return {};
    QStyleOptionViewItem option;
    this->initViewItemOption(&option);
    option.rect = this->visualRect(index);
    option.features |= QStyleOptionViewItem::HasCheckIndicator | QStyleOptionViewItem::HasDisplay;
    option.text = index.data().toString();
    return this->style()->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, this);
  }

 protected:
  /// Of several rows that may be chosen those that are: else dragging over rows chooses them.
  void mousePressEvent(QMouseEvent* event) override {
    pressed_ = boxAt(*event);
    const QModelIndex under = this->indexAt(event->position().toPoint());
    this->setDragEnabled(this->selectionMode() == QAbstractItemView::SingleSelection ||
                         this->selectionModel()->isSelected(under));
    if (!pressed_.isValid()) WithoutTypeAhead<View>::mousePressEvent(event);
  }
  void mouseDoubleClickEvent(QMouseEvent* event) override {
    pressed_ = boxAt(*event);
    if (!pressed_.isValid()) WithoutTypeAhead<View>::mouseDoubleClickEvent(event);
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    if (!pressed_.isValid()) WithoutTypeAhead<View>::mouseMoveEvent(event);
  }
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (!pressed_.isValid()) return WithoutTypeAhead<View>::mouseReleaseEvent(event);
    const QModelIndex index = pressed_;
    pressed_ = QModelIndex();
    if (boxAt(*event) != index) return;
    const bool ticked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    this->model()->setData(index, ticked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
  }

 private:
  QModelIndex boxAt(const QMouseEvent& event) const {
    const QPoint place = event.position().toPoint();
    const QModelIndex index = this->indexAt(place);
    return event.button() == Qt::LeftButton && index.isValid() && boxOf(index).contains(place)
               ? index
               : QModelIndex();
  }

  QPersistentModelIndex pressed_;  // whose box the button went down on
};

}  // namespace halo
