#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/record/analysis/wait_reasons.h"
#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// Table `waiting`. All its SQL stands in waiting.cpp.
class WaitingTable {
 public:
  explicit WaitingTable(Database& database) : db_(database) {}

  /// Insert or replace by key, inside the caller's transaction.
  void append(std::int64_t run, std::span<const WaitRow> rows);
  /// In order of epoch, rank, layer and pass.
  std::vector<WaitRow> rows(std::int64_t run) const;

 private:
  Database& db_;
};

/// The column of each reason, in the order of their names.
inline constexpr std::array<const char*, kReasons> kReasonColumns = {
    "late_sender_ns",    "late_receiver_ns", "wire_ns",   "queue_ns",  "peer_computes_ns",
    "barrier_or_sum_ns", "quantiser_ns",     "memory_ns", "unknown_ns"};

constexpr std::size_t reasonIndex(Name reason) { return at(reason) - at(Name::waitsLateSender); }

/// A row for every layer and pass in which the rank waited.
std::vector<WaitRow> waitRows(const WaitReasons::Judged& judged);

/// What `latest` has of the waits, over the epochs judged so far but those that fill a pipeline: time ÷ (wall
/// time × workers). The share of all waits is wait_share, that of a reason wait_…_share, and that of wire and
/// queue exposed_share.
class WaitShares {
 public:
  explicit WaitShares(std::int64_t workers) : workers_(workers < 1 ? 1 : workers) {}

  /// An epoch that was recorded; before its waits.
  void add(const EpochRow& epoch);
  /// The rows of an epoch may come in several calls.
  void add(std::span<const WaitRow> rows);
  std::map<std::string, double> metrics() const;

 private:
  struct Epoch {
    std::int64_t wallNs = 0;
    bool filling = false, counted = false;
  };
  std::int64_t workers_;
  std::map<std::int64_t, Epoch> epochs_;  // from the last that had waits on
  double wallNs_ = 0;
  std::array<double, kReasons> reasonNs_{};
};

}  // namespace halo
