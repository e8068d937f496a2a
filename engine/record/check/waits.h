#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/record/analysis/wait_reasons.h"
#include "engine/record/check/checks.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/waiting.h"

namespace halo {

/// Table `waiting` against the pieces of lane wait, against the waiting in `layer`, and against what the
/// other lanes give once more. The last only where all ranks have one clock: offsets between clocks are
/// estimated again after a run's waits have been judged. Recordings before schema 5 have nothing of it.
class Waits {
 public:
  /// late: epochs that messages may be on their way; none: not known.
  Waits(const CheckedRun& run, std::optional<std::int64_t> late, const std::vector<WorkerRow>& workers);

  void add(std::int64_t rank, std::span<const Span> spans);
  /// acts: whether the workers have actors, whose waits have no reasons.
  void compare(Database& database, bool acts, Findings& findings);

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, Pass>;  // epoch, rank, layer, pass
  using Rows = std::map<Key, WaitRow>;
  static Key keyOf(const WaitRow& row) { return {row.epoch, row.rank, row.layer, row.pass}; }
  static void sum(Rows& rows, const WaitReasons::Judged& judged);
  void compareRows(const Rows& table, const Rows& expected, const std::string& origin,
                   Findings& findings) const;
  void compareLayers(Database& database, const Rows& table, Findings& findings) const;
  void compareShares(Database& database, const Rows& table, Findings& findings) const;

  const CheckedRun& run_;
  std::optional<WaitReasons> reasons_;
  Rows pieces_, again_;
};

}  // namespace halo
