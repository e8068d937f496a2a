#include "engine/run/supervisor/wait_recorder.h"

#include "engine/record/tables/spans.h"

namespace halo {

void WaitRecorder::add(std::int64_t rank, std::span<const Span> spans) {
  if (reasons_) reasons_->add(rank, spans);
}

void WaitRecorder::add(std::span<const EpochRow> epochs) {
  for (const EpochRow& epoch : epochs) shares_.add(epoch);
  if (reasons_) record(reasons_->take());
}

void WaitRecorder::finish() {
  if (reasons_) record(reasons_->takeRest());
}

void WaitRecorder::record(const std::vector<WaitReasons::Judged>& all) {
  std::map<std::int64_t, std::vector<Span>> pieces;  // by rank: one block for all epochs
  for (const WaitReasons::Judged& judged : all) {
    const std::vector<WaitRow> rows = waitRows(judged);
    Waiting(db_).append(run_, rows);
    shares_.add(rows);
    std::vector<Span>& ofRank = pieces[judged.rank];
    ofRank.insert(ofRank.end(), judged.pieces.begin(), judged.pieces.end());
  }
  for (const auto& [rank, spans] : pieces) Spans(db_).append(run_, rank, spans);
}

}  // namespace halo
