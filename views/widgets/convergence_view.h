#pragma once

#include <QWidget>

#include "views/recording/run_data.h"

class QComboBox;

namespace halo {

class FigureView;

/// Loss and scores of the chosen runs over epochs or time.
class ConvergenceView : public QWidget {
  Q_OBJECT
 public:
  explicit ConvergenceView(QWidget* parent = nullptr);
  void show(const std::vector<RunData>& runs);
  void clear(std::int64_t run);  // whose data are still to come; 0: none

 private:
  void draw();

  std::vector<RunData> runs_;
  QComboBox* along_;
  FigureView *loss_, *score_;
};

}  // namespace halo
