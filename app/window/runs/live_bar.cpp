#include "app/window/runs/live_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/window/runs/recording_desk.h"
#include "views/recording/run_progress.h"

namespace halo {

LiveBar::LiveBar(const Session& session, const RecordingDesk& recordings, QAction* stop, QAction* pause)
    : session_(session), recordings_(recordings), progress_(new QLabel), pause_(pause) {
  setObjectName("live");
  progress_->setObjectName("progress");
  progress_->setMinimumWidth(1);  // a small window cuts its words rather than grow beyond the screen
  progress_->setToolTip(
      "Epochs of the shown run; the rate of its last twenty, with what lies between them; and the time left "
      "at that rate");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(progress_);
  for (QAction* action : {pause, stop}) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  follow();
}

void LiveBar::follow() {
  const bool live = session_.run().run.status == "running";
  pause_->setEnabled(live || recordings_.paused() || session_.sceneLanes().grows());
  pause_->setChecked(recordings_.paused());
  setVisible(live);
  if (!live) return;
  const QString progress = progressText(progressOf(recordings_.newest()));
  progress_->setText(progress.isEmpty() ? QString("no epoch is over yet") : progress);
}

}  // namespace halo
