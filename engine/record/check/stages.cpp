// Runs with several actors: tables actor and stage.
#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

constexpr Rule kActors[] = {{"worker of actor", R"sql(
SELECT run_id, printf('actor %d', actor), printf('is of worker %d; the run has %d, from 0', rank, workers)
FROM actor JOIN run ON run.id = run_id WHERE rank NOT BETWEEN 0 AND workers - 1)sql"},
                            {"actor of stage", R"sql(
SELECT DISTINCT run_id, printf('epoch %d, iteration %d, %s', epoch, iteration, stage),
  printf('is of actor %d, which is not in table actor', actor)
FROM stage WHERE NOT EXISTS(SELECT 1 FROM actor AS a WHERE a.run_id = stage.run_id AND a.actor = stage.actor))sql"},
                            {"actor of span_block", R"sql(
SELECT run_id, printf('row %d of span_block', id),
  CASE WHEN owner IS NULL THEN printf('is of actor %d, which is not in table actor', actor)
    ELSE printf('is of actor %d and worker %d; the actor is of worker %d', actor, rank, owner) END
FROM (SELECT b.run_id, b.id, b.actor, b.rank,
    (SELECT rank FROM actor AS a WHERE a.run_id = b.run_id AND a.actor = b.actor) AS owner
  FROM span_block AS b WHERE b.actor IS NOT NULL)
WHERE owner IS NULL OR owner <> rank)sql"},
                            // a simulation is marked as one
                            {"mark of modelled devices", R"sql(
SELECT id, '', CASE WHEN models THEN 'has modelled actors, and is not marked ''modelled devices'''
  ELSE 'is marked ''modelled devices'', and no actor is modelled' END
FROM (SELECT id, marks, EXISTS(SELECT 1 FROM actor WHERE run_id = run.id AND device = 'modelled') AS models,
    EXISTS(SELECT 1 FROM actor WHERE run_id = run.id) AS acts
  FROM run WHERE kind = 'training')
WHERE models <> (instr(', ' || marks || ',', ', modelled devices,') > 0) AND (models OR acts))sql"}};

// The order of the stages; of no stage NULL.
#define HALO_STAGE_NUMBER                                                                                   \
  "CASE stage WHEN 'sample' THEN 0 WHEN 'load' THEN 1 WHEN 'transfer' THEN 2 WHEN 'propagate' THEN 3 ELSE " \
  "4 END"

constexpr Rule kStages[] = {{"stage without iteration", R"sql(
SELECT DISTINCT run_id, printf('epoch %d, iteration %d', epoch, iteration), 'has rows in stage, and none in iteration'
FROM stage LEFT JOIN iteration USING(run_id, epoch, iteration) WHERE iteration.seeds IS NULL)sql"},
                            // a batch may be in two stages at once, of two trainers
                            {"order of stages", R"sql(
SELECT run_id, printf('epoch %d, iteration %d', epoch, iteration), CASE WHEN begin_ns < begun
  THEN printf('its stage %s begins at %d ns, before stage %s (%d ns)', stage, begin_ns, earlier, begun)
  ELSE printf('its stage %s ends at %d ns, before stage %s (%d ns)', stage, end_ns, earlier, ended) END
FROM (SELECT *, lag(stage) OVER batch AS earlier, lag(begin_ns) OVER batch AS begun, lag(end_ns) OVER batch AS ended
  FROM (SELECT run_id, epoch, iteration, stage, min(begin_ns) AS begin_ns, max(begin_ns + busy_ns) AS end_ns,
      )sql" HALO_STAGE_NUMBER R"sql( AS number
    FROM stage GROUP BY run_id, epoch, iteration, stage)
  WINDOW batch AS (PARTITION BY run_id, epoch, iteration ORDER BY number))
WHERE begin_ns < begun OR end_ns < ended)sql"},
                            {"batches of an actor", R"sql(
SELECT run_id, printf('epoch %d, iteration %d, %s of actor %d', epoch, iteration, stage, actor),
  printf('begins at %d ns; its batch before it was busy and waited until %d ns', begin_ns, until)
FROM (SELECT run_id, epoch, iteration, stage, actor, begin_ns,
    lag(begin_ns + busy_ns + wait_ns) OVER (PARTITION BY run_id, actor, stage ORDER BY epoch, iteration) AS until FROM stage)
WHERE begin_ns < until)sql"},
                            // 2 %: sleeps end a little late
                            {"dilated iterations", R"sql(
SELECT run_id, printf('epoch %d, iteration %d', epoch, iteration),
  printf('took %d ns; its modelled %d ns times the dilation %s make %d', wall_ns, modelled_ns, dilation,
    CAST(round(modelled_ns * dilation) AS INTEGER))
FROM (SELECT i.*, CAST(d.value AS REAL) AS dilation FROM iteration AS i
  JOIN parameter AS d ON d.run_id = i.run_id AND d.key = 'result.dilation'
  JOIN parameter AS c ON c.run_id = i.run_id AND c.key = 'run.clock' AND c.value = '"real"')
WHERE abs(wall_ns - modelled_ns * dilation) > 0.02 * modelled_ns * dilation)sql"}};

#undef HALO_STAGE_NUMBER

}  // namespace

void checkStages(Database& database, Findings& findings) {
  applyRules(database, kActors, findings);
  applyRules(database, kStages, findings);
}

}  // namespace halo
