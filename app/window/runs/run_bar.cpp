#include "app/window/runs/run_bar.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>

namespace halo {

RunBar::RunBar(Session& session, QAction* run, QAction* stop)
    : QToolBar("Main"), session_(session), record_(new QComboBox), run_(new QComboBox), epoch_(new QSpinBox) {
  setObjectName("Main");
  setMovable(false);
  addAction(run);
  addAction(stop);
  addSeparator();
  makeRecordLevel();
  addSeparator();
  makeRunChoice();
  addSeparator();
  makeEpochChoice();
}

void RunBar::makeRecordLevel() {
  record_->addItem("as the experiment says", "");
  record_->addItem("every span", "all");
  record_->addItem("every tenth epoch", "10");
  record_->addItem("no spans", "none");
  record_->setAccessibleName("Record level");
  record_->setToolTip("What the next run records besides its metrics");
  addWidget(new QLabel(" Record "));
  addWidget(record_);
}

void RunBar::makeRunChoice() {
  run_->setModel(&session_.runs());
  run_->setModelColumn(RunsModel::Name);
  run_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  run_->setMinimumContentsLength(26);
  run_->setAccessibleName("Shown run");
  addWidget(new QLabel(" Run "));
  addWidget(run_);
  connect(run_, &QComboBox::activated, this, [this](int row) {
    emit runChosen(session_.runs().index(row, 0).data(RunsModel::kRunRole).toLongLong());
  });
  connect(&session_, &Session::runsRead, this, &RunBar::showRun);
  connect(&session_, &Session::runChosen, this, &RunBar::showRun);
}

void RunBar::makeEpochChoice() {
  epoch_->setRange(-1, -1);
  epoch_->setSpecialValueText("all");
  epoch_->setAccessibleName("Shown epoch");
  addWidget(new QLabel(" Epoch "));
  addAction("◀", epoch_, &QSpinBox::stepDown)->setToolTip("Epoch before");
  addWidget(epoch_);
  addAction("▶", epoch_, &QSpinBox::stepUp)->setToolTip("Next epoch");
  connect(epoch_, &QSpinBox::valueChanged, this, &RunBar::chooseEpoch);
  connect(&session_, &Session::runRead, this, &RunBar::showEpochs);
  connect(&session_.window(), &TimeWindow::epochChanged, this, &RunBar::showEpoch);
}

QString RunBar::recordLevel() const { return record_->currentData().toString(); }

void RunBar::showRun() {
  const int row = session_.runs().rowOf(session_.run().run.id);
  if (row >= 0 && run_->currentIndex() != row) run_->setCurrentIndex(row);
}

void RunBar::showEpochs(const RunData& run) {
  const QSignalBlocker quiet(epoch_);
  epoch_->setRange(-1, static_cast<int>(run.epochs.size()) - 1);
}

void RunBar::showEpoch() {
  const QSignalBlocker quiet(epoch_);
  epoch_->setValue(static_cast<int>(session_.window().epoch().value_or(-1)));
}

/// By the box or its arrows. The timeline's own steps bring their own window.
void RunBar::chooseEpoch(int epoch) {
  session_.window().setEpoch(epoch < 0 ? std::nullopt : std::optional<std::int64_t>(epoch));
  if (const TimeRange range = session_.epochRange(); !range.empty()) session_.window().setVisible(range);
}

}  // namespace halo
