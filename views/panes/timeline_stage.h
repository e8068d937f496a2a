#pragma once

#include <QStackedWidget>

#include "views/session/session.h"

namespace halo {

class Notice;
class StartView;
class TimelineView;

/// The timeline, and in its place what there is to say while it cannot be shown: the start page without a
/// recording, else why. Brings the actions of the timeline.
class TimelineStage : public QStackedWidget {
  Q_OBJECT
 public:
  explicit TimelineStage(Session& session, QWidget* parent = nullptr);

 private:
  void makeActions();
  void showState();
  void showTimeline();
  void say(const QString& sentence, const QString& button = {}, bool opens = false);

  Session& session_;
  StartView* start_;
  Notice* notice_;
  TimelineView* timeline_;
  bool opens_ = false;  // the notice's button: another file, else a new experiment
};

}  // namespace halo
