#pragma once

#include <QMap>
#include <QObject>
#include <vector>

#include "views/view_registry.h"

class QDockWidget;
class QMainWindow;
class QSettings;

namespace halo {

/// The docks of a window and where they stand. By default they stand as the entries of their views say, else
/// as a person left them in each perspective. By default those beside the centre are hidden in a narrow
/// window, and those below are folded in a low one. The menu *View* and a click on a tab show them.
class DockKeeper : public QObject {
  Q_OBJECT
 public:
  /// Both outlive what the keeper does.
  DockKeeper(QMainWindow& window, QSettings& settings);

  /// A dock around the widget of a view, which is no view of the centre; in the order of viewsInOrder().
  void add(const ViewEntry& view, QWidget* widget);
  QList<QDockWidget*> docks() const { return docks_.values(); }  // by name

  /// Once all are added: as the first perspective was left, else as by default.
  void begin();
  void placeByDefault();
  Perspective perspective() const { return perspective_; }
  void change(Perspective perspective);
  /// How the docks stand, in the settings.
  void keep();

  /// What a name and a value need, and more where there is more; the timeline keeps over half of both ways.
  void shareSpace();
  /// Until another perspective is chosen the centre is what is looked at; docks that stand as they were left
  /// keep their size.
  void favourCentre();
  /// Shares out space once the window has its own size, for docks keep their size when a window grows. Docks
  /// that stand as they were left keep their share.
  void windowShown();

  /// Of the docks below the centre titles and tabs alone are left, or all is shown again. A click on one of
  /// the tabs shows all.
  void fold(bool folded);
  bool folded() const { return folded_; }

  /// Before the other tabs, which stay folded if they are.
  void putInFront(const QString& name);
  /// The same, to be read.
  void raise(const QString& name);
  /// False: the widget is in no dock.
  bool bringToFront(const QWidget* widget);

 signals:
  void foldedChanged(bool folded);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isLow() const;
  bool isNarrow() const;
  bool isSmall() const { return low_ || narrow_; }
  void fit();
  QList<QDockWidget*> docksOf(ViewArea area) const;
  bool foldsByDefault() const;
  int lowerHeight() const;
  void showContents();
  void watchTabs();
  void unfold() { fold(false); }
  void place(ViewArea area);
  void placeNew(const ViewEntry& view);
  void arrange();
  void hideEmptyTabBars();
  bool restore();

  QMainWindow& window_;
  QSettings& settings_;
  std::vector<const ViewEntry*> views_;
  QMap<QString, QDockWidget*> docks_;
  Perspective perspective_ = Perspective::observe;
  bool asLeft_ = false;          // the docks stand as the settings have it
  bool centreFavoured_ = false;  // it has more room than the perspective gives it
  bool folded_ = false;
  bool low_ = false, narrow_ = false;  // as the docks were shown last
  int openHeight_ = 0;                 // of the docks below the centre when they were folded; 0: never were
};

}  // namespace halo
