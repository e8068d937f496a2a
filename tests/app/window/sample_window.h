#pragma once

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <stdexcept>

#include "tests/app/window/window_fixture.h"
#include "views/look/ticked_view.h"
#include "views/recording/experiments_model.h"
#include "views/scene/chip_bar.h"
#include "views/timeline/timeline_view.h"

namespace halo {

/// The window with the sample recording, and the lists of its runs.
struct SampleWindow : TestWindow {
  SampleWindow() {
    REQUIRE(QFile::copy(kResources + "/samples/sample.db", folder.filePath("sample.db")));
    window.openSample();
    REQUIRE(settle());
    window.setPerspective(Perspective::decide);
    QApplication::processEvents();
  }
  QTreeView& tree() {
    for (auto* each : window.findChildren<QTreeView*>())
      if (qobject_cast<ExperimentsModel*>(each->model()) != nullptr) return *each;
    throw std::logic_error("there is no tree of experiments");
  }
  QTableView& table() { return *window.findChild<RunsView*>()->table(); }
  QModelIndex inTree(std::int64_t run) {
    return qobject_cast<ExperimentsModel*>(tree().model())->indexOf(run);
  }
  bool ticked(const QModelIndex& index) { return index.data(Qt::CheckStateRole).toInt() == Qt::Checked; }
  /// Of every chip its runs: "1,2 6".
  QString chips() {
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QStringList all;
    for (const auto* button : window.findChild<ChipBar*>()->findChildren<QToolButton*>())
      if (const QString name = button->text().section('#', 1).section(' ', 0, 0); !name.isEmpty())
        all << name;
    return all.join(' ');
  }
  void undo() {
    for (auto* action : window.findChildren<QAction*>())
      if (action->text().startsWith("&Undo")) return action->trigger();
    FAIL("there is nothing to undo by");
  }
  template <class View>
  void clickBox(View& view, const QModelIndex& index) {
    view.scrollTo(index);
    QApplication::processEvents();
    const QRect box = dynamic_cast<TickedView<View>&>(view).boxOf(index);
    REQUIRE_FALSE(box.isEmpty());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, box.center());
    REQUIRE(settle());
  }
  std::int64_t shownRun() {
    return runChoice()->model()->index(runChoice()->currentIndex(), 0).data(RunsModel::kRunRole).toLongLong();
  }
  /// Whether the window takes what is dropped on a widget.
  bool drop(QWidget& onto, const QMimeData& data) {
    const QPoint place = onto.mapTo(&window, onto.rect().center());
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QDragMoveEvent move(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &move);
    QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &dropped);
    REQUIRE(settle());
    return enter.isAccepted() && move.isAccepted();
  }
};

}  // namespace halo
