// Figures of which it is known only what they cannot exceed.
#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

constexpr Rule kRules[] = {
    {"bytes of aggregations", R"sql(
SELECT run_id, '', printf('table latest has aggregation_least_bytes_per_epoch %.12g, and aggregation_most_bytes_per_epoch %.12g, which is no less',
  least.value, most.value)
FROM latest AS least JOIN latest AS most USING(run_id)
WHERE least.metric = 'aggregation_least_bytes_per_epoch' AND most.metric = 'aggregation_most_bytes_per_epoch'
  AND least.value > most.value)sql"},
    {"FLOP of aggregations", R"sql(
SELECT run_id, '', printf('table latest has aggregation_flop_per_epoch %.12g, and flop_per_epoch %.12g, of which it is a part',
  part.value, whole.value)
FROM latest AS part JOIN latest AS whole USING(run_id)
WHERE part.metric = 'aggregation_flop_per_epoch' AND whole.metric = 'flop_per_epoch'
  AND part.value > whole.value * (1 + 1e-9))sql"},
    {"hidden under computing", R"sql(
SELECT run_id, '', printf('table latest has hidden_share %.12g, and compute_share %.12g, of which it is a part',
  part.value, whole.value)
FROM latest AS part JOIN latest AS whole USING(run_id)
WHERE part.metric = 'hidden_share' AND whole.metric = 'compute_share'
  AND part.value > whole.value * (1 + 1e-9))sql"},
    {"figures below zero", R"sql(
SELECT run_id, '', printf('table latest has %s %.12g; 0 or more', metric, value)
FROM latest JOIN run ON run.id = run_id AND kind = 'training'
WHERE value < 0 AND (metric LIKE '%\_bytes' ESCAPE '\' OR metric LIKE '%\_seconds' ESCAPE '\'
  OR metric LIKE '%\_per\_epoch' ESCAPE '\' OR metric LIKE '%\_share' ESCAPE '\'))sql"},
    // on the run's clock, which starts when the workers have their shares
    {"begin of the run", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('begins at %d ns; 0 is when the workers were ready', begin_ns)
FROM epoch JOIN run ON run.id = run_id AND kind = 'training'
WHERE begin_ns < -coalesce((SELECT max(clock_uncertainty_ns) FROM worker WHERE worker.run_id = run.id), 0))sql"},
    // started_at and finished_at are in whole seconds, and of a clock that is set now and then
    {"end of the run", R"sql(
SELECT id, '', printf('its partition took %.3f s and its last epoch ended %.3f s after that; it went on from %s to %s',
  before, after, started_at, finished_at)
FROM (SELECT id, started_at, finished_at,
    strftime('%s', finished_at) - strftime('%s', started_at) AS took,
    coalesce((SELECT value FROM latest WHERE run_id = id AND metric = 'partition_seconds'), 0) AS before,
    1e-9 * (SELECT max(begin_ns + wall_ns) FROM epoch WHERE run_id = id) AS after
  FROM run WHERE kind = 'training' AND started_at <> '' AND finished_at <> '')
WHERE before + after > 1.001 * took + 1)sql"}};

}  // namespace

void checkBounds(Database& database, Findings& findings) { applyRules(database, kRules, findings); }

}  // namespace halo
