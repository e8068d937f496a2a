#include "engine/record/check/checks.h"

namespace halo {
namespace {

// Sums in another order differ by far less: 1e-7 is the most that was ever recorded (p2p).
constexpr double kRounding = 1e-3;

}  // namespace

/// A method that gives what one worker gives uses fresh rows.
void checkMethod(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  if (!traits.exact || !run.trains()) return;
  Statement stale(database, R"sql(
SELECT epoch, layer, pass, rank, staleness_absolute, staleness_relative FROM layer
WHERE run_id = ?1 AND (staleness_relative > ?2 OR (staleness_relative = 0 AND staleness_absolute > ?2)))sql");
  stale.bind(run.row.id).bind(kRounding);
  while (stale.step())
    findings.add("stale", run.row.id,
                 "epoch " + stale.text(0) + ", layer " + stale.text(1) + ", pass " + stale.text(2) +
                     ", worker " + stale.text(3),
                 "its staleness is " + stale.text(4) + " (relative: " + stale.text(5) + "), and " +
                     run.row.method + " with its parameters uses fresh rows: 0, up to rounding");
}

}  // namespace halo
