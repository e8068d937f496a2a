#include "engine/record/tables/runs.h"

#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/host_name.h"
#include "engine/base/plain_text.h"
#include "engine/record/analysis/rest_share.h"
#include "engine/record/rows/lost_scores.h"
#include "engine/record/rows/resolved_keys.h"
#include "engine/record/tables/supervisor_process.h"

namespace halo {
namespace {

constexpr const char* kRunColumns =
    "id, experiment_id, name, kind, method, dataset, model, workers, seed, status, error, marks, started_at, "
    "finished_at, host, version, supervisor_pid, fingerprint, tags";
constexpr int kRunColumnCount = 19;

/// Table `run` with what is known of supervisors that ended before their runs.
constexpr const char* kInterruptedView = R"sql(
PRAGMA temp_store = MEMORY;
CREATE TEMP TABLE IF NOT EXISTS interrupted(id INTEGER PRIMARY KEY, supervisor INTEGER, why TEXT);
CREATE TEMP VIEW IF NOT EXISTS run AS SELECT
  r.id, experiment_id, name, kind, method, dataset, model, workers, seed,
  CASE WHEN why IS NULL THEN status ELSE 'interrupted' END AS status, coalesce(why, error) AS error,
  marks, started_at,
  CASE WHEN why IS NULL THEN finished_at ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END AS finished_at,
  host, version, supervisor_pid, fingerprint, tags
  FROM main.run r LEFT JOIN temp.interrupted i
  ON i.id = r.id AND i.supervisor = supervisor_pid AND status IN ('running', 'queued');
)sql";

std::string whyInterrupted(const RunRow& run) {
  return "its supervisor (process " + std::to_string(run.supervisorPid) +
         ") is gone, and did not record how the run ended; the epochs it had recorded are kept";
}

RunRow readRun(const Statement& row) {
  RunRow run;
  int c = 0;
  run.id = row.integer(c++);
  run.experimentId = row.integer(c++);
  for (std::string* text : {&run.name, &run.kind, &run.method, &run.dataset, &run.model})
    *text = row.text(c++);
  run.workers = row.integer(c++);
  run.seed = row.integer(c++);
  for (std::string* text :
       {&run.status, &run.error, &run.marks, &run.startedAt, &run.finishedAt, &run.host, &run.version})
    *text = row.text(c++);
  run.supervisorPid = row.integer(c++);
  run.fingerprint = row.text(c++);
  run.tags = row.text(c);
  return run;
}

/// Every column but the id.
void bindRun(Statement& statement, const RunRow& run) {
  if (run.experimentId == 0)
    statement.bindNull();
  else
    statement.bind(run.experimentId);
  statement.bind(run.name).bind(run.kind).bind(run.method).bind(run.dataset).bind(run.model);
  statement.bind(run.workers).bind(run.seed).bind(run.status).bind(run.error).bind(run.marks);
  statement.bind(run.startedAt).bind(run.finishedAt).bind(run.host).bind(run.version);
  statement.bind(run.supervisorPid).bind(run.fingerprint).bind(run.tags);
}

std::vector<RunRow> readRuns(Statement& statement) {
  std::vector<RunRow> runs;
  while (statement.step()) runs.push_back(readRun(statement));
  return runs;
}

/// SQLite keeps a value that is not a number as NULL.
double realOrNan(const Statement& row, int column) {
  return row.isNull(column) ? std::numeric_limits<double>::quiet_NaN() : row.real(column);
}

/// Whoever deletes its last run deletes an experiment; otherwise its row was lost.
[[noreturn]] void failWithout(Database& database, std::int64_t experiment) {
  const std::string where = onOneLine(database.file().string()),
                    which = "experiment " + std::to_string(experiment);
  if (experiment == 0)
    throw RecordDamaged(where +
                        " is damaged: a run names no experiment; `haloscope check` says what else is");
  Statement named(database, "SELECT id FROM run WHERE experiment_id = ?");
  if (!named.bind(experiment).step())
    throw RecordError(where + ": there is no " + which + "; its runs may have been deleted");
  throw RecordDamaged(where + " is damaged: " + which + " is missing, which run " +
                      std::to_string(named.integer(0)) + " names; `haloscope check` says what else is");
}

}  // namespace

std::int64_t Runs::addExperiment(const std::string& name, const std::string& text) {
  Statement insert(db_,
                   "INSERT INTO experiment(name, text, created_at) "
                   "VALUES(?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))");
  insert.bind(name).bind(text).step();
  return db_.lastId();
}

ExperimentRow Runs::experiment(std::int64_t id) const {
  Statement select(db_, "SELECT id, name, text, created_at FROM experiment WHERE id = ?");
  if (!select.bind(id).step()) failWithout(db_, id);
  return {select.integer(0), select.text(1), select.text(2), select.text(3)};
}

std::int64_t Runs::add(const RunRow& run) {
  Statement insert(
      db_,
      "INSERT INTO run(experiment_id, name, kind, method, dataset, model, workers, seed, status, "
      "error, marks, started_at, finished_at, host, version, supervisor_pid, fingerprint, tags) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  bindRun(insert, run);
  insert.step();
  return db_.lastId();
}

void Runs::update(const RunRow& run) {
  Statement update(
      db_,
      "UPDATE run SET experiment_id = ?, name = ?, kind = ?, method = ?, dataset = ?, model = ?, "
      "workers = ?, seed = ?, status = ?, error = ?, marks = ?, started_at = ?, finished_at = ?, "
      "host = ?, version = ?, supervisor_pid = ?, fingerprint = ?, tags = ? WHERE id = ?");
  bindRun(update, run);
  update.bind(run.id).step();
}

void Runs::setStatus(std::int64_t run, const std::string& status, const std::string& error) {
  const std::string reached = status == "running"  ? ", started_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
                              : status == "queued" ? ""
                                                   : ", finished_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";
  Statement update(db_, "UPDATE run SET status = ?, error = ?" + reached + " WHERE id = ?");
  update.bind(status).bind(error).bind(run).step();
}

std::vector<RunRow> Runs::all() const {
  Statement select(db_, std::string("SELECT ") + kRunColumns + " FROM run ORDER BY id");
  return readRuns(select);
}

std::optional<RunRow> Runs::find(std::int64_t id) const {
  Statement select(db_, std::string("SELECT ") + kRunColumns + " FROM run WHERE id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  return readRun(select);
}

std::vector<RunRow> Runs::ofFingerprint(const std::string& fingerprint) const {
  Statement select(db_, std::string("SELECT ") + kRunColumns +
                            " FROM run WHERE fingerprint = ? AND status = 'completed' ORDER BY id");
  select.bind(fingerprint);
  return readRuns(select);
}

void Runs::remove(std::int64_t run) {
  const auto row = find(run);
  if (!row) return;
  Statement remove(db_, "DELETE FROM run WHERE id = ?");
  remove.bind(run).step();
  // its experiment goes with the last run; one that has none yet belongs to a batch about to start
  Statement orphan(
      db_,
      "DELETE FROM experiment WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM run WHERE experiment_id = ?1)");
  orphan.bind(row->experimentId).step();
}

bool Runs::hasExperiment(std::int64_t id) const {
  Statement select(db_, "SELECT 1 FROM experiment WHERE id = ?");
  return select.bind(id).step();
}

void Runs::setTags(std::int64_t run, const std::string& tags) {
  Statement update(db_, "UPDATE run SET tags = ? WHERE id = ?");
  update.bind(tags).bind(run).step();
}

/// Whose supervisor ended before them.
std::vector<RunRow> Runs::dead(const std::string& host) const {
  Statement select(db_, std::string("SELECT ") + kRunColumns +
                            ", coalesce(strftime('%s', 'now') - strftime('%s', started_at), 0) FROM run "
                            "WHERE host = ? AND status IN ('running', 'queued') ORDER BY id");
  select.bind(host);
  std::vector<RunRow> dead;
  while (select.step()) {
    if (RunRow run = readRun(select); !supervises(run.supervisorPid, select.integer(kRunColumnCount)))
      dead.push_back(std::move(run));
  }
  return dead;
}

int Runs::markInterrupted(const std::string& host) {
  // no supervisor can tell how its run ended between the question and the answer
  Transaction transaction(db_);
  const std::vector<RunRow> runs = dead(host);
  for (const RunRow& run : runs) setStatus(run.id, "interrupted", whyInterrupted(run));
  transaction.commit();
  return static_cast<int>(runs.size());
}

int Runs::showInterrupted(const std::string& host) {
  const std::vector<RunRow> runs = dead(host);
  if (runs.empty()) return 0;
  const bool fixed = db_.isReadOnly() && !db_.detached();
  if (fixed) db_.execute("PRAGMA query_only = OFF");
  // what is temporary comes before what is in the file, and is this connection's alone
  db_.execute(kInterruptedView);
  Statement insert(db_, "INSERT OR REPLACE INTO temp.interrupted(id, supervisor, why) VALUES(?, ?, ?)");
  for (const RunRow& run : runs) {
    insert.bind(run.id).bind(run.supervisorPid).bind(whyInterrupted(run)).step();
    insert.reset();
  }
  if (fixed) db_.execute("PRAGMA query_only = ON");
  return static_cast<int>(runs.size());
}

std::map<std::string, std::string> withoutChance(std::map<std::string, std::string> parameters) {
  for (const char* key : {"training.seed", "training.repeat", kLostScoreEpochs}) parameters.erase(key);
  return parameters;
}

void requireWorkers(Database& database, std::int64_t run, std::int64_t claimed) {
  constexpr std::int64_t kMost = 65'536;
  const auto recorded = static_cast<std::int64_t>(Runs(database).workers(run).size());
  if (claimed >= 1 && claimed <= kMost && (recorded == 0 || claimed <= recorded)) return;
  throw RecordDamaged(onOneLine(database.file().string()) + " is damaged: run " + std::to_string(run) +
                      " claims " + std::to_string(claimed) + " workers, " + std::to_string(recorded) +
                      " are recorded");
}

std::unique_ptr<Database> openToShow(const std::filesystem::path& file) {
  auto database = std::make_unique<Database>(file, Access::readOnly);
  Runs(*database).showInterrupted(hostName());
  return database;
}

void Runs::setParameters(std::int64_t run, const std::map<std::string, std::string>& values) {
  Statement insert(db_, "INSERT OR REPLACE INTO parameter(run_id, key, value) VALUES(?, ?, ?)");
  for (const auto& [key, value] : values) {
    insert.bind(run).bind(key).bind(value).step();
    insert.reset();
  }
}

std::map<std::string, std::string> Runs::parameters(std::int64_t run) const {
  Statement select(db_, "SELECT key, value FROM parameter WHERE run_id = ?");
  select.bind(run);
  std::map<std::string, std::string> values;
  while (select.step()) values.emplace(select.text(0), select.text(1));
  return values;
}

std::map<std::string, std::string> Runs::parameters(std::int64_t run,
                                                    std::span<const std::string_view> sections) const {
  Statement select(db_, "SELECT key, value FROM parameter WHERE run_id = ? AND key >= ? AND key < ?");
  std::map<std::string, std::string> values;
  for (const std::string_view section : sections) {
    select.bind(run).bind(std::string(section) + '.').bind(std::string(section) + '/');  // / follows .
    while (select.step())
      if (std::string key = select.text(0); !key.ends_with(".source"))
        values.emplace(std::move(key), select.text(1));
    select.reset();
  }
  return values;
}

// Always with both keys of layer 0's aggregate: each tells what a run means that lacks the other.
std::map<std::int64_t, std::map<std::string, std::string>> Runs::unlikeParameters() const {
  Statement select(db_, R"sql(
SELECT run_id, key, value FROM parameter WHERE key IN (?, 'run.layer0_cache') OR key IN (
  SELECT key FROM parameter GROUP BY key
  HAVING count(*) < (SELECT count(*) FROM run) OR min(value) <> max(value)))sql");
  select.bind(kKeepsLayer0);
  std::map<std::int64_t, std::map<std::string, std::string>> runs;
  while (select.step()) runs[select.integer(0)].emplace(select.text(1), select.text(2));
  return runs;
}

bool Runs::anyHas(const std::string& key) const {
  Statement select(db_, "SELECT 1 FROM parameter WHERE key = ? LIMIT 1");
  return select.bind(key).step();
}

void Runs::setLatest(std::int64_t run, const std::map<std::string, double>& metrics) {
  Statement insert(db_, "INSERT OR REPLACE INTO latest(run_id, metric, value) VALUES(?, ?, ?)");
  for (const auto& [metric, value] : metrics) {
    insert.bind(run).bind(metric).bind(value).step();
    insert.reset();
  }
}

std::map<std::string, double> Runs::latest(std::int64_t run) const {
  Statement select(db_, "SELECT metric, value FROM latest WHERE run_id = ?");
  select.bind(run);
  std::map<std::string, double> metrics;
  while (select.step()) metrics.emplace(select.text(0), realOrNan(select, 1));
  nameRest(metrics);
  return metrics;
}

std::map<std::int64_t, std::map<std::string, double>> Runs::latestOfAll() const {
  Statement select(db_, "SELECT run_id, metric, value FROM latest ORDER BY run_id, metric");
  std::map<std::int64_t, std::map<std::string, double>> runs;
  auto at = runs.end();
  while (select.step()) {
    if (at == runs.end() || at->first != select.integer(0))
      at = runs.try_emplace(runs.end(), select.integer(0));
    at->second.emplace_hint(at->second.end(), select.text(1), realOrNan(select, 2));
  }
  for (auto& [run, metrics] : runs) nameRest(metrics);
  return runs;
}

void Runs::setWorkers(std::int64_t run, const std::vector<WorkerRow>& workers) {
  Statement insert(
      db_,
      "INSERT OR REPLACE INTO worker(run_id, rank, host, role, threads, vertices, boundary, remote, "
      "nonzeros, feature_bytes, peak_rss_bytes, clock_offset_ns, clock_uncertainty_ns, "
      "dropped_spans) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const WorkerRow& w : workers) {
    insert.bind(run).bind(w.rank).bind(w.host).bind(w.role).bind(w.threads).bind(w.vertices).bind(w.boundary);
    insert.bind(w.remote).bind(w.nonzeros).bind(w.featureBytes).bind(w.peakRssBytes).bind(w.clockOffsetNs);
    insert.bind(w.clockUncertaintyNs).bind(w.droppedSpans).step();
    insert.reset();
  }
}

std::vector<WorkerRow> Runs::workers(std::int64_t run) const {
  Statement select(db_,
                   "SELECT rank, host, role, threads, vertices, boundary, remote, nonzeros, feature_bytes, "
                   "peak_rss_bytes, clock_offset_ns, clock_uncertainty_ns, dropped_spans "
                   "FROM worker WHERE run_id = ? ORDER BY rank");
  select.bind(run);
  std::vector<WorkerRow> workers;
  while (select.step()) {
    WorkerRow w;
    w.rank = select.integer(0);
    w.host = select.text(1);
    w.role = select.text(2);
    int c = 3;
    for (std::int64_t* value : {&w.threads, &w.vertices, &w.boundary, &w.remote, &w.nonzeros, &w.featureBytes,
                                &w.peakRssBytes, &w.clockOffsetNs, &w.clockUncertaintyNs, &w.droppedSpans})
      *value = select.integer(c++);
    workers.push_back(std::move(w));
  }
  return workers;
}

void Runs::addArtifact(std::int64_t run, const ArtifactRow& artifact) {
  Statement insert(db_,
                   "INSERT OR REPLACE INTO artifact(run_id, name, media_type, bytes) VALUES(?, ?, ?, ?)");
  insert.bind(run).bind(artifact.name).bind(artifact.mediaType).bindBlob(artifact.bytes).step();
}

void Runs::dropArtifact(std::int64_t run, const std::string& name) {
  Statement remove(db_, "DELETE FROM artifact WHERE run_id = ? AND name = ?");
  remove.bind(run).bind(name).step();
}

std::optional<ArtifactRow> Runs::artifact(std::int64_t run, const std::string& name) const {
  Statement select(db_, "SELECT name, media_type, bytes FROM artifact WHERE run_id = ? AND name = ?");
  if (!select.bind(run).bind(name).step()) return std::nullopt;
  return ArtifactRow{select.text(0), select.text(1), select.text(2)};
}

std::vector<std::string> Runs::artifactNames(std::int64_t run) const {
  Statement select(db_, "SELECT name FROM artifact WHERE run_id = ? ORDER BY name");
  select.bind(run);
  std::vector<std::string> names;
  while (select.step()) names.push_back(select.text(0));
  return names;
}

}  // namespace halo
