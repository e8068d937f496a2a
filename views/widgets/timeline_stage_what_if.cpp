// What if, asked in the lanes of any run that trained.
#include <utility>

#include "views/timeline/timeline_view.h"
#include "views/widgets/timeline_stage.h"

namespace halo {

void TimelineStage::followWhatIf() {
  connect(&timeline_->canvas(), &TimelineCanvas::whatIfWanted, this, &TimelineStage::askWhatIf);
  connect(&session_, &Session::runChosen, this, [this](std::int64_t run) {
    if (whatIfRequest_ && whatIfRequest_->run != run) whatIfRequest_.reset();
  });
  connect(&session_, &Session::runRead, this, [this](const RunData& read) {
    // a dialog has a loop of its own: after all views know the run
    if (whatIfRequest_ && whatIfRequest_->run == read.run.id)
      QMetaObject::invokeMethod(this, &TimelineStage::askOfRead, Qt::QueuedConnection);
  });
}

/// A run of the shown recording is shown first; one of another stays where it is.
void TimelineStage::askWhatIf(std::int32_t block) {
  const auto run = session_.sceneLanes().runAt(block);
  if (!run) return emit session_.whatIfWanted();
  const TimelineModel& model = *session_.sceneLanes().at(block)->model;
  const TimeWindow& window = session_.window();
  whatIfRequest_ = WhatIfRequest{run->second, {}, window.selectedRank()};
  if (window.selectedBlock() == block && model.time().divisor == 1 && !model.epochs().empty())
    whatIfRequest_->span = window.selectedSpan();
  if (whatIfRequest_->span) whatIfRequest_->span->beginNs -= model.epochs().front().beginNs;
  if (run->first != session_.sceneLanes().recording()) return askOfOther(run->first);
  emit session_.runWanted(run->second);
}

void TimelineStage::askOfOther(const QString& recording) {
  const WhatIfRequest request = *std::exchange(whatIfRequest_, std::nullopt);
  emit session_.otherWhatIfWanted(recording, request.run, request.span, request.rank);
}

void TimelineStage::askOfRead() {
  const RunData& read = session_.run();
  if (!whatIfRequest_ || whatIfRequest_->run != read.run.id) return;
  WhatIfRequest request = *std::exchange(whatIfRequest_, std::nullopt);
  if (request.span && !read.epochs.empty()) {
    request.span->beginNs += read.epochs.front().beginNs;
    session_.window().selectSpan(request.rank, request.span);
  }
  emit session_.whatIfWanted();
}

}  // namespace halo
