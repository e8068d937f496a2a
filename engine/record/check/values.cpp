#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

constexpr Rule kRules[] = {
    // the recorder works beside the epochs, and on tiny ones for longer than they take
    {"shares", R"sql(
SELECT run_id, '', printf('table latest has %s %s; a share from 0 to 1', metric, value)
FROM latest WHERE (metric LIKE '%\_share' ESCAPE '\' OR metric LIKE '%\_idle' ESCAPE '\')
  AND metric <> 'recorder_share' AND NOT value BETWEEN 0 AND 1)sql"},
    {"order of epochs", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('begins at %d ns, before the epoch before it (%d ns)', begin_ns, before)
FROM (SELECT run_id, epoch, begin_ns, lag(begin_ns) OVER (PARTITION BY run_id ORDER BY epoch) AS before FROM epoch)
WHERE begin_ns < before)sql"},
    // A worker does one thing at a time, unless it has actors, whose clock may be virtual too. CPU time is of
    // one thread, so `threads` of them bound it amply. One in a hundred and a millisecond are for clocks that
    // are read one after the other.
    {"time of a worker", R"sql(
SELECT run_id, printf('epoch %d, worker %d', epoch, rank),
  printf('it computed, waited and coded for %d ns, the epoch took the slowest worker %d', busy, wall_ns) FROM (
  SELECT run_id, epoch, rank, sum(aggregate_ns + update_ns + activation_ns + loss_ns + optimizer_ns + sample_ns +
    gather_ns + exchange_wait_ns + synchronise_ns + quantise_ns) AS busy FROM layer GROUP BY run_id, epoch, rank)
JOIN epoch USING(run_id, epoch) WHERE busy > 1.01 * wall_ns + 1000000 AND run_id NOT IN (SELECT run_id FROM actor))sql"},
    {"CPU time of a worker", R"sql(
SELECT run_id, printf('epoch %d, worker %d', epoch, rank),
  printf('it computed for %d ns of CPU time on %d threads, the epoch took the slowest worker %d', cpu, threads, wall_ns)
FROM (SELECT run_id, epoch, rank, sum(cpu_ns) AS cpu FROM layer GROUP BY run_id, epoch, rank)
JOIN epoch USING(run_id, epoch) JOIN worker USING(run_id, rank)
WHERE cpu > 1.01 * wall_ns * threads + 1000000 AND run_id NOT IN (SELECT run_id FROM actor))sql"},
    {"threads", R"sql(
SELECT run_id, printf('worker %d', rank), printf('has %d threads; cluster.threads is %s', threads, value)
FROM worker JOIN parameter USING(run_id) JOIN run ON run.id = run_id AND kind = 'training'
WHERE key = 'cluster.threads' AND CAST(value AS INTEGER) > 0 AND threads <> CAST(value AS INTEGER))sql"},
    {"quantise_bytes", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s, worker %d', epoch, layer, pass, rank),
  CASE WHEN quantise_bytes > bytes_sent
    THEN printf('quantise_bytes is %d, and it sent %d bytes, of which they are a part', quantise_bytes, bytes_sent)
    ELSE printf('quantise_bytes is %d, and no time went into coding (quantise_ns)', quantise_bytes) END
FROM layer WHERE quantise_bytes > bytes_sent OR (quantise_bytes > 0 AND quantise_ns = 0))sql"},
    {"staleness", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s, worker %d', epoch, layer, pass, rank),
  printf('staleness_absolute is %s and staleness_relative %s; both are norms of 0 or more, or both NULL',
    quote(staleness_absolute), quote(staleness_relative))
FROM layer WHERE (staleness_absolute IS NULL) <> (staleness_relative IS NULL)
  OR typeof(staleness_absolute) NOT IN ('real', 'integer', 'null') OR staleness_absolute < 0
  OR typeof(staleness_relative) NOT IN ('real', 'integer', 'null') OR staleness_relative < 0)sql"},
    {"cosine of staleness", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s, worker %d', epoch, layer, pass, rank),
  printf('staleness_cosine is %s; from -1 to 1, or NULL', quote(staleness_cosine))
FROM layer WHERE typeof(staleness_cosine) NOT IN ('real', 'integer', 'null') OR staleness_cosine NOT BETWEEN -1 AND 1)sql"},
    {"age of staleness", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s, worker %d', epoch, layer, pass, rank),
  printf('staleness_age is %s; epochs, 0 or more, or NULL', quote(staleness_age))
FROM layer WHERE typeof(staleness_age) NOT IN ('real', 'integer', 'null') OR staleness_age < 0)sql"},
    {"epochs with staleness", R"sql(
SELECT DISTINCT run_id, printf('epoch %d', epoch), printf('has a staleness, which is measured every %s epochs', value)
FROM layer JOIN parameter USING(run_id) WHERE key = 'record.staleness' AND staleness_absolute IS NOT NULL
  AND (CAST(value AS INTEGER) = 0 OR epoch % CAST(value AS INTEGER) <> 0))sql"},
    {"staleness of some workers", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s', epoch, layer, pass),
  printf('%d of its %d workers have a staleness; all or none do', found, ranks)
FROM (SELECT run_id, epoch, layer, pass, count(staleness_absolute) AS found, count(*) AS ranks FROM layer
  GROUP BY run_id, epoch, layer, pass) JOIN run ON run.id = run_id
WHERE found > 0 AND found < ranks AND status = 'completed')sql"},
    {"energy", R"sql(
SELECT run_id, printf('%s, %s', device, component), printf('energy_pj is %s; 0 or more', quote(energy_pj))
FROM component WHERE typeof(energy_pj) NOT IN ('real', 'integer') OR energy_pj < 0)sql"}};

void noteDroppedSpans(Database& database, Findings& findings) {
  Statement dropped(
      database,
      "SELECT run_id, sum(dropped_spans) FROM worker GROUP BY run_id HAVING sum(dropped_spans) > 0");
  while (dropped.step())
    findings.addNote(dropped.integer(0),
                     dropped.text(1) +
                         " spans did not fit the workers' rings (worker.dropped_spans): its "
                         "timeline and times are that much short");
}

}  // namespace

void checkValues(Database& database, Findings& findings) {
  applyRules(database, kRules, findings);
  noteDroppedSpans(database, findings);
}

}  // namespace halo
