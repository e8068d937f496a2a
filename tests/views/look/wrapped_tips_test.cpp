// Tooltips of one long line, of widgets, items and headers.
#include "views/look/wrapped_tips.h"

#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QToolTip>
#include <catch2/catch.hpp>

namespace halo::test {
namespace {

const QString kLong = QString("a < b and so on, ").repeated(6);

/// What is shown of the tooltip of `widget` at a place.
QString shownTip(QWidget& widget, QPoint at = {4, 4}) {
  QToolTip::hideText();
  QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
  QApplication::sendEvent(&widget, &help);
  return QToolTip::text();
}

int tipWidth() {
  for (const QWidget* each : QApplication::topLevelWidgets())
    if (each->isVisible() && each->inherits("QTipLabel")) return each->width();
  return 0;
}

}  // namespace

TEST_CASE("a long tooltip is shown in several lines, as it is written", "[look]") {
  WrappedTips tips;
  QLabel label("label");
  label.setToolTip(kLong);
  label.show();
  shownTip(label);
  const int before = tipWidth();
  qApp->installEventFilter(&tips);
  CHECK(shownTip(label) == "<qt>" + kLong.toHtmlEscaped() + "</qt>");
  CHECK(tipWidth() > 0);
  CHECK(tipWidth() < before / 2);
  CHECK(label.toolTip() == kLong);
  label.setToolTip("a short one");
  CHECK(shownTip(label) == "a short one");
}

TEST_CASE("long tooltips of items and headers are shown in several lines", "[look]") {
  WrappedTips tips;
  qApp->installEventFilter(&tips);
  QStandardItemModel model(1, 1);
  model.setData(model.index(0, 0), kLong, Qt::ToolTipRole);
  model.setHeaderData(0, Qt::Horizontal, "head: " + kLong, Qt::ToolTipRole);
  QTableView table;
  table.setModel(&model);
  table.show();
  CHECK(shownTip(*table.viewport()).startsWith("<qt>a &lt; b"));
  CHECK(shownTip(*table.horizontalHeader()->viewport()).startsWith("<qt>head: a &lt; b"));
}

}  // namespace halo::test
