#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

// Workers and layers that the run has not. A simulation's workers are the lanes of its timeline.
constexpr Rule kRules[] = {{"worker of layer", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s', epoch, layer, pass),
  printf('a row of layer is of worker %d; the run has %d, from 0', rank, workers)
FROM layer JOIN run ON run.id = run_id WHERE rank NOT BETWEEN 0 AND workers - 1)sql"},
                           {"worker of waiting", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s', epoch, layer, pass),
  printf('a row of waiting is of worker %d; the run has %d, from 0', rank, workers)
FROM waiting JOIN run ON run.id = run_id WHERE rank NOT BETWEEN 0 AND workers - 1)sql"},
                           {"worker of message", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s', epoch, layer, pass),
  printf('a row of message is from worker %d to %d; the run has %d, from 0 (to -1: to all)', source, target, workers)
FROM message JOIN run ON run.id = run_id
WHERE source NOT BETWEEN 0 AND workers - 1 OR target NOT BETWEEN -1 AND workers - 1)sql"},
                           {"message to oneself", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s', epoch, layer, pass),
  printf('worker %d sends %d bytes to itself; only what goes to others is counted', source, bytes)
FROM message WHERE source = target)sql"},
                           {"worker of worker", R"sql(
SELECT run_id, '', printf('a row of worker is of rank %d; the run has %d, from 0', rank, workers)
FROM worker JOIN run ON run.id = run_id WHERE rank NOT BETWEEN 0 AND workers - 1)sql"},
                           {"worker of span_block", R"sql(
SELECT run_id, '', printf('row %d of span_block is of worker %d; the run has %d, from 0', span_block.id, rank, workers)
FROM span_block JOIN run ON run.id = run_id WHERE rank NOT BETWEEN 0 AND workers - 1)sql"},
                           {"layer of the model", R"sql(
SELECT DISTINCT run_id, '', printf('there are rows of layer %d; the model has %s, from 0 (-1: none of them)', layer, value)
FROM (SELECT run_id, layer FROM layer UNION SELECT run_id, layer FROM message
  UNION SELECT run_id, layer FROM waiting UNION SELECT run_id, layer FROM block)
JOIN parameter USING(run_id) WHERE key = 'model.layers' AND layer NOT BETWEEN -1 AND CAST(value AS INTEGER) - 1)sql"}};

}  // namespace

void checkRanges(Database& database, Findings& findings) { applyRules(database, kRules, findings); }

}  // namespace halo
