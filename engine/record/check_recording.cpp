#include "engine/record/check_recording.h"

#include "engine/record/runs.h"
#include "engine/record/spans.h"

namespace halo {
namespace {

void checkFile(Database& database, std::vector<std::string>& findings) {
  if (const std::string said = database.integrity(); said != "ok") {
    const std::string file = database.file().string();
    findings.push_back("the file is damaged; save what can be read with: sqlite3 '" + file +
                       "' .recover | sqlite3 '" + file + ".recovered'. SQLite found: " + said);
  }
  Statement keys(database, "PRAGMA foreign_key_check");
  while (keys.step())
    findings.push_back("table " + keys.text(0) + ", row " + keys.text(1) + ": belongs to a row of " +
                       keys.text(2) + " that is not there");
}

std::string differs(const SpanBlockInfo& row, const std::vector<Span>& spans) {
  if (static_cast<std::int64_t>(spans.size()) != row.count)
    return "its row says " + std::to_string(row.count) + " spans, it holds " + std::to_string(spans.size());
  for (const Span& span : spans) {
    if (span.lane != row.lane)
      return "its row says lane " + std::string(text(row.lane)) + ", it holds another";
    if (span.beginNs < row.firstNs || span.endNs() > row.lastNs)
      return "it holds a span outside of the time its row says";
  }
  return {};
}

void checkSpans(Database& database, std::int64_t run, std::vector<std::string>& findings) {
  const Spans store(database);
  for (const SpanBlockInfo& row : store.blocks(run)) try {
      const std::string said = differs(row, store.load(row.id));
      if (!said.empty())
        findings.push_back("run " + std::to_string(run) + ", row " + std::to_string(row.id) +
                           " of span_block: " + said);
    } catch (const RecordError& error) {
      findings.push_back("run " + std::to_string(run) + ": " + error.what());
    }
}

std::string placeOf(const Statement& row) {
  return "run " + row.text(0) + ", epoch " + row.text(1) + ", layer " + row.text(2) + ", pass " + row.text(3);
}

void checkLedger(Database& database, std::vector<std::string>& findings) {
  // one group for each run, epoch, layer and pass that either table has
  Statement groups(database, R"sql(
SELECT run_id, epoch, layer, pass, sum(ledger), sum(counted), sum(entered), sum(sent) FROM (
  SELECT run_id, epoch, layer, pass, bytes AS ledger, 0 AS counted, messages AS entered, 0 AS sent FROM message
  UNION ALL SELECT run_id, epoch, layer, pass, 0, bytes_sent, 0, messages FROM layer)
GROUP BY run_id, epoch, layer, pass HAVING sum(ledger) <> sum(counted) OR sum(entered) <> sum(sent))sql");
  while (groups.step())
    for (const auto& [ledger, what] : {std::pair{4, "bytes"}, {6, "messages"}})
      if (groups.integer(ledger) != groups.integer(ledger + 1))
        findings.push_back(placeOf(groups) + ": the ledger has " + groups.text(ledger) + " " + what +
                           ", the counters have " + groups.text(ledger + 1));
}

/// What each worker sent each other one, by the method's closed form and as counted. Recordings of schema 1
/// have no predicted messages: NULL differs from nothing.
void checkPredictions(Database& database, std::vector<std::string>& findings) {
  // the bare columns are those of the row that has the smallest source
  Statement groups(database, R"sql(
SELECT run_id, epoch, layer, pass, count(*), min(source), target, bytes, predicted_bytes, messages,
  coalesce(predicted_messages, messages) FROM message
WHERE bytes <> predicted_bytes OR messages <> predicted_messages GROUP BY run_id, epoch, layer, pass)sql");
  while (groups.step())
    findings.push_back(placeOf(groups) + ": from worker " + groups.text(5) + " to " +
                       (groups.integer(6) < 0 ? std::string("all") : groups.text(6)) + " counted are " +
                       groups.text(7) + " bytes in " + groups.text(9) + " messages, predicted " +
                       groups.text(8) + " in " + groups.text(10) +
                       (groups.integer(4) == 1
                            ? ""
                            : " (and " + std::to_string(groups.integer(4) - 1) + " more that differ here)"));
}

}  // namespace

std::vector<std::string> checkRecording(Database& database) {
  std::vector<std::string> findings;
  const auto part = [&](auto check) {
    try {
      check();
    } catch (const RecordError& error) {
      findings.push_back(error.what());  // a damaged page: the other parts may still tell more
    }
  };
  part([&] { checkFile(database, findings); });
  part([&] { checkLedger(database, findings); });
  part([&] { checkPredictions(database, findings); });
  part([&] {
    for (const RunRow& run : Runs(database).all()) part([&] { checkSpans(database, run.id, findings); });
  });
  return findings;
}

}  // namespace halo
