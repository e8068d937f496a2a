#pragma once

#include <QToolBar>

#include "views/session/session.h"

class QComboBox;
class QSpinBox;

namespace halo {

/// The tool bar: starting and stopping, what the next run records, and which run and epoch are shown.
class RunBar : public QToolBar {
  Q_OBJECT
 public:
  RunBar(Session& session, QAction* run, QAction* stop);

  /// "all", "10", "none"; empty: as the experiment says.
  QString recordLevel() const;

 signals:
  void runChosen(std::int64_t run);  // by a person

 private:
  void makeRecordLevel();
  void makeRunChoice();
  void makeEpochChoice();
  void showRun();
  void showEpochs(const RunData& run);
  void showEpoch();
  void chooseEpoch(int epoch);

  Session& session_;
  QComboBox *record_, *run_;
  QSpinBox* epoch_;
};

}  // namespace halo
