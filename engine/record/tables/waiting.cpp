#include "engine/record/tables/waiting.h"

#include <utility>

namespace halo {
namespace {

std::string columns() {
  std::string all = "epoch, rank, layer, pass";
  for (const char* column : kReasonColumns) all += std::string(", ") + column;
  return all;
}

/// "late_sender" of "late_sender_ns".
std::string shareOf(const char* column) {
  const std::string name = column;
  return "wait_" + name.substr(0, name.size() - std::string("_ns").size()) + "_share";
}

}  // namespace

void WaitingTable::append(std::int64_t run, std::span<const WaitRow> rows) {
  std::string values = "?, ?, ?, ?, ?";
  for (std::size_t i = 0; i < kReasonColumns.size(); ++i) values += ", ?";
  Statement insert(db_, "INSERT OR REPLACE INTO waiting(run_id, " + columns() + ") VALUES(" + values + ")");
  for (const WaitRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.rank).bind(row.layer).bind(text(row.pass));
    for (const std::int64_t ns : row.reasonNs) insert.bind(ns);
    insert.step();
    insert.reset();
  }
}

std::vector<WaitRow> WaitingTable::rows(std::int64_t run) const {
  Statement select(
      db_, "SELECT " + columns() + " FROM waiting WHERE run_id = ? ORDER BY epoch, rank, layer, pass");
  select.bind(run);
  std::vector<WaitRow> rows;
  while (select.step()) {
    WaitRow row{select.integer(0), select.integer(1), select.integer(2), passOf(select.blob(3)), {}};
    int column = 4;
    for (std::int64_t& ns : row.reasonNs) ns = select.integer(column++);
    rows.push_back(row);
  }
  return rows;
}

std::vector<WaitRow> waitRows(const WaitReasons::Judged& judged) {
  std::map<std::pair<std::int64_t, Pass>, WaitRow> rows;
  for (const Span& piece : judged.pieces) {
    const auto row = rows.try_emplace({piece.layer, piece.pass},
                                      WaitRow{judged.epoch, judged.rank, piece.layer, piece.pass, {}});
    row.first->second.reasonNs[reasonIndex(piece.name)] += piece.durationNs;
  }
  std::vector<WaitRow> all;
  for (const auto& [key, row] : rows) all.push_back(row);
  return all;
}

void WaitShares::add(const EpochRow& epoch) { epochs_[epoch.epoch] = {epoch.wallNs, epoch.filling, false}; }

void WaitShares::add(std::span<const WaitRow> rows) {
  for (const WaitRow& row : rows) {
    epochs_.erase(epochs_.begin(), epochs_.lower_bound(row.epoch));
    const auto epoch = epochs_.find(row.epoch);
    if (epoch == epochs_.end() || epoch->second.filling) continue;
    if (!std::exchange(epoch->second.counted, true)) wallNs_ += static_cast<double>(epoch->second.wallNs);
    for (std::size_t i = 0; i < row.reasonNs.size(); ++i)
      reasonNs_[i] += static_cast<double>(row.reasonNs[i]);
  }
}

std::map<std::string, double> WaitShares::metrics() const {
  const double workersNs = wallNs_ * static_cast<double>(workers_);
  if (workersNs <= 0) return {};
  std::map<std::string, double> metrics;
  double all = 0;
  for (std::size_t i = 0; i < reasonNs_.size(); ++i) {
    metrics[shareOf(kReasonColumns[i])] = reasonNs_[i] / workersNs;
    all += reasonNs_[i];
  }
  metrics["wait_share"] = all / workersNs;
  metrics["exposed_share"] =
      (reasonNs_[reasonIndex(Name::waitsWire)] + reasonNs_[reasonIndex(Name::waitsQueue)]) / workersNs;
  return metrics;
}

}  // namespace halo
