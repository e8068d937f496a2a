#include "views/experiment/choice_box.h"

#include <QCompleter>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QScopedValueRollback>

#include "views/look/wheel.h"

namespace halo {

ChoiceBox::ChoiceBox(bool takesWords) {
  setEditable(takesWords);
  setInsertPolicy(QComboBox::NoInsert);
  if (takesWords) setCompleter(nullptr);  // it writes on, and its case over the person's
  WheelWithFocusOnly::watch(*this);
  connect(this, &QComboBox::activated, this, [this] {
    if (!tried_) emit picked();
  });
}

void ChoiceBox::keyPressEvent(QKeyEvent* event) {
  const QScopedValueRollback tried(tried_, true);
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const bool letter = !isEditable() && !event->text().isEmpty() && event->text().front().isPrint() &&
                      event->key() != Qt::Key_Space;  // which opens the list
  if (letter)
    event->ignore();
  else
    QComboBox::keyPressEvent(event);
  if (enter) emit meant();
}

void ChoiceBox::wheelEvent(QWheelEvent* event) {
  const QScopedValueRollback tried(tried_, true);
  QComboBox::wheelEvent(event);
}

void ChoiceBox::focusOutEvent(QFocusEvent* event) {
  const QScopedValueRollback tried(tried_, true);
  QComboBox::focusOutEvent(event);
  // the open list and another window only borrow the focus
  if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) emit meant();
}

}  // namespace halo
