#include "engine/record/tables/read_back.h"

#include "engine/base/plain_text.h"

#include <array>

namespace halo {
namespace {

/// Every page that holds something of the run: of long bytes the last one leads over all the others.
constexpr std::array kWalks = {
    "SELECT total(length(substr(text, -1))) FROM experiment "
    "WHERE id = (SELECT experiment_id FROM run WHERE id = ?)",
    "SELECT total(length(substr(value, -1))) FROM parameter WHERE run_id = ?",
    "SELECT count(*) FROM latest WHERE run_id = ?",
    "SELECT count(*) FROM worker WHERE run_id = ?",
    "SELECT count(*) FROM epoch WHERE run_id = ?",
    "SELECT count(*) FROM layer WHERE run_id = ?",
    "SELECT count(*) FROM waiting WHERE run_id = ?",
    "SELECT count(*) FROM message WHERE run_id = ?",
    "SELECT count(*) FROM component WHERE run_id = ?",
    "SELECT count(*) FROM iteration WHERE run_id = ?",
    "SELECT count(*) FROM block WHERE run_id = ?",
    "SELECT count(*) FROM cache WHERE run_id = ?",
    "SELECT count(*) FROM actor WHERE run_id = ?",
    "SELECT count(*) FROM stage WHERE run_id = ?",
    "SELECT count(*) FROM decision WHERE run_id = ?",
    "SELECT total(length(substr(spans, -1))) FROM span_block WHERE run_id = ?",
    "SELECT total(length(substr(bytes, -1))) FROM artifact WHERE run_id = ?",
};

/// Throws RecordCut where pages do not fit each other. Beyond a size only the runs' own pages are looked at:
/// all of them would take longer than a run.
void requireWholePages(Database& database) {
  constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20;
  std::error_code unknown;
  if (std::filesystem::file_size(database.file(), unknown) > kLargest || unknown) return;
  Statement quickCheck(database, "PRAGMA quick_check(1)");
  if (quickCheck.step() && quickCheck.text(0) != "ok") throw recordCut(database.file(), quickCheck.text(0));
}

/// Throws RecordCut where the experiment of the run is gone.
void requireExperiment(Database& database, const RunRow& run) {
  Statement experiment(database,
                       "SELECT 1 FROM experiment WHERE id = (SELECT experiment_id FROM run WHERE id = ?)");
  if (run.experimentId != 0 && !experiment.bind(run.id).step())
    throw recordCut(database.file(), "the experiment of run " + std::to_string(run.id) + " is gone");
}

/// Throws RecordError where a page cannot be read.
void walk(Database& database, std::int64_t run) {
  for (const char* sql : kWalks) {
    Statement statement(database, sql);
    statement.bind(run).step();
  }
}

}  // namespace

RecordCut recordCut(const std::filesystem::path& file, const std::string& fault) {
  return RecordCut(onOneLine(file.string()) +
                   ": was cut or written over by another program while it was being written: " + fault +
                   "; see with `haloscope check` what is left of it");
}

void requireRecorded(Database& database, const RunRow& run) {
  database.requireInPlace();
  if (Runs(database).find(run.id)) requireReadBack(database.file(), {run});
}

void requireReadBack(const std::filesystem::path& file, const std::vector<RunRow>& runs) try {
  Database database(file, Access::readOnly);
  requireWholePages(database);
  for (const RunRow& run : runs) {
    const auto read = Runs(database).find(run.id);
    if (!read || read->status != run.status)
      throw recordCut(file, "run " + std::to_string(run.id) + " is not in it as it was recorded");
    requireExperiment(database, run);
    walk(database, run.id);
  }
} catch (const RecordUnusable&) {
  throw;
} catch (const RecordLocked&) {  // says nothing of what is in it
  throw;
} catch (const DiskFull&) {
  throw;
} catch (const RecordError& error) {
  throw recordCut(file, error.what());
}

}  // namespace halo
