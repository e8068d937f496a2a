// The loss and the scores of epochs.
#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

constexpr Rule kRules[] = {{"score", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('%s is %s; a share from 0 to 1', name, value) FROM (
  SELECT run_id, epoch, 'train' AS name, train AS value FROM epoch
  UNION ALL SELECT run_id, epoch, 'valid', valid FROM epoch UNION ALL SELECT run_id, epoch, 'test', test FROM epoch)
WHERE value IS NOT NULL AND (typeof(value) NOT IN ('real', 'integer') OR value NOT BETWEEN 0 AND 1))sql"},
                           {"loss", R"sql(
SELECT run_id, printf('epoch %d', epoch),
  'the loss is no number; only the last epoch of a run that did not complete can have diverged'
FROM epoch JOIN run ON run.id = run_id
WHERE typeof(loss) NOT IN ('real', 'integer')
  AND (status = 'completed' OR epoch < (SELECT max(epoch) FROM epoch WHERE run_id = run.id)))sql"},
                           {"loss as a number", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('the loss is %s; 0 or more, and finite', loss)
FROM epoch WHERE typeof(loss) IN ('real', 'integer') AND (loss < 0 OR loss > 1.7976931348623157e308))sql"},
                           // A score that no epoch has: nobody is in that split. From the last update before
                           // a loss that is no number on, the model predicts nothing. Where it predicted
                           // nothing before, a parameter says so (lost_scores.h).
                           {"epochs with scores", R"sql(
WITH score AS (
  SELECT run_id, epoch, 'train' AS name, train AS value FROM epoch
  UNION ALL SELECT run_id, epoch, 'valid', valid FROM epoch UNION ALL SELECT run_id, epoch, 'test', test FROM epoch),
every AS (
  SELECT run_id, CAST(e.value AS INTEGER) AS n, CAST(t.value AS INTEGER) - 1 AS last FROM parameter AS e
  JOIN parameter AS t USING(run_id) JOIN run ON run.id = run_id AND kind = 'training'
  WHERE e.key = 'training.evaluate_every' AND t.key = 'training.epochs'),
diverged AS (SELECT run_id, epoch FROM epoch WHERE typeof(loss) NOT IN ('real', 'integer')),
due AS (SELECT run_id, epoch, name, value, n, n > 0 AND (epoch % n = 0 OR epoch = last) AS measured,
    count(value) OVER (PARTITION BY run_id, name) AS found
  FROM score JOIN every USING(run_id))
SELECT run_id, printf('epoch %d', epoch), CASE WHEN measured
  THEN printf('has no score %s, and others have; it is measured every %d epochs, and in the last', name, n)
  ELSE printf('has a score %s, and none is measured in it (training.evaluate_every is %d)', name, n) END
FROM due WHERE measured <> (value IS NOT NULL) AND found > 0
  AND NOT (value IS NULL AND EXISTS (SELECT 1 FROM diverged WHERE diverged.run_id = due.run_id
    AND diverged.epoch BETWEEN due.epoch AND due.epoch + 1))
  AND NOT (value IS NULL AND EXISTS (SELECT 1 FROM parameter WHERE parameter.run_id = due.run_id
    AND key = 'result.lost_score_epochs')))sql"}};

}  // namespace

void checkScores(Database& database, Findings& findings) { applyRules(database, kRules, findings); }

}  // namespace halo
