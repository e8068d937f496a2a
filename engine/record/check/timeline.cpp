#include "engine/record/check/timeline.h"

#include <algorithm>
#include <array>
#include <set>

#include "engine/record/analysis/layer_times.h"
#include "engine/record/check/places.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

struct Time {
  const char* column;
  std::int64_t LayerRow::*member;
};
constexpr std::array kTimes = {
    Time{"aggregate_ns", &LayerRow::aggregateNs},     Time{"update_ns", &LayerRow::updateNs},
    Time{"activation_ns", &LayerRow::activationNs},   Time{"loss_ns", &LayerRow::lossNs},
    Time{"optimizer_ns", &LayerRow::optimizerNs},     Time{"sample_ns", &LayerRow::sampleNs},
    Time{"gather_ns", &LayerRow::gatherNs},           Time{"exchange_wait_ns", &LayerRow::exchangeWaitNs},
    Time{"synchronise_ns", &LayerRow::synchroniseNs}, Time{"quantise_ns", &LayerRow::quantiseNs}};

/// "all" → 1, "every N epochs" → N, else 0: none.
std::int64_t everyOf(const std::string& text) {
  if (text == "all") return 1;
  return text.starts_with("every ") ? std::atoll(text.c_str() + std::string("every ").size()) : 0;
}

}  // namespace

Timeline::Timeline(const CheckedRun& run, const std::vector<WorkerRow>& workers)
    : run_(run), spanPeriod_(everyOf(run.word("record.spans"))), layers_(run.number("model.layers", -1)) {
  for (const WorkerRow& worker : workers) {
    ranks_.push_back(worker.rank);
    dropped_ = dropped_ || worker.droppedSpans > 0;
  }
}

void Timeline::checkSpan(std::int64_t rank, const Span& span, Findings& findings) const {
  const auto wrong = [&](const std::string& fault) {
    findings.add(
        "span", run_.row.id, workerAt(span.epoch, rank),
        "a span '" + std::string(text(span.name)) + "' at " + std::to_string(span.beginNs) + " ns " + fault);
  };
  if (span.durationNs < 0) wrong("ends before it begins");
  if (span.bytes < 0) wrong("has " + std::to_string(span.bytes) + " bytes; 0 or more");
  if (span.peer >= run_.row.workers)
    wrong("is of a transfer with worker " + std::to_string(span.peer) + "; the run has " +
          std::to_string(run_.row.workers) + ", from 0");
  if (layers_ >= 0 && span.layer >= layers_)
    wrong("is of layer " + std::to_string(span.layer) + "; the model has " + std::to_string(layers_) +
          ", from 0");
}

void Timeline::add(std::int64_t rank, std::span<const Span> spans, Findings& findings) {
  for (const Span& span : spans) {
    checkSpan(rank, span, findings);
    if (span.lane == Lane::phase && span.name == Name::epoch) {
      windows_[{span.epoch, rank}] = {span.beginNs, span.durationNs};
      continue;
    }
    if (span.lane == Lane::wait || span.lane == Lane::message) continue;
    const Key key{span.epoch, rank, span.layer, span.pass};
    addTime(times_[key], span);
    if (span.lane == Lane::link) received_[key] += span.bytes;
  }
}

void Timeline::addOfActor(std::int64_t rank, std::span<const Span> spans, Findings& findings) {
  for (const Span& span : spans) {
    checkSpan(rank, span, findings);
    addTime(actorTimes_[{0, rank, span.layer, span.pass}], span);
  }
}

void Timeline::compare(Database& database, std::optional<std::int64_t> late, Findings& findings) const {
  compareEpochs(database, findings);
  if (actorTimes_.empty())
    compareLayers(database, findings);
  else if (spanPeriod_ == 1 && run_.completed() && !dropped_)
    compareSums(database, findings);
  if (!dropped_) compareReceived(database, late, findings);
}

void Timeline::compareWindows(const EpochRow& epoch, bool anyone, Findings& findings) const {
  const bool due = spanPeriod_ > 0 && epoch.epoch % spanPeriod_ == 0 && run_.completed();
  Window all{INT64_MAX, 0};
  bool complete = !ranks_.empty();
  for (const std::int64_t rank : ranks_) {
    const auto window = windows_.find({epoch.epoch, rank});
    if (window == windows_.end()) {
      complete = false;
      if (due || anyone)
        findings.add("no spans", run_.row.id, workerAt(epoch.epoch, rank),
                     due ? "there are no spans of it; record.spans is " + run_.word("record.spans")
                         : "there are no spans of it; other workers have them");
      continue;
    }
    all.beginNs = std::min(all.beginNs, window->second.beginNs);
    all.durationNs = std::max(all.durationNs, window->second.durationNs);
  }
  if (complete && (all.beginNs != epoch.beginNs || all.durationNs != epoch.wallNs))
    findings.add("time of epoch", run_.row.id, "epoch " + std::to_string(epoch.epoch),
                 "its row has begin_ns " + std::to_string(epoch.beginNs) + " and wall_ns " +
                     std::to_string(epoch.wallNs) + ", by its workers' spans these are " +
                     std::to_string(all.beginNs) + " and " + std::to_string(all.durationNs));
}

void Timeline::compareEpochs(Database& database, Findings& findings) const {
  std::set<std::int64_t> inTimeline, inTable;
  for (const auto& [place, window] : windows_) inTimeline.insert(place.first);
  for (const EpochRow& epoch : Epochs(database).epochs(run_.row.id)) {
    inTable.insert(epoch.epoch);
    compareWindows(epoch, inTimeline.contains(epoch.epoch), findings);
  }
  for (const std::int64_t epoch : inTimeline)
    if (!inTable.contains(epoch))
      findings.add("spans without epoch", run_.row.id, "epoch " + std::to_string(epoch),
                   "has spans, and no row in epoch");
}

void Timeline::compareTimes(const LayerRow& row, const LayerRow& sums, const std::string& place,
                            Findings& findings) const {
  for (const Time& time : kTimes)
    if (row.*time.member != sums.*time.member)
      findings.add(std::string("time of layer ") + time.column, run_.row.id, place,
                   std::string(time.column) + " is " + std::to_string(row.*time.member) +
                       ", its spans take " + std::to_string(sums.*time.member));
}

void Timeline::compareSums(Database& database, Findings& findings) const {
  std::map<Key, LayerRow> table, spans = actorTimes_;
  const auto add = [](LayerRow& sum, const LayerRow& row) {
    for (const Time& time : kTimes) sum.*time.member += row.*time.member;
  };
  for (const auto& [key, row] : times_) add(spans[{0, key.rank, key.layer, key.pass}], row);
  for (const EpochRow& epoch : Epochs(database).epochs(run_.row.id))
    for (const LayerRow& row : Epochs(database).layersOf(run_.row.id, epoch.epoch))
      add(table[{0, row.rank, row.layer, row.pass}], row);
  for (const auto& [key, row] : spans) table.try_emplace(key);
  for (const auto& [key, row] : table)
    compareTimes(row, spans[key],
                 "all epochs, layer " + std::to_string(key.layer) + ", pass " + std::string(text(key.pass)) +
                     ", worker " + std::to_string(key.rank),
                 findings);
}

void Timeline::compareLayers(Database& database, Findings& findings) const {
  std::set<Key> inTable;
  std::int64_t epoch = INT64_MIN;
  for (const auto& [place, window] : windows_) {
    if (place.first == epoch) continue;
    epoch = place.first;
    for (const LayerRow& row : Epochs(database).layersOf(run_.row.id, epoch)) {
      const Key key{row.epoch, row.rank, row.layer, row.pass};
      inTable.insert(key);
      if (!recorded(row.epoch, row.rank)) continue;
      const auto times = times_.find(key);
      compareTimes(row, times == times_.end() ? LayerRow() : times->second,
                   layerAt(row.epoch, row.rank, row.layer, row.pass), findings);
    }
  }
  // a run that was stopped may have spans of epochs that did not end, or whose last spans never came
  const std::int64_t last = windows_.empty() ? -1 : windows_.rbegin()->first.first;
  for (const auto& [key, sums] : times_)
    if (key.epoch > last && !run_.completed())
      continue;
    else if (!recorded(key.epoch, key.rank))
      findings.add("spans without window", run_.row.id, workerAt(key.epoch, key.rank),
                   "has spans, and none of the epoch itself (lane phase)");
    else if (!inTable.contains(key))
      findings.add("spans without row", run_.row.id, layerAt(key.epoch, key.rank, key.layer, key.pass),
                   "has spans, and no row in layer");
}

Timeline::Transfers Timeline::transfers(Database& database) const {
  std::map<Key, Transfer> all;
  Statement rows(
      database,
      "SELECT epoch, target, layer, pass, sum(bytes) FROM message WHERE run_id = ? AND target >= 0 "
      "GROUP BY epoch, target, layer, pass");
  rows.bind(run_.row.id);
  while (rows.step())
    all[{rows.integer(0), rows.integer(1), rows.integer(2), passOf(rows.blob(3))}].sent = rows.integer(4);
  for (const auto& [key, bytes] : received_) all[key].received = bytes;
  Transfers series;
  for (const auto& [key, both] : all)
    if (recorded(key.epoch, key.rank))
      series[{0, key.rank, key.layer, key.pass}].push_back({key.epoch, both.sent, both.received});
  return series;
}

// Late messages may be noted in any of the epochs in which they were on their way. So up to each epoch no
// more has arrived than was sent, and no less than was sent up to `late` epochs before.
void Timeline::compareArrivals(const Key& to, const std::vector<Transfer>& series, std::int64_t late,
                               Findings& findings) const {
  std::int64_t received = 0, sent = 0, due = 0;
  auto next = series.begin();
  for (const Transfer& now : series) {
    received += now.received;
    sent += now.sent;
    for (; next != series.end() && next->epoch <= now.epoch - late; ++next) due += next->sent;
    if (received >= due && received <= sent) continue;
    const std::string right =
        due == sent ? std::to_string(sent) : std::to_string(due) + " to " + std::to_string(sent);
    findings.add("received", run_.row.id, layerAt(now.epoch, to.rank, to.layer, to.pass),
                 "up to it " + std::to_string(received) +
                     " bytes have arrived by its transfers (lane link), " + right + " by the ledger");
    return;  // what follows differs by as much
  }
}

void Timeline::compareReceived(Database& database, std::optional<std::int64_t> late,
                               Findings& findings) const {
  const auto latest = Runs(database).latest(run_.row.id);
  if (received_.empty() && spanPeriod_ == 1 && latest.contains("hidden_share") &&
      latest.at("hidden_share") > 0)
    findings.add("received", run_.row.id, "",
                 "has a hidden_share above 0 in latest, and no transfers (lane link) that were hidden");
  if (!late || (*late > 0 && spanPeriod_ != 1)) return;
  for (const auto& [to, series] : transfers(database)) compareArrivals(to, series, *late, findings);
}

}  // namespace halo
