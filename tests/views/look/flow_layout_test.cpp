#include "views/look/flow_layout.h"

#include <QApplication>
#include <QWidget>
#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("what has no room in a row stands whole in the next", "[views]") {
  QWidget bar;
  auto* flow = new FlowLayout(&bar);
  flow->setContentsMargins(0, 0, 0, 0);
  flow->setSpacing(10);
  std::vector<QWidget*> boxes;
  for (int i = 0; i < 3; ++i) {
    boxes.push_back(new QWidget);
    boxes.back()->setFixedSize(100, 20);
    flow->addWidget(boxes.back());
  }
  CHECK(flow->sizeHint() == QSize(320, 20));
  CHECK(flow->minimumSize() == QSize(100, 20));
  CHECK(flow->heightForWidth(320) == 20);
  CHECK(flow->heightForWidth(319) == 45);
  CHECK(flow->heightForWidth(50) == 70);
  flow->setGeometry(QRect(0, 0, 250, 45));
  CHECK(boxes[1]->geometry() == QRect(110, 0, 100, 20));
  CHECK(boxes[2]->geometry() == QRect(0, 25, 100, 20));
  boxes[1]->hide();
  CHECK(flow->heightForWidth(210) == 20);
  CHECK(flow->takeAt(3) == nullptr);
  delete flow->takeAt(0);
  CHECK(flow->count() == 2);
}
