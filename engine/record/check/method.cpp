#include "engine/record/check/checks.h"

namespace halo {

namespace {

/// The first layer of a model has none where it aggregates once.
void findEpochsWithout(Database& database, const CheckedRun& run, Findings& findings) {
  Statement unprobed(database, R"sql(
SELECT e.epoch, p.value FROM epoch AS e
JOIN parameter AS p ON p.run_id = e.run_id AND p.key = 'record.staleness' AND CAST(p.value AS INTEGER) > 0
JOIN parameter AS m ON m.run_id = e.run_id AND m.key = 'model.layers' AND CAST(m.value AS INTEGER) > 1
WHERE e.run_id = ? AND e.epoch % CAST(p.value AS INTEGER) = 0 AND e.loss IS NOT NULL
  AND NOT EXISTS(SELECT 1 FROM layer AS l
    WHERE l.run_id = e.run_id AND l.epoch = e.epoch AND staleness_absolute IS NOT NULL))sql");
  unprobed.bind(run.row.id);
  while (unprobed.step())
    findings.add("epochs without staleness", run.row.id, "epoch " + unprobed.text(0),
                 "has no staleness, which is measured every " + unprobed.text(1) + " epochs");
}

}  // namespace

/// A method that gives what one worker gives uses fresh rows. What was aggregated of them is compared with
/// what aggregating them once more gives, in the same order: the same bits.
void checkMethod(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  if (traits.probed && run.trains()) findEpochsWithout(database, run, findings);
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
