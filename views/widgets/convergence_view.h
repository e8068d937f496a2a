#pragma once

#include <QWidget>

#include "views/recording/run_data.h"
#include "views/scene/scene.h"

class QComboBox;

namespace halo {

class FigureView;

/// Loss and scores of the chosen runs over epochs or time.
class ConvergenceView : public QWidget {
  Q_OBJECT
 public:
  explicit ConvergenceView(QWidget* parent = nullptr);
  void show(const std::vector<RunData>& runs);
  /// Which of them are in chips, whose colours they have then.
  void setChips(const RunChips& chips);
  void clear(std::int64_t run);  // whose data are still to come; 0: none

 private:
  void draw();

  std::vector<RunData> runs_;
  RunChips chips_;
  QComboBox* along_;
  FigureView *loss_, *score_;
};

}  // namespace halo
