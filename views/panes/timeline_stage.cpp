#include "views/panes/timeline_stage.h"

#include <QAction>

#include "views/look/notice.h"
#include "views/panes/start_view.h"
#include "views/recording/nothing_recorded.h"
#include "views/timeline/timeline_view.h"

namespace halo {

TimelineStage::TimelineStage(Session& session, QWidget* parent)
    : QStackedWidget(parent),
      session_(session),
      start_(new StartView),
      notice_(new Notice),
      timeline_(new TimelineView(session.lanes(), session.window())) {
  addWidget(start_);
  addWidget(notice_);
  addWidget(timeline_);
  makeActions();
  connect(&session, &Session::stateChanged, this, &TimelineStage::showState);
  connect(&session.sceneLanes(), &SceneLanes::changed, this,
          [this] { timeline_->setOthers(session_.sceneLanes().first(), session_.sceneLanes().others()); });
  connect(&session, &Session::recentChanged, start_, &StartView::setRecent);
  connect(start_, &StartView::sampleWanted, &session, &Session::sampleWanted);
  connect(start_, &StartView::experimentWanted, &session, &Session::experimentWanted);
  connect(start_, &StartView::openWanted, &session, [&session] { emit session.fileWanted({}); });
  connect(start_, &StartView::fileWanted, &session, &Session::fileWanted);
  connect(notice_, &Notice::pressed, this, [this] {
    if (opens_)
      emit session_.fileWanted({});
    else
      emit session_.experimentWanted();
  });
}

void TimelineStage::makeActions() {
  for (const TimelineActionInfo& info : timelineActions()) {
    // the keys themselves belong to the timeline while it has the focus: letters must stay letters in a text
    // field
    auto* action = new QAction(info.text, this);
    if (!info.keys.isEmpty())
      action->setText(QString("%1\t%2").arg(info.text, info.keys.first().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [this, what = info.action] {
      emit session_.frontWanted(this);
      timeline_->canvas().setFocus();
      timeline_->canvas().perform(what);
    });
    addAction(action);
  }
}

void TimelineStage::say(const QString& sentence, const QString& button, bool opens) {
  notice_->tell(sentence, button);
  opens_ = opens;
  setCurrentWidget(notice_);
}

void TimelineStage::showTimeline() {
  if (currentWidget() == timeline_) return;
  setCurrentWidget(timeline_);
  timeline_->canvas().takeKeys();
}

void TimelineStage::showState() {
  const OpenState& state = session_.state();
  const bool runs = session_.runs().rowCount() > 0;
  const std::string& status = session_.run().run.status;
  if (!state.failure.isEmpty())
    say(state.failure, "Open another file…", true);
  else if (!state.file && !state.starting)
    setCurrentWidget(start_);
  else if (!runs && state.starting)
    say("Starting the workers; their lanes appear here with their first spans. The log below tells how far "
        "they are.");
  else if (state.opening)
    say("Opening the recording…");
  else if (!runs)
    say("This recording holds no runs yet.", "New experiment");
  else if (!session_.lanes().rows().empty())
    showTimeline();
  else if (status == "running" || status == "queued")
    say("The run is starting; its lanes appear here with their first spans.");
  else if (!state.reading && session_.run().spans == 0)
    say(noSpans(session_.run()) + " There is no timeline of it; convergence and ledger are below.",
        "New experiment");
}

}  // namespace halo
