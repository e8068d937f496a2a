#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

// What a run must have by then. A training run that did not complete has its first epochs, each whole: what
// is recorded of an epoch is written in one transaction.
constexpr Rule kRules[] = {{"gap in epoch", R"sql(
SELECT run_id, '', CASE epoch - before WHEN 2 THEN printf('epoch %d is not in table epoch, later ones are', epoch - 1)
  ELSE printf('epochs %d to %d are not in table epoch, later ones are', before + 1, epoch - 1) END
FROM (SELECT run_id, epoch, lag(epoch, 1, -1) OVER (PARTITION BY run_id ORDER BY epoch) AS before FROM epoch)
WHERE epoch - before > 1)sql"},
                           {"number of epochs", R"sql(
SELECT id, '', printf('table epoch has %d rows; the run is %s and was to have %s (training.epochs)', epochs, status, value)
FROM (SELECT id, status, (SELECT count(*) FROM epoch WHERE run_id = run.id) AS epochs FROM run WHERE kind = 'training')
JOIN parameter ON run_id = id AND key = 'training.epochs'
WHERE epochs > CAST(value AS INTEGER) OR (status = 'completed' AND epochs <> CAST(value AS INTEGER)))sql"},
                           {"rows without epoch", R"sql(
SELECT run_id, printf('epoch %d', epoch), 'has rows in layer, waiting or message, and none in epoch' FROM (
  SELECT run_id, epoch FROM layer UNION SELECT run_id, epoch FROM message UNION SELECT run_id, epoch FROM waiting
  EXCEPT SELECT run_id, epoch FROM epoch))sql"},
                           {"workers in layer", R"sql(
SELECT id, printf('epoch %d', epoch), printf('table layer has rows of %d workers; the run has %d', found, workers)
FROM (SELECT run.id, epoch.epoch, workers, (SELECT count(DISTINCT rank) FROM layer
    WHERE layer.run_id = run.id AND layer.epoch = epoch.epoch) AS found
  FROM epoch JOIN run ON run.id = epoch.run_id WHERE kind = 'training')
WHERE found <> workers)sql"},
                           {"rows of worker", R"sql(
SELECT id, '', printf('table worker has %d rows; the run has %d workers', found, workers)
FROM (SELECT id, kind, status, workers, (SELECT count(*) FROM worker WHERE run_id = run.id) AS found,
    EXISTS(SELECT 1 FROM epoch WHERE run_id = run.id) AS began FROM run)
WHERE found <> workers AND (kind = 'training' AND (began OR found > 0 OR status = 'completed')
  OR kind = 'simulation' AND status = 'completed' AND NOT (found = 0 AND workers = 1)))sql"},
                           {"rows of latest", R"sql(
SELECT id, '', 'is completed and has nothing in table latest' FROM run
WHERE status = 'completed' AND NOT EXISTS(SELECT 1 FROM latest WHERE run_id = run.id))sql"},
                           {"artifacts", R"sql(
SELECT run.id, '', printf('is completed and has no artifact ''%s''', wanted)
FROM run, (SELECT 'weights' AS wanted UNION SELECT 'partition')
WHERE kind = 'training' AND status = 'completed'
  AND NOT EXISTS(SELECT 1 FROM artifact WHERE run_id = run.id AND artifact.name = wanted))sql"}};

}  // namespace

void checkCompleteness(Database& database, Findings& findings) { applyRules(database, kRules, findings); }

}  // namespace halo
