// Training in mini-batches: tables iteration, block and cache.
#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

// Whole epochs are those that have a row in epoch; a run that was stopped may have iterations of one more.
constexpr Rule kAlways[] = {{"worker of block", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('a row of %s is of worker %d; the run has %d, from 0', origin, rank, workers)
FROM (SELECT run_id, epoch, rank, 'block' AS origin FROM block UNION ALL SELECT run_id, epoch, rank, 'cache' FROM cache)
JOIN run ON run.id = run_id WHERE rank NOT BETWEEN 0 AND workers - 1)sql"},
                            {"batches without epoch", R"sql(
SELECT run_id, printf('epoch %d', epoch), 'has rows in iteration, block or cache, and none in epoch' FROM (
  SELECT run_id, epoch FROM block UNION SELECT run_id, epoch FROM cache
  UNION SELECT run_id, epoch FROM iteration JOIN run ON run.id = run_id WHERE kind = 'training' AND (status = 'completed'
    OR epoch > 1 + coalesce((SELECT max(epoch) FROM epoch AS e WHERE e.run_id = iteration.run_id), -1))
  EXCEPT SELECT run_id, epoch FROM epoch))sql"},
                            {"rows of block", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('table block has %d rows; %d workers of %s layers make %d', found, workers,
  layers, workers * layers) FROM (
  SELECT e.run_id, e.epoch, workers, l.value AS layers,
    (SELECT count(*) FROM block AS b WHERE b.run_id = e.run_id AND b.epoch = e.epoch) AS found
  FROM epoch AS e JOIN run ON run.id = e.run_id
  JOIN parameter AS l ON l.run_id = e.run_id AND l.key = 'model.layers'
  JOIN parameter AS i ON i.run_id = e.run_id AND i.key = 'result.iterations_every')
WHERE found <> workers * layers)sql"},
                            {"time of iterations", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('its iterations take %d ns together, it took %d', took, wall_ns) FROM (
  SELECT run_id, epoch, sum(wall_ns) AS took FROM iteration GROUP BY run_id, epoch) JOIN epoch USING(run_id, epoch)
WHERE took > wall_ns)sql"},
                            {"order of iterations", R"sql(
SELECT run_id, printf('epoch %d, iteration %d', epoch, iteration),
  printf('begins at %d ns, before the one before it ended (%d ns)', begin_ns, ended)
FROM (SELECT run_id, epoch, iteration, begin_ns,
    lag(begin_ns + wall_ns) OVER (PARTITION BY run_id ORDER BY epoch, iteration) AS ended FROM iteration)
WHERE begin_ns < ended)sql"},
                            {"sources of block", R"sql(
SELECT run_id, printf('epoch %d, layer %d, worker %d', epoch, layer, rank),
  printf('its batches have %d sources and %d targets, which are the first of them', sources, targets)
FROM block WHERE sources < targets)sql"},
                            {"entries of block", R"sql(
SELECT run_id, printf('epoch %d, layer %d, worker %d', epoch, layer, rank),
  printf('has %d nonzeros; its %d arcs, and at most %d of targets themselves', nonzeros, arcs, targets)
FROM block WHERE nonzeros < arcs OR nonzeros > arcs + targets)sql"},
                            {"remote of block", R"sql(
SELECT run_id, printf('epoch %d, layer %d, worker %d', epoch, layer, rank),
  printf('others own %d of %d targets, %d of %d arcs, %d of %d sources', remote_targets, targets, remote_arcs, arcs,
    remote_sources, sources)
FROM block WHERE remote_targets > targets OR remote_arcs > arcs OR remote_sources > sources)sql"},
                            {"chain of blocks", R"sql(
SELECT run_id, printf('epoch %d, layer %d, worker %d', b.epoch, b.layer, b.rank),
  printf('has %d targets, %d of others; they are the sources of the next layer: %d, %d of others', b.targets,
    b.remote_targets, n.sources, n.remote_sources)
FROM block AS b JOIN block AS n USING(run_id, epoch, rank) JOIN run ON run.id = run_id
WHERE n.layer = b.layer + 1 AND method <> 'p2p-minibatch'
  AND (b.targets <> n.sources OR b.remote_targets <> n.remote_sources))sql"},
                            // that fetches others' rows for each layer
                            {"exchanged rows of blocks", R"sql(
SELECT run_id, printf('epoch %d, layer %d, worker %d', b.epoch, b.layer, b.rank),
  printf('has %d targets, %d of others; its own are those of layer 0, %d, and the sources that others do not own: %d',
    b.targets, b.remote_targets, f.targets, b.sources - b.remote_sources)
FROM block AS b JOIN block AS f USING(run_id, epoch, rank) JOIN run ON run.id = run_id
WHERE f.layer = 0 AND method = 'p2p-minibatch'
  AND (b.remote_targets <> 0 OR b.targets <> f.targets OR b.targets <> b.sources - b.remote_sources))sql"},
                            {"rows of cache", R"sql(
SELECT run_id, printf('epoch %d, worker %d', epoch, rank),
  printf('its cache has %d hits and %d misses; its batches read %d input rows', hits, misses, sources)
FROM cache JOIN block USING(run_id, epoch, rank) WHERE layer = 0 AND hits + misses <> sources)sql"},
                            {"expected hits", R"sql(
SELECT run_id, printf('epoch %d, worker %d', epoch, rank),
  printf('expected_hits is %.12g; from 0 to hits + misses, %d', expected_hits, hits + misses)
FROM cache WHERE NOT expected_hits BETWEEN 0 AND (hits + misses) * (1 + 1e-9))sql"},
                            {"missed bytes", R"sql(
SELECT run_id, printf('epoch %d, worker %d', epoch, rank),
  printf('%d misses of its cache have %d bytes; of rows of %d bytes these are %d', misses, missed_bytes, row, misses * row)
FROM (SELECT run_id, CAST(substr(orders.value, 17) AS INTEGER) * CAST(element.value AS INTEGER) AS row
  FROM parameter AS orders JOIN parameter AS element USING(run_id)
  WHERE orders.key = 'result.layer_orders' AND orders.value LIKE 'aggregate-first %' AND element.key = 'result.element_bytes')
JOIN cache USING(run_id) WHERE missed_bytes <> misses * row)sql"}};

// Of runs that record every iteration.
constexpr Rule kAll[] = {{"gap in iteration", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('iterations %d to %d are not in table iteration, later ones are',
  before + 1, iteration - 1)
FROM (SELECT run_id, epoch, iteration, lag(iteration, 1, -1) OVER (PARTITION BY run_id, epoch ORDER BY iteration) AS before
  FROM iteration)
JOIN parameter USING(run_id) WHERE key = 'result.iterations_every' AND value = '1' AND iteration - before > 1)sql"},
                         {"number of iterations", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('has %d iterations; iterations_per_epoch is %.12g', found, value)
FROM (SELECT e.run_id, e.epoch, (SELECT count(*) FROM iteration AS i WHERE i.run_id = e.run_id AND i.epoch = e.epoch) AS found
  FROM epoch AS e JOIN parameter AS p ON p.run_id = e.run_id AND p.key = 'result.iterations_every' AND p.value = '1')
JOIN latest USING(run_id) WHERE metric = 'iterations_per_epoch' AND found <> value)sql"},
                         {"seeds of an epoch", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('its iterations have %d seeds; %s vertices are trained on', seeds, trained)
FROM (SELECT i.run_id, i.epoch, sum(seeds) AS seeds,
    (SELECT value FROM parameter AS p WHERE p.run_id = i.run_id AND key = 'result.training_vertices') AS trained,
    (SELECT value FROM parameter AS p WHERE p.run_id = i.run_id AND key = 'run.drop_last') AS dropped
  FROM iteration AS i JOIN epoch USING(run_id, epoch) GROUP BY i.run_id, i.epoch)
JOIN parameter USING(run_id) WHERE key = 'result.iterations_every' AND value = '1'
  AND run_id NOT IN (SELECT run_id FROM parameter WHERE key = 'run.sampler' AND (value = '"uniform"' OR value LIKE '"saint-%'))
  AND (seeds > CAST(trained AS INTEGER) OR (coalesce(dropped, 'false') <> 'true' AND seeds < CAST(trained AS INTEGER))))sql"},
                         {"loss of iterations", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('its loss is %.12g, the mean of its iterations %.12g', loss, mean)
FROM (SELECT run_id, epoch, sum(seeds * loss) / sum(seeds) AS mean FROM iteration
    WHERE run_id NOT IN (SELECT run_id FROM parameter WHERE key = 'run.sampler' AND value LIKE '"saint-%') GROUP BY run_id, epoch
  UNION ALL SELECT run_id, epoch, sum(coalesce(loss, 0)) / count(*) FROM iteration
    WHERE run_id IN (SELECT run_id FROM parameter WHERE key = 'run.sampler' AND value LIKE '"saint-%') GROUP BY run_id, epoch)
JOIN epoch USING(run_id, epoch) JOIN parameter USING(run_id)
WHERE key = 'result.iterations_every' AND value = '1' AND abs(loss - mean) > 1e-9 * max(abs(loss), 1))sql"},
                         {"arcs of iterations", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('its iterations have %d arcs, its blocks %d', i.arcs, b.arcs)
FROM (SELECT run_id, epoch, sum(arcs) AS arcs FROM iteration GROUP BY run_id, epoch) AS i
JOIN (SELECT run_id, epoch, sum(arcs) AS arcs FROM block GROUP BY run_id, epoch) AS b USING(run_id, epoch)
JOIN parameter USING(run_id) WHERE key = 'result.iterations_every' AND value = '1' AND i.arcs <> b.arcs)sql"},
                         {"bytes of iterations", R"sql(
SELECT run_id, printf('epoch %d', epoch), printf('its iterations sent %d bytes in %d messages, the ledger has %d in %d',
  i.bytes, i.messages, m.bytes, m.messages)
FROM (SELECT run_id, epoch, sum(bytes_sent) AS bytes, sum(messages) AS messages FROM iteration GROUP BY run_id, epoch) AS i
JOIN epoch USING(run_id, epoch)
JOIN (SELECT e.run_id, e.epoch, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(messages), 0) AS messages
  FROM epoch AS e LEFT JOIN message USING(run_id, epoch) GROUP BY e.run_id, e.epoch) AS m USING(run_id, epoch)
JOIN parameter USING(run_id)
WHERE key = 'result.iterations_every' AND value = '1' AND (i.bytes <> m.bytes OR i.messages <> m.messages))sql"}};

// Of runs that record some.
constexpr Rule kSome[] = {{"recorded iterations", R"sql(
SELECT run_id, printf('epoch %d, iteration %d', epoch, iteration),
  CASE every.value WHEN '0' THEN 'is recorded, and none was to be' ELSE
    printf('is recorded; of %s iterations one is', every.value) END
FROM iteration JOIN parameter AS every USING(run_id) JOIN latest USING(run_id)
WHERE every.key = 'result.iterations_every' AND metric = 'iterations_per_epoch' AND (every.value = '0'
  OR (epoch * CAST(latest.value AS INTEGER) + iteration) % CAST(every.value AS INTEGER) <> 0))sql"}};

}  // namespace

void checkIterations(Database& database, Findings& findings) {
  for (const auto& rules :
       {std::span<const Rule>(kAlways), std::span<const Rule>(kAll), std::span<const Rule>(kSome)})
    applyRules(database, rules, findings);
}

}  // namespace halo
