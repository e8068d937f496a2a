#include "views/scene/scope_bar.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

struct Bar {
  Scene scene;
  ScopeBar bar{scene};
  QComboBox *alignment, *scope, *base;
  QSpinBox *epoch, *layer, *first, *last;
  QDoubleSpinBox* score;
  Bar() {
    const auto boxes = bar.findChildren<QSpinBox*>();
    REQUIRE(boxes.size() == 4);
    epoch = boxes[0], layer = boxes[1], first = boxes[2], last = boxes[3];
    alignment = bar.findChildren<QComboBox*>().front();
    scope = bar.findChildren<QComboBox*>().at(1);
    base = bar.findChildren<QComboBox*>().at(2);
    score = bar.findChild<QDoubleSpinBox*>();
  }
};

}  // namespace

TEST_CASE("how ranks stand together is asked where there are other numbers of them", "[scene]") {
  Bar test;
  auto* ranks = test.bar.findChild<QComboBox*>("ranks");
  REQUIRE(ranks != nullptr);
  test.bar.setVisible(true);
  CHECK(ranks->parentWidget()->isHidden());
  test.bar.showRanks(true, "A to B: 4 ranks against 16: 4 to 1 by number");
  CHECK_FALSE(ranks->parentWidget()->isHidden());
  CHECK(ranks->toolTip().contains("4 to 1"));
  ranks->setCurrentIndex(2);
  CHECK(test.scene.state().ranks == RankRule::node);
  test.scene.undoStack().undo();
  CHECK(ranks->currentIndex() == 0);
}

TEST_CASE("epochs, time and score of a scene are chosen, and every choice is undone", "[scene]") {
  Bar test;
  CHECK(test.first->text() == "second");
  test.first->setValue(5);
  test.last->setValue(20);
  CHECK(test.scene.state().epochs == Scope{5, 20});
  test.base->setCurrentIndex(1);
  CHECK(test.scene.state().base == TimeBase::wall);
  test.score->setValue(0.9);
  CHECK(test.scene.state().accuracy == 0.9);
  REQUIRE(test.scene.undoStack().count() == 4);
  for (int i = 0; i < 3; ++i) test.scene.undoStack().undo();
  CHECK(test.scene.state().epochs == Scope{5, {}});
  CHECK(test.last->text() == "last");
  CHECK(test.base->currentIndex() == 0);
  CHECK(test.score->text() == "all reach");
  CHECK(test.first->value() == 5);
}

TEST_CASE("the order of lanes is chosen beside the others", "[scene]") {
  Bar test;
  auto* lanes = test.bar.findChildren<QComboBox*>().at(3);
  CHECK(lanes->currentText() == "by run");
  lanes->setCurrentIndex(1);
  CHECK(test.scene.state().lanes == OrderOfLanes::ranks);
  test.scene.undoStack().undo();
  CHECK(lanes->currentIndex() == 0);
  lanes->setCurrentIndex(lanes->findText("by part"));
  CHECK(test.scene.state().lanes == OrderOfLanes::parts);
  lanes->setCurrentIndex(lanes->findText("by layer"));
  CHECK(test.scene.state().lanes == OrderOfLanes::layers);
}

TEST_CASE("the ends of a scope do not cross: the one that is touched takes the other along", "[scene]") {
  Bar test;
  test.first->setValue(5);
  test.last->setValue(20);
  test.first->setValue(30);
  CHECK(test.scene.state().epochs == Scope{30, 30});
  CHECK(test.last->value() == 30);
  test.last->setValue(2);
  CHECK(test.scene.state().epochs == Scope{2, 2});
}

TEST_CASE("the bar shows a scene that is opened, and changes nothing of it", "[scene]") {
  Bar test;
  SceneState state;
  state.epochs = {0, 8};
  state.base = TimeBase::wall;
  state.accuracy = 0.75;
  test.scene.load(state);
  CHECK(test.first->value() == 0);
  CHECK(test.last->value() == 8);
  CHECK(test.base->currentText() == "clock");
  CHECK(test.score->value() == 0.75);
  CHECK(test.scene.state() == state);
  CHECK(test.scene.undoStack().count() == 0);
}

TEST_CASE("what is aligned is chosen, with its epoch and layer where it has them", "[scene]") {
  Bar test;
  CHECK(test.alignment->currentText() == "first epochs");
  CHECK(test.epoch->isHidden());
  test.alignment->setCurrentIndex(static_cast<int>(Alignment::layer));
  CHECK_FALSE(test.epoch->isHidden());
  CHECK_FALSE(test.layer->isHidden());
  test.epoch->setValue(3);
  test.layer->setValue(1);
  CHECK(test.scene.state().alignment == Alignment::layer);
  CHECK(test.scene.state().epoch == 3);
  CHECK(test.scene.state().layer == 1);
  test.scene.undoStack().undo();
  CHECK(test.layer->value() == 0);
  test.alignment->setCurrentIndex(static_cast<int>(Alignment::epoch));
  CHECK(test.layer->isHidden());
  SceneState state;
  state.alignment = Alignment::accuracy;
  test.scene.load(state);
  CHECK(test.alignment->currentText() == "score");
  CHECK(test.epoch->isHidden());
}

TEST_CASE("where the bar is narrow what has no room stands in a pane, and no word is cut", "[scene]") {
  Bar test;
  test.scene.setAlignment(Alignment::layer, 3, 1);
  test.bar.resize(1600, 30);
  test.bar.setVisible(true);
  QApplication::processEvents();
  auto* more = test.bar.findChild<QPushButton*>("more");
  CHECK_FALSE(more->isVisible());
  const int once = test.bar.sizeHint().height();
  test.bar.resize(420, 30);
  QApplication::processEvents();
  CHECK(more->isVisible());
  CHECK(test.bar.sizeHint().height() == once);
  CHECK(test.epoch->text() == "epoch 3");
  CHECK(test.layer->text() == "layer 1");
  for (const auto* each : test.bar.findChildren<QWidget*>()) {
    if (!each->isVisible()) continue;
    CHECK(each->mapTo(&test.bar, each->rect().bottomRight()).x() < test.bar.width());
    if (qobject_cast<const QLabel*>(each)) CHECK(each->width() >= each->sizeHint().width());
  }
  CHECK_FALSE(test.score->isVisible());
  more->click();
  QApplication::processEvents();
  CHECK(test.score->isVisible());
  test.score->setValue(0.9);
  CHECK(test.scene.state().accuracy == 0.9);
}

TEST_CASE("epochs are named only where they, and no stretch of the timeline, are the scope", "[scene]") {
  Bar test;
  CHECK(test.first->isEnabled());
  test.scope->setCurrentText("visible");
  CHECK(test.scene.state().scope == FigureScope::visible);
  CHECK_FALSE(test.first->isEnabled());
  CHECK_FALSE(test.last->isEnabled());
  test.scene.undoStack().undo();
  CHECK(test.scope->currentText() == "epochs");
  CHECK(test.first->isEnabled());
}
