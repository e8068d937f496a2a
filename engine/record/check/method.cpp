#include "engine/record/check/checks.h"

namespace halo {

/// A method that gives what one worker gives uses fresh rows. What was aggregated of them is compared with
/// what aggregating them once more gives, in the same order: the same bits.
void checkMethod(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  if (!traits.exact || !run.trains()) return;
  Statement stale(database, R"sql(
SELECT epoch, layer, pass, rank, staleness_absolute, staleness_relative FROM layer
WHERE run_id = ? AND (staleness_absolute <> 0 OR staleness_relative <> 0))sql");
  stale.bind(run.row.id);
  while (stale.step())
    findings.add("stale", run.row.id,
                 "epoch " + stale.text(0) + ", layer " + stale.text(1) + ", pass " + stale.text(2) +
                     ", worker " + stale.text(3),
                 "its staleness is " + stale.text(4) + " (relative: " + stale.text(5) + "), and " +
                     run.row.method + " with its parameters uses fresh rows: exactly 0");
}

}  // namespace halo
