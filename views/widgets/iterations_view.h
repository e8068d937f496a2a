#pragma once

#include <QWidget>

#include "views/recording/run_data.h"

class QComboBox;

namespace halo {

class FigureView;

/// Iterations of a run that trains in mini-batches, and what its batches read; on a node of processors and
/// cards who gets how much, and what stages take.
class IterationsView : public QWidget {
  Q_OBJECT
 public:
  explicit IterationsView(QWidget* parent = nullptr);
  void show(const RunData& run);
  void clear(std::int64_t run);  // whose data are still to come; 0: none

 private:
  void draw();

  std::vector<RunData> runs_;  // the chosen one, or none
  QComboBox *quantity_, *clock_;
  FigureView *iterations_, *blocks_;
};

}  // namespace halo
