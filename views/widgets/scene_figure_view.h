#pragma once

#include <QWidget>

class QComboBox;
class QLabel;

namespace halo {

class FigureView;
class ScoreSlider;
class Session;

/// A figure of the chips, chosen among all that there are (FigureEntry::ofScene) and by its parameter, if it
/// has one. Drawn anew when the chips
/// change while it is in sight.
class SceneFigureView : public QWidget {
  Q_OBJECT
 public:
  /// The session outlives what the view does.
  explicit SceneFigureView(Session& session);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void chooseFigure();
  void draw();

  Session& session_;
  QComboBox *show_, *parameter_;
  QLabel* parameterName_;
  ScoreSlider* score_;
  FigureView* figure_;
  bool drawn_ = false;  // of what the session has now
};

}  // namespace halo
