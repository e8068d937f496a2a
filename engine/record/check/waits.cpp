#include "engine/record/check/waits.h"

#include <algorithm>
#include <set>

#include "engine/record/check/figures.h"
#include "engine/record/check/places.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

std::string placeOf(const WaitRow& row) { return layerAt(row.epoch, row.rank, row.layer, row.pass); }

std::int64_t sumOf(const WaitRow& row) {
  std::int64_t sum = 0;
  for (const std::int64_t ns : row.reasonNs) sum += ns;
  return sum;
}

}  // namespace

Waits::Waits(const CheckedRun& run, std::optional<std::int64_t> late, const std::vector<WorkerRow>& workers)
    : run_(run) {
  const auto exact = [](const WorkerRow& worker) {
    return worker.clockUncertaintyNs == 0 && worker.droppedSpans == 0;
  };
  if (late && std::ranges::all_of(workers, exact)) reasons_.emplace(*late, run.linkGbit() > 0, workers);
}

void Waits::sum(Rows& rows, const WaitReasons::Judged& judged) {
  for (const WaitRow& row : waitRows(judged)) {
    WaitRow& all =
        rows.try_emplace(keyOf(row), WaitRow{row.epoch, row.rank, row.layer, row.pass, {}}).first->second;
    for (std::size_t i = 0; i < all.reasonNs.size(); ++i) all.reasonNs[i] += row.reasonNs[i];
  }
}

void Waits::add(std::int64_t rank, std::span<const Span> spans) {
  std::map<std::int64_t, WaitReasons::Judged> pieces;  // by epoch
  for (const Span& span : spans)
    if (span.lane == Lane::wait && isReason(span.name))
      pieces.try_emplace(span.epoch, WaitReasons::Judged{span.epoch, rank, {}})
          .first->second.pieces.push_back(span);
  for (const auto& [epoch, judged] : pieces) sum(pieces_, judged);
  if (!reasons_) return;
  reasons_->add(rank, spans);
  for (const WaitReasons::Judged& judged : reasons_->take()) sum(again_, judged);
}

void Waits::compareRows(const Rows& table, const Rows& expected, const std::string& origin,
                        Findings& findings) const {
  std::set<std::int64_t> epochs;
  for (const auto& [key, row] : table) epochs.insert(row.epoch);
  for (const auto& [key, row] : expected) {
    if (!run_.completed() && !epochs.contains(row.epoch)) continue;  // it ended before they were judged
    const auto entry = table.find(key);
    if (entry == table.end()) {
      findings.add("waiting without row", run_.row.id, placeOf(row),
                   "it waited by " + origin + ", and has no row in waiting");
      continue;
    }
    for (std::size_t i = 0; i < row.reasonNs.size(); ++i)
      if (entry->second.reasonNs[i] != row.reasonNs[i])
        findings.add("waiting", run_.row.id, placeOf(row),
                     std::string(kReasonColumns[i]) + " is " + std::to_string(entry->second.reasonNs[i]) +
                         ", " + origin + " give " + std::to_string(row.reasonNs[i]));
  }
  for (const auto& [key, row] : table)
    if (!expected.contains(key))
      findings.add("waiting without spans", run_.row.id, placeOf(row),
                   "has a row in waiting, and " + origin + " give nothing of it");
}

void Waits::compareLayers(Database& database, const Rows& table, Findings& findings) const {
  std::int64_t epoch = -1;
  for (const auto& [key, row] : table) {
    if (row.epoch == epoch) continue;
    epoch = row.epoch;
    for (const LayerRow& layer : Epochs(database).layersOf(run_.row.id, epoch)) {
      const std::int64_t waiting = layer.exchangeWaitNs + layer.synchroniseNs;
      const Key place{layer.epoch, layer.rank, layer.layer, layer.pass};
      const auto entry = table.find(place);
      const std::int64_t reasons = entry == table.end() ? 0 : sumOf(entry->second);
      if (waiting != reasons)
        findings.add("reasons of waiting", run_.row.id,
                     layerAt(layer.epoch, layer.rank, layer.layer, layer.pass),
                     "it waited for " + std::to_string(waiting) +
                         " ns (exchange_wait_ns and synchronise_ns), its reasons in waiting take " +
                         std::to_string(reasons));
    }
  }
}

void Waits::compareShares(Database& database, const Rows& table, Findings& findings) const {
  WaitShares shares(run_.row.workers);
  for (const EpochRow& epoch : Epochs(database).epochs(run_.row.id)) shares.add(epoch);
  for (const auto& [key, row] : table) shares.add(std::span(&row, 1));
  const auto latest = Runs(database).latest(run_.row.id);
  auto expected = shares.metrics();
  // without the spans of the epochs in which late messages were sent only their sum is recorded
  if (!latest.contains("exposed_share") && run_.word("record.spans") != "all")
    std::erase_if(expected, [](const auto& figure) { return figure.first != "wait_share"; });
  compareFigures(run_.row.id, latest, expected, "its rows in waiting and epoch", findings);
}

void Waits::compare(Database& database, bool acts, Findings& findings) {
  Rows table;
  for (const WaitRow& row : WaitingTable(database).rows(run_.row.id)) table.emplace(keyOf(row), row);
  if (table.empty() && pieces_.empty()) return;  // as older recordings have it
  compareRows(table, pieces_, "its spans of lane wait", findings);
  if (!acts) compareLayers(database, table, findings);
  compareShares(database, table, findings);
  if (!reasons_) return;
  for (const WaitReasons::Judged& judged : reasons_->takeRest()) sum(again_, judged);
  compareRows(table, again_, "its messages and kernels", findings);
}

}  // namespace halo
