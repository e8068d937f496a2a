#pragma once

#include <QFutureWatcher>
#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/figure/figure.h"
#include "views/scene/scene.h"

class QComboBox;
class QLabel;

namespace halo {

class FigureView;
class Session;

/// A figure of several runs: of those chosen in the run table where they are more than one, else of all.
class ComparedRunsView : public QWidget {
  Q_OBJECT
 public:
  /// figure: a name of the registry. What its parameter `show` may be, if it has one, stands to choose from.
  ComparedRunsView(Session& session, std::string figure);

  /// The figure is the one asked for last.
  bool settled() const { return !isMaking_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  std::vector<std::int64_t> chosen() const;
  void drawIfOthers();
  void draw();

  Session& session_;
  std::string name_;
  QLabel* what_;
  QComboBox* show_;
  FigureView* figure_;
  QFutureWatcher<Figure> making_;  // on another thread: thousands of runs take longer than a person may wait
  bool isMaking_ = false;          // until what was made is shown
  std::optional<std::vector<std::int64_t>> drawn_;  // of the runs there are; none: they are others by now
  RunChips chips_;                                  // that they were drawn with
};

}  // namespace halo
