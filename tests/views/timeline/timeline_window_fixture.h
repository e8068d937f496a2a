#pragma once

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/views/timeline/two_ranks.h"
#include "views/timeline/timeline_view.h"

namespace halo {

/// fillTwoRanks in a window of 1000 × 400 pixels.
struct TimelineWindowFixture {
  TimelineModel model;
  TimeWindow window;
  TimelineView view{model, window};
  std::vector<std::pair<qint64, Span>> selected;
  std::vector<std::tuple<qint64, qint64, std::size_t>> areas;

  TimelineWindowFixture() {
    fillTwoRanks(model);
    view.resize(1000, 400);
    view.canvas().setAnimated(false);
    view.show();
    QApplication::processEvents();
    QObject::connect(&view, &TimelineView::spanSelected,
                     [this](qint64 rank, const Span& span) { selected.emplace_back(rank, span); });
    QObject::connect(&view, &TimelineView::areaSelected,
                     [this](qint64 begin, qint64 end, const std::set<RowId>& rows) {
                       areas.emplace_back(begin, end, rows.size());
                     });
  }

  TimelineCanvas& canvas() { return view.canvas(); }
  /// A point in the middle of a row at a time.
  QPoint at(std::int64_t ns, std::size_t row = 0) {
    int y = canvas().rulerHeight();
    for (; y < canvas().height(); ++y)
      if (canvas().rowAt(y) == model.rows()[row].id) break;
    return {static_cast<int>(canvas().xOf(ns)), y + 4};
  }
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QKeyEvent press(QEvent::KeyPress, key, modifiers);
    QApplication::sendEvent(&canvas(), &press);
    QKeyEvent release(QEvent::KeyRelease, key, modifiers);
    QApplication::sendEvent(&canvas(), &release);
  }
  void mouse(QEvent::Type type, QPoint place, Qt::MouseButton button, Qt::KeyboardModifiers modifiers = {}) {
    const Qt::MouseButtons buttons =
        type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::MouseButtons(button);
    QMouseEvent event(type, place, canvas().mapToGlobal(place),
                      type == QEvent::MouseMove ? Qt::NoButton : button, buttons, modifiers);
    QApplication::sendEvent(&canvas(), &event);
  }
  void click(QPoint place, Qt::KeyboardModifiers modifiers = {}, Qt::MouseButton button = Qt::LeftButton) {
    mouse(QEvent::MouseButtonPress, place, button, modifiers);
    mouse(QEvent::MouseButtonRelease, place, button, modifiers);
  }
  void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton,
            Qt::KeyboardModifiers modifiers = {}) {
    mouse(QEvent::MouseButtonPress, from, button, modifiers);
    mouse(QEvent::MouseMove, (from + to) / 2, button, modifiers);
    mouse(QEvent::MouseMove, to, button, modifiers);
    mouse(QEvent::MouseButtonRelease, to, button, modifiers);
  }
  void wheel(QPoint place, int notches, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(place, canvas().mapToGlobal(place), {}, {0, notches * 120}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas(), &event);
  }
};

}  // namespace halo
