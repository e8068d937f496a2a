#include "app/window/runs/opening_bar.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QToolButton>

#include "app/window/runs/recording_desk.h"

namespace halo {

OpeningBar::OpeningBar(Session& session, RecordingDesk& recordings)
    : session_(session), reached_(new QProgressBar) {
  auto* cancel = new QToolButton;
  cancel->setText("Cancel");
  cancel->setToolTip("Leave the recording unopened");
  cancel->setObjectName("cancelOpening");
  reached_->setAccessibleName("Runs read of the recording");
  reached_->setFormat("run %v of %m");
  reached_->setMaximumWidth(fontMetrics().horizontalAdvance("run 10000 of 10000") * 2);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addStretch();  // the button stands beside the bar
  row->addWidget(reached_);
  row->addWidget(cancel);
  hide();
  constexpr int kMomentMs = 200;
  soon_.setSingleShot(true);
  soon_.setInterval(kMomentMs);
  connect(&soon_, &QTimer::timeout, this, &QWidget::show);
  connect(cancel, &QToolButton::clicked, &recordings, &RecordingDesk::stopOpening);
  connect(&session, &Session::stateChanged, this, &OpeningBar::follow);
  connect(&recordings.reader(), &RecordingReader::openingReached, this, [this](qint64 runs, qint64 total) {
    reached_->setRange(0, static_cast<int>(total));
    reached_->setValue(static_cast<int>(runs));
  });
}

void OpeningBar::follow() {
  if (!session_.state().opening) {
    soon_.stop();
    hide();
  } else if (!soon_.isActive() && isHidden()) {
    reached_->setRange(0, 0);  // nobody knows yet how many there are
    soon_.start();
  }
}

}  // namespace halo
