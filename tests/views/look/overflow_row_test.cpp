#include "views/look/overflow_row.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

struct Row {
  OverflowRow row;
  QList<QWidget*> groups;
  QList<QLabel*> labels;

  Row() {
    for (const char* name : {"One", "Two", "Three"}) {
      auto* group = new QWidget;
      auto* layout = new QHBoxLayout(group);
      layout->setContentsMargins(0, 0, 0, 0);
      labels << new QLabel(name);
      labels.back()->setFixedWidth(100);
      layout->addWidget(labels.back());
      auto* box = new QLineEdit;
      box->setFixedWidth(50);
      layout->addWidget(box);
      row.add(group);
      groups << group;
    }
    row.show();
  }
  void widen(int width) {
    row.resize(width, 30);
    QApplication::processEvents();
  }
  bool inRow(int group) { return groups[group]->window() == &row; }
};

}  // namespace

TEST_CASE("groups that have no room stand in a pane that opens by a button", "[views][look]") {
  Row test;
  test.widen(1000);
  CHECK(test.row.shown() == 3);
  CHECK_FALSE(test.row.more().isVisible());
  for (const int width : {500, 400, 300, 200, 40, 0, 400, 1000, 350}) {
    test.widen(width);
    CAPTURE(width, test.row.shown());
    CHECK(test.row.more().isVisible() == (test.row.shown() < 3));
    int right = 0;
    for (int group = 0; group < 3; ++group) {
      CHECK(test.inRow(group) == (group < test.row.shown()));
      if (test.inRow(group)) right = std::max(right, test.groups[group]->geometry().right() + 1);
    }
    if (test.row.more().isVisible() && width > 100) right = test.row.more().geometry().right() + 1;
    CHECK(right <= std::max(width, 100));
  }
  test.widen(1000);
  const int high = test.row.sizeHint().height();
  test.widen(200);
  CHECK(test.row.sizeHint().height() <= high);  // one row, always
  CHECK(test.row.more().toolTip() == QStringList({"One", "Two", "Three"}).mid(test.row.shown()).join(", "));
  test.row.more().click();
  QApplication::processEvents();
  CHECK(test.groups[2]->isVisible());
}

TEST_CASE("a group that becomes wider pushes the last into the pane", "[views][look]") {
  Row test;
  test.widen(520);
  REQUIRE(test.row.shown() == 3);
  test.labels[0]->setFixedWidth(200);
  QApplication::processEvents();
  QApplication::processEvents();
  CHECK(test.row.shown() == 2);
  test.labels[0]->setFixedWidth(100);
  QApplication::processEvents();
  QApplication::processEvents();
  CHECK(test.row.shown() == 3);
}

TEST_CASE("a group that is hidden takes no room, in the row and in the pane", "[views][look]") {
  Row test;
  test.widen(520);
  REQUIRE(test.row.shown() == 3);
  const auto turn = [] {
    for (int i = 0; i < 3; ++i) QApplication::processEvents();
  };
  test.widen(360);
  REQUIRE(test.row.shown() == 1);
  test.groups[1]->hide();
  turn();
  CHECK(test.row.more().toolTip() == (test.row.shown() == 3 ? "" : "Three"));
  test.groups[2]->hide();
  turn();
  CHECK(test.row.shown() == 3);
  CHECK_FALSE(test.row.more().isVisible());
  CHECK_FALSE(test.groups[1]->isVisible());
  test.groups[2]->show();
  test.groups[1]->show();
  turn();
  CHECK(test.row.shown() == 1);
  CHECK(test.row.more().isVisible());
}
