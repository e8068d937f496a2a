#include "views/look/empty_note.h"

#include <QEvent>

namespace halo {
namespace {

constexpr int kMargin = 12;

}  // namespace

EmptyNote::EmptyNote(QAbstractItemView& view, const QString& words)
    : QLabel(words, view.viewport()), view_(view) {
  setAlignment(Qt::AlignCenter);
  setWordWrap(true);
  setTextFormat(Qt::PlainText);
  setMargin(kMargin);
  setForegroundRole(QPalette::PlaceholderText);
  setAttribute(Qt::WA_TransparentForMouseEvents);
  view.viewport()->installEventFilter(this);
  const QAbstractItemModel* model = view.model();
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(model, signal, this, &EmptyNote::follow);
  connect(model, &QAbstractItemModel::modelReset, this, &EmptyNote::follow);
  connect(model, &QAbstractItemModel::layoutChanged, this, &EmptyNote::follow);
  follow();
}

void EmptyNote::follow() {
  setGeometry(view_.viewport()->rect());
  setVisible(view_.model()->rowCount() == 0);
}

bool EmptyNote::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_.viewport() && event->type() == QEvent::Resize) follow();
  return QLabel::eventFilter(watched, event);
}

}  // namespace halo
