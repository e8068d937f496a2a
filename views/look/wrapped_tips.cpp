#include "views/look/wrapped_tips.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

namespace halo {
namespace {

constexpr qsizetype kLine = 80;  // characters that every screen has room for

/// The tooltip of what is at `at` of the widget: an item's, a header's, or its own.
QString tipAt(const QWidget& widget, QPoint at) {
  const auto* view = qobject_cast<const QAbstractItemView*>(widget.parentWidget());
  if (view == nullptr || view->viewport() != &widget || view->model() == nullptr) return widget.toolTip();
  if (const auto* header = qobject_cast<const QHeaderView*>(view))
    return view->model()
        ->headerData(header->logicalIndexAt(at), header->orientation(), Qt::ToolTipRole)
        .toString();
  return view->indexAt(at).data(Qt::ToolTipRole).toString();
}

bool isLong(const QString& text) {
  qsizetype longest = 0;
  for (const QStringView line : QStringView(text).split('\n')) longest = std::max(longest, line.size());
  return longest > kLine;
}

}  // namespace

bool WrappedTips::eventFilter(QObject* watched, QEvent* event) {
  auto* widget = event->type() == QEvent::ToolTip ? qobject_cast<QWidget*>(watched) : nullptr;
  if (widget == nullptr) return false;
  const auto& help = static_cast<const QHelpEvent&>(*event);
  const QString text = tipAt(*widget, help.pos());
  if (!isLong(text) || text.startsWith("<qt>")) return false;
  const QString rich = text.toHtmlEscaped().replace('\n', QStringLiteral("<br>"));
  QToolTip::showText(help.globalPos(), "<qt>" + rich + "</qt>", widget);
  return true;
}

}  // namespace halo
