#include "engine/record/database/schema.h"

#include "engine/base/plain_text.h"
#include "engine/record/trace/span.h"

namespace halo {
namespace {

// Explained table by table in resources/manual/reference/recording/tables.md.
constexpr const char* kTables = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE span_kind(kind INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE span_name(name INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE experiment(id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE run(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment_id INTEGER REFERENCES experiment(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('training', 'simulation', 'projection')),
  method TEXT NOT NULL, dataset TEXT NOT NULL, model TEXT NOT NULL,
  workers INTEGER NOT NULL, seed INTEGER NOT NULL,
  status TEXT NOT NULL
    CHECK(status IN ('queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted')),
  error TEXT NOT NULL, marks TEXT NOT NULL, started_at TEXT NOT NULL, finished_at TEXT NOT NULL,
  host TEXT NOT NULL, version TEXT NOT NULL, supervisor_pid INTEGER NOT NULL,
  fingerprint TEXT NOT NULL, tags TEXT NOT NULL);
CREATE INDEX run_experiment ON run(experiment_id);
CREATE INDEX run_fingerprint ON run(fingerprint);
CREATE TABLE parameter(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(run_id, key)) WITHOUT ROWID;
CREATE TABLE latest(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  metric TEXT NOT NULL, value REAL, PRIMARY KEY(run_id, metric)) WITHOUT ROWID;
CREATE TABLE worker(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL, host TEXT NOT NULL, role TEXT NOT NULL, threads INTEGER NOT NULL,
  vertices INTEGER NOT NULL, boundary INTEGER NOT NULL, remote INTEGER NOT NULL, nonzeros INTEGER NOT NULL,
  feature_bytes INTEGER NOT NULL, peak_rss_bytes INTEGER NOT NULL,
  clock_offset_ns INTEGER NOT NULL, clock_uncertainty_ns INTEGER NOT NULL, dropped_spans INTEGER NOT NULL,
  PRIMARY KEY(run_id, rank)) WITHOUT ROWID;
CREATE TABLE epoch(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, begin_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL,
  loss REAL, train REAL, valid REAL, test REAL,
  filling INTEGER NOT NULL DEFAULT 0 CHECK(filling IN (0, 1)), PRIMARY KEY(run_id, epoch)) WITHOUT ROWID;
CREATE TABLE layer(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, rank INTEGER NOT NULL, layer INTEGER NOT NULL,
  pass TEXT NOT NULL CHECK(pass IN ('none', 'forward', 'backward')),
  aggregate_ns INTEGER NOT NULL, update_ns INTEGER NOT NULL, activation_ns INTEGER NOT NULL,
  loss_ns INTEGER NOT NULL, optimizer_ns INTEGER NOT NULL, sample_ns INTEGER NOT NULL, gather_ns INTEGER NOT NULL,
  cpu_ns INTEGER NOT NULL, communication_ns INTEGER NOT NULL, exchange_wait_ns INTEGER NOT NULL,
  synchronise_ns INTEGER NOT NULL, quantise_ns INTEGER NOT NULL,
  bytes_sent INTEGER NOT NULL, quantise_bytes INTEGER NOT NULL, messages INTEGER NOT NULL,
  predicted_bytes INTEGER NOT NULL, flop INTEGER NOT NULL,
  staleness_absolute REAL, staleness_relative REAL, predicted_messages INTEGER,
  staleness_cosine REAL, staleness_age REAL,
  PRIMARY KEY(run_id, epoch, rank, layer, pass)) WITHOUT ROWID;
CREATE TABLE waiting(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, rank INTEGER NOT NULL, layer INTEGER NOT NULL,
  pass TEXT NOT NULL CHECK(pass IN ('none', 'forward', 'backward')),
  late_sender_ns INTEGER NOT NULL, late_receiver_ns INTEGER NOT NULL, wire_ns INTEGER NOT NULL,
  queue_ns INTEGER NOT NULL, peer_computes_ns INTEGER NOT NULL, barrier_or_sum_ns INTEGER NOT NULL,
  quantiser_ns INTEGER NOT NULL, memory_ns INTEGER NOT NULL, unknown_ns INTEGER NOT NULL,
  PRIMARY KEY(run_id, epoch, rank, layer, pass)) WITHOUT ROWID;
CREATE TABLE span_block(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL, lane TEXT NOT NULL CHECK(lane IN ('main', 'link', 'phase', 'wait', 'message')),
  first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, count INTEGER NOT NULL, spans BLOB NOT NULL);
CREATE INDEX span_block_run ON span_block(run_id, id);
CREATE TABLE message(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, layer INTEGER NOT NULL,
  pass TEXT NOT NULL CHECK(pass IN ('none', 'forward', 'backward')),
  source INTEGER NOT NULL, target INTEGER NOT NULL,
  messages INTEGER NOT NULL, bytes INTEGER NOT NULL, predicted_bytes INTEGER NOT NULL,
  predicted_messages INTEGER,
  PRIMARY KEY(run_id, epoch, layer, pass, source, target)) WITHOUT ROWID;
CREATE TABLE artifact(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  name TEXT NOT NULL, media_type TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE(run_id, name));
CREATE TABLE component(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  device TEXT NOT NULL, component TEXT NOT NULL,
  busy_cycles INTEGER NOT NULL, stall_cycles INTEGER NOT NULL, bytes INTEGER NOT NULL, energy_pj REAL NOT NULL,
  PRIMARY KEY(run_id, device, component)) WITHOUT ROWID;
)sql";

// Of training in mini-batches, new in schema 6.
constexpr const char* kBatchTables = R"sql(
CREATE TABLE iteration(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, iteration INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL, modelled_ns INTEGER, loss REAL,
  seeds INTEGER NOT NULL, arcs INTEGER NOT NULL, bytes_sent INTEGER NOT NULL, messages INTEGER NOT NULL,
  PRIMARY KEY(run_id, epoch, iteration)) WITHOUT ROWID;
CREATE TABLE block(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, rank INTEGER NOT NULL, layer INTEGER NOT NULL,
  targets INTEGER NOT NULL, sources INTEGER NOT NULL, arcs INTEGER NOT NULL, nonzeros INTEGER NOT NULL,
  remote_targets INTEGER NOT NULL, remote_arcs INTEGER NOT NULL, remote_sources INTEGER NOT NULL,
  sample_cpu_ns INTEGER NOT NULL,
  PRIMARY KEY(run_id, epoch, rank, layer)) WITHOUT ROWID;
CREATE TABLE cache(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, rank INTEGER NOT NULL,
  capacity_rows INTEGER NOT NULL, hits INTEGER NOT NULL, misses INTEGER NOT NULL,
  missed_bytes INTEGER NOT NULL, expected_hits REAL NOT NULL,
  PRIMARY KEY(run_id, epoch, rank)) WITHOUT ROWID;
)sql";

// Of runs whose rank trains with several actors, new in schema 7.
constexpr const char* kHybridSteps = R"sql(
CREATE TABLE actor(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  actor INTEGER NOT NULL, rank INTEGER NOT NULL, name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('runtime', 'sampler', 'loader', 'link', 'trainer', 'synchroniser')),
  device TEXT NOT NULL CHECK(device IN ('host', 'modelled', 'opencl')),
  PRIMARY KEY(run_id, actor)) WITHOUT ROWID;
CREATE TABLE stage(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, iteration INTEGER NOT NULL,
  stage TEXT NOT NULL CHECK(stage IN ('sample', 'load', 'transfer', 'propagate', 'synchronise')),
  actor INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, busy_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL,
  modelled_ns INTEGER, planned_ns INTEGER, planned_end_ns INTEGER, predicted_ns INTEGER,
  bytes INTEGER NOT NULL, queued INTEGER NOT NULL,
  PRIMARY KEY(run_id, epoch, iteration, stage, actor)) WITHOUT ROWID;
CREATE TABLE decision(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  decision INTEGER NOT NULL, epoch INTEGER NOT NULL, iteration INTEGER NOT NULL,
  action TEXT NOT NULL CHECK(action IN ('start', 'work', 'step', 'threads', 'sampling', 'rest')),
  taken_from TEXT NOT NULL CHECK(taken_from IN ('', 'cpu', 'cards', 'sample', 'load', 'train')),
  given_to TEXT NOT NULL CHECK(given_to IN ('', 'cpu', 'cards', 'sample', 'load', 'train')),
  cpu_seeds INTEGER NOT NULL, card_seeds INTEGER NOT NULL,
  sample_threads INTEGER NOT NULL, load_threads INTEGER NOT NULL, train_threads INTEGER NOT NULL,
  card_sample_share REAL NOT NULL, before_ns INTEGER, after_ns INTEGER,
  outcome TEXT NOT NULL CHECK(outcome IN ('open', 'kept', 'undone', 'rest')),
  PRIMARY KEY(run_id, decision)) WITHOUT ROWID;
ALTER TABLE span_block ADD COLUMN actor INTEGER;
)sql";

// What was called exposed was all waiting in exchanges. Lanes were added, which a CHECK constraint names.
// SQLite changes no constraint in place, and a copy of the table would take the space of all spans. Its
// manual describes this way (lang_altertable): the text alone is changed, and no row breaks the wider
// constraint.
constexpr const char* kWaitingSteps = R"sql(
ALTER TABLE layer RENAME COLUMN exposed_ns TO exchange_wait_ns;
UPDATE latest SET metric = 'exchange_wait_share' WHERE metric = 'exposed_share';
CREATE TABLE waiting(
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL, rank INTEGER NOT NULL, layer INTEGER NOT NULL,
  pass TEXT NOT NULL CHECK(pass IN ('none', 'forward', 'backward')),
  late_sender_ns INTEGER NOT NULL, late_receiver_ns INTEGER NOT NULL, wire_ns INTEGER NOT NULL,
  queue_ns INTEGER NOT NULL, peer_computes_ns INTEGER NOT NULL, barrier_or_sum_ns INTEGER NOT NULL,
  quantiser_ns INTEGER NOT NULL, memory_ns INTEGER NOT NULL, unknown_ns INTEGER NOT NULL,
  PRIMARY KEY(run_id, epoch, rank, layer, pass)) WITHOUT ROWID;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '(''main'', ''link'', ''phase'')',
    '(''main'', ''link'', ''phase'', ''wait'', ''message'')') WHERE type = 'table' AND name = 'span_block';
PRAGMA writable_schema = RESET;
)sql";

// Devices of actors were added; as above.
constexpr const char* kDeviceSteps = R"sql(
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '(''host'', ''modelled'')', '(''host'', ''modelled'', ''opencl'')')
    WHERE type = 'table' AND name = 'actor';
PRAGMA writable_schema = RESET;
)sql";

void setVersion(Database& database, std::int64_t version) {
  database.execute("PRAGMA user_version = " + std::to_string(version));
  Statement meta(database, "INSERT OR REPLACE INTO meta(key, value) VALUES('schema version', ?)");
  meta.bind(std::to_string(version)).step();
}

void fillNames(Database& database) {
  Statement kind(database, "INSERT OR IGNORE INTO span_kind(kind, text) VALUES(?, ?)");
  for (std::int64_t k = 0; k < kKinds; ++k) {
    kind.bind(k).bind(text(static_cast<Kind>(k))).step();
    kind.reset();
  }
  Statement name(database, "INSERT OR IGNORE INTO span_name(name, text) VALUES(?, ?)");
  for (std::int64_t n = 0; n < static_cast<std::int64_t>(Name::count); ++n) {
    name.bind(n).bind(text(static_cast<Name>(n))).step();
    name.reset();
  }
}

/// FILE.v<N>.bak, FILE.v<N>.2.bak, …: an earlier copy is never overwritten.
std::filesystem::path backupPath(const std::filesystem::path& file, std::int64_t version, int i) {
  const std::string stem = file.string() + ".v" + std::to_string(version);
  return i == 1 ? stem + ".bak" : stem + "." + std::to_string(i) + ".bak";
}

}  // namespace

std::span<const Migration> migrations() {
  static constexpr Migration kSteps[] = {{1,
                                          "ALTER TABLE layer ADD COLUMN predicted_messages INTEGER;"
                                          "ALTER TABLE message ADD COLUMN predicted_messages INTEGER"},
                                         {2,
                                          "ALTER TABLE epoch ADD COLUMN filling INTEGER NOT NULL "
                                          "DEFAULT 0 CHECK(filling IN (0, 1))"},
                                         // it counted what travelled while the rank summed or idled, too
                                         {3,
                                          "UPDATE latest SET metric = 'unwaited_share' "
                                          "WHERE metric = 'hidden_share'"},
                                         {4, kWaitingSteps},
                                         {5, kBatchTables},
                                         {6, kHybridSteps},
                                         {7, kDeviceSteps},
                                         {8,
                                          "ALTER TABLE layer ADD COLUMN staleness_cosine REAL;"
                                          "ALTER TABLE layer ADD COLUMN staleness_age REAL"}};
  return kSteps;
}

std::int64_t schemaVersion(Database& database) {
  Statement version(database, "PRAGMA user_version");
  return version.step() ? version.integer(0) : 0;
}

void completeNames(Database& database) {
  Statement nameCount(database, "SELECT count(*) FROM span_name");
  if (nameCount.step() && nameCount.integer(0) >= static_cast<std::int64_t>(Name::count)) return;
  nameCount.reset();
  Transaction transaction(database);
  fillNames(database);
  transaction.commit();
}

void createSchema(Database& database) {
  Transaction transaction(database);
  if (schemaVersion(database) != 0) return;  // another program was quicker
  database.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.execute(kTables);
  database.execute(kBatchTables);
  database.execute(kHybridSteps);
  fillNames(database);
  setVersion(database, kSchemaVersion);
  transaction.commit();
}

void migrate(Database& database, std::span<const Migration> steps) {
  Transaction transaction(database);  // of several programs that want to, one does
  const std::int64_t version = schemaVersion(database);
  if (!steps.empty() && version == steps.back().from + 1) return;
  std::size_t first = 0;
  while (first < steps.size() && steps[first].from != version) ++first;
  if (first == steps.size())
    throw RecordDamaged(onOneLine(database.file().string()) + ": has schema version " +
                        std::to_string(version) +
                        ", from which there is no way to a newer one; open it with the version of Haloscope "
                        "that wrote it and export it");
  std::filesystem::path backup;
  if (!database.detached())
    database.backUp([&](int i) { return backup = backupPath(database.file(), version, i); });
  try {
    for (const Migration& step : steps.subspan(first)) {
      database.execute(step.sql);
      setVersion(database, step.from + 1);
    }
  } catch (...) {  // nothing was changed, so that there is nothing to go back to
    std::error_code ignored;
    if (!backup.empty()) std::filesystem::remove(backup, ignored);
    throw;
  }
  transaction.commit();
}

}  // namespace halo
