#pragma once

#include <QWidget>

#include "views/recording/run_data.h"

namespace halo {

class FigureView;

/// Who sent how much to whom, and measured beside predicted bytes. A click on a cell chooses its transfers.
class LedgerView : public QWidget {
  Q_OBJECT
 public:
  explicit LedgerView(QWidget* parent = nullptr);
  void show(const RunData& run);
  void clear(std::int64_t run);  // whose messages are still to come; 0: none

 signals:
  void transfersChosen(qint64 source, qint64 target);

 private:
  FigureView *matrix_, *volume_;
};

}  // namespace halo
