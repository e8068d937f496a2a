#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// What one rank computed in one pass of one layer of an epoch, ns.
struct StepTimes {
  std::int64_t sparse = 0, dense = 0, pack = 0, quantise = 0;
  std::int64_t nsOf(Op op) const {
    return op == Op::sparse ? sparse : op == Op::pack ? pack : op == Op::quantise ? quantise : dense;
  }
};
/// By layer (−1: loss and optimizer) and pass, of each rank.
using RecordedTimes = std::map<std::pair<int, Pass>, std::vector<StepTimes>>;

/// Medians over the epochs from `firstEpoch` on. Where a rank had less of a core than it computed, its kinds
/// of computing are scaled to the time that its thread had one. What another rank took of the core is no
/// work.
RecordedTimes recordedTimes(const std::vector<LayerRow>& rows, int ranks, std::int64_t firstEpoch);

/// Of one time at least, in whole nanoseconds.
std::int64_t medianNs(std::vector<std::int64_t> values);

/// Makes sure that rows of a run's tables are such as a run with so many ranks writes. Whatever is counted or
/// indexed by them is then in bounds.
class CheckedRows {
 public:
  /// The database outlives this.
  CheckedRows(const Database& database, std::int64_t run) : database_(database), run_(run) {}

  /// Throws DamagedInput: the recording, the run, and what is wrong.
  [[noreturn]] void damaged(const std::string& message) const;
  /// Throws where a run cannot have so many.
  void setRanks(std::int64_t ranks);

  void check(const LayerRow& row) const;
  void check(const MessageRow& row) const;
  void check(const WorkerRow& row) const;

 private:
  void inside(const char* table, std::int64_t epoch, const char* name, std::int64_t value, std::int64_t least,
              std::int64_t below) const;

  const Database& database_;
  std::int64_t run_;
  std::int64_t ranks_ = 1;
};

}  // namespace halo::cluster
