#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "engine/base/declaration.h"

class QBoxLayout;
class QComboBox;
class QLabel;

namespace halo {

class FigureView;
class ScoreSlider;
class Session;

/// A figure of the chips, chosen among all that there are (FigureEntry::ofScene) and by its parameters, if it
/// has some. Beside where the time of chips goes stands what turns one into another. A click on a wait goes
/// to the longest of its kind, one on a cell or a row to the spans that it is of. Drawn anew when the chips
/// change while it is in sight.
class SceneFigureView : public QWidget {
  Q_OBJECT
 public:
  /// The session outlives what the view does.
  explicit SceneFigureView(Session& session);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// Of one parameter; hidden where the figure has no such.
  struct Selector {
    QLabel* name = nullptr;
    QComboBox* box = nullptr;
    std::string key = {};
  };

  void chooseFigure();
  void offer(const Parameter& parameter, Selector& selector);
  void offerAgain();
  void goToWait(int row);
  void goToSpans(int matrix, int place);
  Values chosenValues() const;
  void draw();

  Session& session_;
  QComboBox* show_;
  std::vector<Selector> selectors_;
  ScoreSlider* score_;
  QBoxLayout* figures_;  // beside each other, or below where that is too narrow
  FigureView *figure_, *beside_;
  bool drawn_ = false;  // of what the session has now
};

}  // namespace halo
