#pragma once

#include <QHash>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <limits>
#include <optional>

#include "views/recording/runs_model.h"

class QLineEdit;
class QTableView;
class QLabel;

namespace halo {

class EmptyNote;

/// The run table: sorts by any column, filters by words, hides and shows columns (right click on the header).
/// Above it stands what keeps the chosen runs, or all that the filter shows, from being compared.
class RunsView : public QWidget {
  Q_OBJECT
 public:
  explicit RunsView(RunsModel& model, QWidget* parent = nullptr);

  void chooseRun(std::int64_t run);
  std::vector<std::int64_t> chosen() const;  // selected runs, in the order shown
  void focusFilter();
  QTableView* table() const { return table_; }

 signals:
  void runChosen(std::int64_t run);                              // one click or the arrow keys
  void runOpened(std::int64_t run);                              // double click or Ctrl+Enter
  void comparisonWanted(const std::vector<std::int64_t>& runs);  // Enter
  void chosenChanged(const std::vector<std::int64_t>& runs);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void markShown();
  bool takeEnter(const QKeyEvent& key);
  void columnMenu(const QPoint& at);
  void keepColumns();
  void showColumns();
  int usualWidth(int column) const;
  void orderColumns();
  void tellCount();
  void tellUnlikeSoon();
  void tellUnlike();

  RunsModel& model_;
  QSortFilterProxyModel* proxy_;
  QLineEdit* filter_;
  QLabel* count_;
  QLabel* unlike_;
  QTableView* table_;
  EmptyNote* empty_;
  QTimer unlikeSoon_;  // told of once, however much is changed and chosen at a time
  /// What becomes of a column when the model has others too.
  struct Kept {
    int place = std::numeric_limits<int>::max();
    bool hidden = false;
    int usualWidth = 0;
    std::optional<int> width;  // that somebody gave it
  };
  QStringList columns_;        // by their numbers, which those of a metric change with the metrics there are
  QHash<QString, Kept> kept_;  // by column
  bool moved_ = false;         // columns, by hand
  std::int64_t shown_ = 0;     // the run that every view shows
  bool rowsGo_ = false;        // Qt moves the current row off one that goes: nobody chose that
};

}  // namespace halo
