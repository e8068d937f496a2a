#pragma once

#include <QStackedWidget>
#include <cstdint>
#include <set>

#include "views/recording/lane_notes.h"
#include "views/session/arrow_reader.h"
#include "views/session/chain_reader.h"
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
  /// Nothing that it shows is still being read but spans.
  bool settled() const { return arrows_.settled() && chains_.settled(); }

 private:
  void makeActions();
  void followScene();
  void followArrows();
  void askArrows();
  void followChains();
  void followWhatIf();
  void askWhatIf(std::int32_t block);
  void askOfRead();
  void askOfOther(const QString& recording);
  void askChain();
  void takeRanks();
  void goToWait(Name reason, qint64 peer, qint64 layer);
  void goToSpans(std::size_t chip, const SpanChoice& choice);
  std::optional<ArrowReader::Source> sourceOf(std::int32_t block) const;
  void takeOrder();
  void takeMarks();
  void takeClock();
  void takePins();
  void takeNotes();
  void askNote(LaneChoice lane, std::int64_t ns);
  void dropNote(const LaneNote& note);
  const TimelineModel* modelAt(std::int32_t block) const;
  std::vector<ChipNote> notesOf(std::int32_t block) const;
  void setNotesOf(std::int32_t block, const std::vector<ChipNote>& notes);
  void storePins();
  int placeInScene(std::int32_t block) const;
  void showState();
  void showTimeline();
  void say(const QString& sentence, const QString& button = {}, bool opens = false);

  Session& session_;
  StartView* start_;
  Notice* notice_;
  TimelineView* timeline_;
  ArrowReader arrows_;
  ChainReader chains_;
  bool arrowsShown_ = false;
  std::set<std::int64_t> ownPins_;  // of the shown run, where it is in no chip
  std::vector<ChipNote> ownNotes_;  // likewise
  /// What if is asked of it as soon as it is read.
  struct WhatIfRequest {
    std::int64_t run = 0;
    std::optional<Span> span;  // that was selected, from the run's first epoch
    std::int64_t rank = -1;
  };
  std::optional<WhatIfRequest> whatIfRequest_;
  TimeClock clock_ = TimeClock::modelled;
  bool taking_ = false;  // what the timeline is told is not told back
  bool opens_ = false;   // the notice's button: another file, else a new experiment
};

}  // namespace halo
