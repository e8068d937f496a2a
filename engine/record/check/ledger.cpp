#include <array>

#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

std::string placeOf(const Statement& row) {
  return "epoch " + row.text(1) + ", layer " + row.text(2) + ", pass " + row.text(3);
}

/// A column of `message`, summed over what a worker sent, against its own of `layer`.
struct Pair {
  int ledger;
  const char* quantity;
  const char* counters;
};
constexpr std::array kPairs = {Pair{5, "bytes", "its counters have "},
                               Pair{7, "messages", "its counters have "},
                               Pair{9, "predicted bytes", "its row in layer has "},
                               Pair{11, "predicted messages", "its row in layer has "}};

void checkSums(Database& database, Findings& findings) {
  // one group for each run, epoch, layer, pass and worker that either table has
  Statement groups(database, R"sql(
SELECT run_id, epoch, layer, pass, worker, sum(a), sum(b), sum(c), sum(d), sum(e), sum(f), sum(g), sum(h) FROM (
  SELECT run_id, epoch, layer, pass, source AS worker, bytes AS a, 0 AS b, messages AS c, 0 AS d,
    predicted_bytes AS e, 0 AS f, coalesce(predicted_messages, 0) AS g, 0 AS h FROM message
  UNION ALL SELECT run_id, epoch, layer, pass, rank, 0, bytes_sent, 0, messages,
    0, predicted_bytes, 0, coalesce(predicted_messages, 0) FROM layer)
GROUP BY run_id, epoch, layer, pass, worker
HAVING sum(a) <> sum(b) OR sum(c) <> sum(d) OR sum(e) <> sum(f) OR sum(g) <> sum(h))sql");
  while (groups.step())
    for (const Pair& pair : kPairs)
      if (groups.text(pair.ledger) != groups.text(pair.ledger + 1))
        findings.add(std::string("ledger ") + pair.quantity, groups.integer(0), placeOf(groups),
                     "the ledger has " + groups.text(pair.ledger) + " " + pair.quantity + " of worker " +
                         groups.text(4) + ", " + pair.counters + groups.text(pair.ledger + 1));
}

/// What each worker sent each other one, by the method's closed form and as counted. Recordings of schema 1
/// have no predicted messages: NULL differs from nothing.
void checkPredictions(Database& database, Findings& findings) {
  // the bare columns are those of the row that has the smallest source
  Statement groups(database, R"sql(
SELECT run_id, epoch, layer, pass, count(*), min(source), target, bytes, predicted_bytes, messages,
  coalesce(predicted_messages, messages) FROM message
WHERE bytes <> predicted_bytes OR messages <> predicted_messages GROUP BY run_id, epoch, layer, pass)sql");
  while (groups.step())
    findings.add("prediction", groups.integer(0), placeOf(groups),
                 "from worker " + groups.text(5) + " to " +
                     (groups.integer(6) < 0 ? std::string("all") : groups.text(6)) + " counted are " +
                     groups.text(7) + " bytes in " + groups.text(9) + " messages, predicted " +
                     groups.text(8) + " in " + groups.text(10) +
                     (groups.integer(4) == 1
                          ? ""
                          : " (and " + std::to_string(groups.integer(4) - 1) + " more that differ here)"));
}

// A run has predicted messages throughout, or it was made by schema 1 and has none. Where all are gone,
// `latest` still tells (checkLatest).
constexpr Rule kRules[] = {{"unpredicted", R"sql(
SELECT run_id, '', printf('%d of %d rows of layer and message have no predicted messages; all have them, or none, of schema 1',
  count(*) - count(predicted), count(*)) FROM (
  SELECT run_id, predicted_messages AS predicted FROM layer
  UNION ALL SELECT run_id, predicted_messages FROM message)
GROUP BY run_id HAVING count(predicted) BETWEEN 1 AND count(*) - 1)sql"},
                           {"uncounted", R"sql(
SELECT run_id, printf('epoch %d, layer %d, pass %s', epoch, layer, pass),
  printf('from worker %d to %d there are %d bytes in no message', source, target, bytes)
FROM message WHERE messages = 0 AND bytes <> 0)sql"}};

}  // namespace

void checkLedger(Database& database, Findings& findings) {
  checkSums(database, findings);
  checkPredictions(database, findings);
  applyRules(database, kRules, findings);
}

}  // namespace halo
