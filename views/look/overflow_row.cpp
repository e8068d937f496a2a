#include "views/look/overflow_row.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

namespace halo {
namespace {

/// By somebody, and not for want of a parent that shows.
bool isTakenAway(const QWidget* group) {
  return group->isHidden() && group->testAttribute(Qt::WA_WState_ExplicitShowHide);
}

}  // namespace

OverflowRow::OverflowRow(QWidget* parent)
    : QWidget(parent), row_(new QHBoxLayout(this)), more_(new QPushButton("More ▾")) {
  row_->setContentsMargins(0, 0, 0, 0);
  row_->setSpacing(8);
  row_->setSizeConstraint(QLayout::SetNoConstraint);
  row_->addWidget(more_);
  row_->addStretch(1);
  more_->setObjectName("more");
  more_->setFlat(true);
  more_->hide();
  connect(more_, &QPushButton::clicked, this, &OverflowRow::open);
}

void OverflowRow::add(QWidget* group) {
  groups_ << group;
  group->installEventFilter(this);
  row_->insertWidget(shown_++, group);
}

int OverflowRow::fitting() const {
  const auto widthOf = [this](const QWidget* widget) {
    return isTakenAway(widget) ? 0 : widget->sizeHint().width() + row_->spacing();
  };
  int wide = -row_->spacing();
  for (const QWidget* group : groups_) wide += widthOf(group);
  if (wide <= width()) return static_cast<int>(groups_.size());
  wide = more_->sizeHint().width();
  int fit = 0;
  for (const QWidget* group : groups_) {
    wide += widthOf(group);
    if (wide > width()) break;
    ++fit;
  }
  return fit;
}

void OverflowRow::arrange() {
  if (arranging_) return;
  const QScopedValueRollback quiet(arranging_, true);
  const int fit = fitting();
  if (fit != shown_ && pane_ == nullptr) {
    pane_ = new QFrame(this, Qt::Popup);
    pane_->setFrameShape(QFrame::StyledPanel);
    column_ = new QVBoxLayout(pane_);
  }
  const auto move = [this](QBoxLayout* to, int place, int group) {
    const bool taken = isTakenAway(groups_[group]);
    to->insertWidget(place, groups_[group]);
    groups_[group]->setHidden(taken);
  };
  for (; shown_ > fit; --shown_) move(column_, 0, shown_ - 1);
  for (; shown_ < fit; ++shown_) move(row_, shown_, shown_);
  QStringList names;
  for (const QWidget* group : groups_.mid(fit))
    if (const auto* label = group->findChild<QLabel*>(); label != nullptr && !isTakenAway(group))
      names << label->text().remove('&');
  more_->setHidden(names.isEmpty());
  more_->setToolTip(names.join(", "));
  more_->setAccessibleName("More: " + more_->toolTip());
}

void OverflowRow::open() {
  if (pane_ == nullptr) return;
  pane_->adjustSize();
  const QRect screen = this->screen()->availableGeometry();
  QPoint place = mapToGlobal(more_->geometry().bottomLeft());
  place.setX(
      std::clamp(place.x(), screen.left(), std::max(screen.left(), screen.right() + 1 - pane_->width())));
  pane_->move(place);
  pane_->show();
  for (QWidget* each : groups_.value(shown_)->findChildren<QWidget*>())
    if (each->focusPolicy() & Qt::TabFocus) return each->setFocus(Qt::PopupFocusReason);
}

bool OverflowRow::event(QEvent* event) {
  const bool taken = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) arrange();  // a group is wider than it was
  return taken;
}

/// A group that is shown or hidden elsewhere changes what has room; its own turn of the event loop is not
/// over.
bool OverflowRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)
    QMetaObject::invokeMethod(this, &OverflowRow::arrange, Qt::QueuedConnection);
  return QWidget::eventFilter(watched, event);
}

void OverflowRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace halo
