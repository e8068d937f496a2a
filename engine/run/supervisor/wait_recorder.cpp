#include "engine/run/supervisor/wait_recorder.h"

#include <algorithm>

#include "engine/record/tables/spans.h"

namespace halo {

void WaitRecorder::restore(std::span<const EpochRow> epochs, std::span<const WaitRow> rows) {
  for (const EpochRow& epoch : epochs) {
    shares_.add(epoch);
    newest_ = std::max(newest_, epoch.epoch);
  }
  shares_.add(rows);
}

void WaitRecorder::add(std::int64_t rank, std::span<const Span> spans) {
  if (reasons_) reasons_->add(rank, spans);
}

void WaitRecorder::add(std::span<const EpochRow> epochs) {
  for (const EpochRow& epoch : epochs) {
    shares_.add(epoch);
    newest_ = std::max(newest_, epoch.epoch);
  }
  if (!reasons_) return;
  record(reasons_->take());
  if (epochs.empty()) record(reasons_->takeMet());
  recordRows(reasons_->judgedTo());
}

/// Without the senders a reason is what is left of it, so that no share is its own.
std::map<std::string, double> WaitRecorder::metrics() const {
  std::map<std::string, double> metrics = shares_.metrics();
  if (!sendersKnown_) std::erase_if(metrics, [](const auto& metric) { return metric.first != "wait_share"; });
  return metrics;
}

void WaitRecorder::finish() {
  if (!reasons_) return;
  record(reasons_->takeRest());
  recordRows(std::min(newest_, reasons_->toldTo()));
}

void WaitRecorder::record(const std::vector<WaitReasons::Judged>& all) {
  std::map<std::int64_t, std::vector<Span>> pieces;  // by rank: one block for all epochs
  for (const WaitReasons::Judged& judged : all) {
    for (const WaitRow& row : waitRows(judged)) {
      WaitRow& sum = rows_
                         .try_emplace({row.epoch, row.rank, row.layer, row.pass},
                                      WaitRow{row.epoch, row.rank, row.layer, row.pass, {}})
                         .first->second;
      for (std::size_t i = 0; i < sum.reasonNs.size(); ++i) sum.reasonNs[i] += row.reasonNs[i];
    }
    std::vector<Span>& ofRank = pieces[judged.rank];
    ofRank.insert(ofRank.end(), judged.pieces.begin(), judged.pieces.end());
  }
  for (const auto& [rank, spans] : pieces) Spans(db_).append(run_, rank, spans);
}

/// A row is of a whole epoch: it is written when nothing more comes to it. An epoch may be recorded before
/// the spans of its end are.
void WaitRecorder::recordRows(std::int64_t upTo) {
  std::vector<WaitRow> rows;
  while (!rows_.empty() && rows_.begin()->second.epoch <= upTo)
    rows.push_back(rows_.extract(rows_.begin()).mapped());
  WaitingTable(db_).append(run_, rows);
  shares_.add(rows);
}

}  // namespace halo
