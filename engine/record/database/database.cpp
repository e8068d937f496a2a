#include "engine/record/database/database.h"

#include <sqlite3.h>

#include <cerrno>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/base/plain_text.h"
#include "engine/record/database/database_errors.h"
#include "engine/record/database/database_index.h"
#include "engine/record/database/database_opening.h"
#include "engine/record/database/no_plain_file.h"
#include "engine/record/database/schema.h"

namespace halo {
namespace {

/// The first words of a statement, enough to say which table was meant.
std::string brief(std::string_view sql) {
  constexpr std::size_t kLongest = 60;
  std::string words;
  for (const char c : sql.substr(0, kLongest)) words += c == '\n' ? ' ' : c;
  return "'" + words + (sql.size() > kLongest ? "…'" : "'");
}

std::int64_t number(Database& database, const char* sql) {
  Statement statement(database, sql);
  return statement.step() ? statement.integer(0) : 0;
}

/// Changes to a log that is written ahead. While another program has the file open SQLite refuses that
/// without waiting, whatever its busy timeout says.
void keepLog(Database& database, int patienceMs) {
  const std::int64_t begin = wallNs();
  while (true) try {
      return database.execute("PRAGMA journal_mode = WAL");
    } catch (const RecordLocked&) {
      if (wallNs() - begin > patienceMs * std::int64_t{1'000'000}) throw;
      sqlite3_sleep(5);
    }
}

/// What an SQLite file says it is.
struct Claim {
  bool bare = false;  // without any table
  std::int64_t application = 0;
  bool isEmpty() const { return bare && application == 0; }
};

Claim claimOf(Database& database) {
  const Transaction together(database, Hold::read);
  return {number(database, "SELECT count(*) FROM sqlite_master") == 0,
          number(database, "PRAGMA application_id")};
}

/// The same once another program, which may be making the file right now, has had the time to.
Claim settledClaimOf(Database& database) {
  constexpr std::int64_t kPatienceNs = 1'000'000'000;
  const std::int64_t begin = wallNs();
  Claim claim = claimOf(database);
  while (claim.isEmpty() && wallNs() - begin < kPatienceNs) {
    sqlite3_sleep(5);
    claim = claimOf(database);
  }
  return claim;
}

/// Throws RecordDamaged where what claims to be a recording lacks the tables of every version: before it is
/// changed.
void requireTables(Database& database) {
  for (const char* table :
       {"key, value FROM meta", "name, text FROM span_name", "id, name, text, created_at FROM experiment",
        "experiment_id, kind, method, dataset, model, workers, seed, status, error, marks, started_at, "
        "finished_at, host, version, supervisor_pid, fingerprint, tags FROM run",
        "run_id, key, value FROM parameter", "run_id, metric, value FROM latest", "run_id, rank FROM worker",
        "run_id, epoch, begin_ns, wall_ns, loss FROM epoch", "run_id, epoch, rank, layer, pass FROM layer",
        "run_id, rank, lane, count, spans FROM span_block", "run_id, epoch, source, target FROM message",
        "run_id, name, media_type, bytes FROM artifact"})
    Statement(database, std::string("SELECT ") + table + " LIMIT 0");
  // in a stranger's file they could make gigabytes of a few bytes, at every row that is read
  Statement computed(database,
                     "SELECT m.name, x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x "
                     "WHERE m.type = 'table' AND x.hidden IN (2, 3) LIMIT 1");
  if (computed.step())
    throw RecordDamaged(onOneLine(database.file().string()) + ": the table " + onOneLine(computed.text(0)) +
                        " computes its column " + onOneLine(computed.text(1)) +
                        "; a recording stores all of its values");
}

/// Creates, migrates or refuses, by what the file says it is; touches nothing of a file that is not ours.
void settle(Database& database, Access access) {
  const std::string where = onOneLine(database.file().string()) + ": ";
  const auto [bare, application] = access == Access::create ? claimOf(database) : settledClaimOf(database);
  const bool empty = bare && application == 0;
  if (empty && access != Access::create)
    throw RecordEmpty(where +
                      "is empty, not a recording: its creation may have been cut short; `haloscope "
                      "run` records into it, or name a file that it wrote");
  if (!empty && application != kApplicationId)
    throw RecordDamaged(where + "is an SQLite file of another program, not a recording (application_id " +
                        std::to_string(application) + ", a recording has " + std::to_string(kApplicationId) +
                        ")");
  const std::int64_t version = schemaVersion(database);
  if (version > kSchemaVersion)
    throw RecordDamaged(where + "was written by a newer version of Haloscope (schema " +
                        std::to_string(version) + ", this one reads up to " + std::to_string(kSchemaVersion) +
                        "); install that version, or ask for an export");
  if (!empty) requireTables(database);
  if (access != Access::readOnly) {
    // page_size acts only on an empty file: larger pages make blobs of spans read faster
    database.execute("PRAGMA page_size = 16384");
    // before there is a log: nobody ever finds a file that has begun and is no recording yet
    if (empty) createSchema(database);
    keepLog(database, access == Access::create ? kRecorderBusyMs : kBusyMs);
    database.execute("PRAGMA synchronous = NORMAL");
    database.execute("PRAGMA journal_size_limit = 67108864");
  }
  if (!empty && version < kSchemaVersion) {
    if (access == Access::readOnly && !database.detached()) database.detach();
    migrate(database, migrations());
  }
  if (!empty && access != Access::readOnly) completeNames(database);
  database.execute("PRAGMA foreign_keys = ON");
  if (access == Access::readOnly && !database.detached()) database.execute("PRAGMA query_only = ON");
}

std::filesystem::path placeOf(const std::filesystem::path& file, Access access) {
  try {
    return recordingPath(file);
  } catch (const NoPlainFile& error) {
    if (access == Access::create) throw;
    throw RecordDamaged(error.what());
  }
}

}  // namespace

Database::Database(const std::filesystem::path& file, Access access)
    : file_(file),
      path_(placeOf(file, access)),
      access_(access),
      state_(stateOf(path_)),
      handle_(open(file)) {
  identity_ = identityOf(path_);
  logFile_ = besideRecording(path_, "-wal");  // while a link still leads there
  indexFile_ = besideRecording(path_, "-shm");
  begin(!state_.file);
}

SqliteHandle Database::open(const std::filesystem::path& file) {
  if (access_ != Access::create && !std::filesystem::exists(path_))
    throw RecordDamaged(onOneLine(file.string()) + ": there is no such recording; `haloscope run` makes one");
  if (access_ != Access::readOnly) return openToWrite(file, path_, access_);
  OpenedToRead opened = openToRead(file, path_);
  view_ = opened.view;
  return std::move(opened.handle);
}

/// Where there is no room for the tables of a new file, it goes.
void Database::begin(bool isNew) {
  try {
    settle(*this, access_);
  } catch (const DiskFull& error) {
    std::error_code ignored;  // then it stays
    if (!isNew || moved() || std::filesystem::file_size(path_, ignored) != 0 ||
        !std::filesystem::remove(path_, ignored))
      throw;
    failToBegin(error);
  }
}

void Database::detach() {
  handle_ = copyOf(handle(), file_);
  view_ = View::copy;
}

bool Database::outdated() const { return view_ != View::live && stateOf(path_) != state_; }

Database::~Database() = default;

void Database::requireIndex() {
  if (view_ != View::live) return;
  const int open = sqlite3_txn_state(handle(), "main");
  const bool writing = open == SQLITE_TXN_WRITE;
  if (mendCutIndex(indexFile_, indexBytes_, writing) == IndexState::whole || open == SQLITE_TXN_NONE) return;
  throw RecordUnusable(onOneLine(file_.string()) + ": the index of its log, " +
                       indexFile_.filename().string() +
                       ", was cut by another program in the middle of a transaction, which is undone; what " +
                       "was recorded before is whole");
}

void Database::execute(const std::string& sql) {
  requireIndex();
  errno = 0;  // failBySqlite() looks at it
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    failBySqlite(handle(), file_, "doing " + brief(sql), access_);
}

std::int64_t Database::lastId() const { return sqlite3_last_insert_rowid(handle()); }

void Database::stopWhen(std::function<bool()> condition) {
  constexpr int kSteps = 4096;  // of SQLite's machine, some 100 µs
  stop_ = std::move(condition);
  sqlite3_progress_handler(
      handle(), kSteps, [](void* self) { return static_cast<Database*>(self)->stopAsked() ? 1 : 0; }, this);
}

std::string Database::integrity() {
  Statement check(*this, "PRAGMA integrity_check");
  std::string list;
  while (check.step()) list += (list.empty() ? "" : "\n") + check.text(0);
  return list;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  database.requireIndex();
  errno = 0;  // failBySqlite() looks at it
  if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) !=
      SQLITE_OK)
    failBySqlite(database.handle(), database.file(), "preparing " + brief(sql), database.access());
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::fail(const char* doing) const {
  failBySqlite(database_.handle(), database_.file(),
               std::string(doing) + " " + brief(sqlite3_sql(statement_)), database_.access());
}

Statement& Statement::bind(std::int64_t value) {
  if (sqlite3_bind_int64(statement_, next_++, value) != SQLITE_OK) fail("binding to");
  return *this;
}

Statement& Statement::bind(double value) {
  if (sqlite3_bind_double(statement_, next_++, value) != SQLITE_OK) fail("binding to");
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  const char* text = value.data() == nullptr ? "" : value.data();
  if (sqlite3_bind_text64(statement_, next_++, text, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8) !=
      SQLITE_OK)
    fail("binding to");
  return *this;
}

Statement& Statement::bindBlob(std::string_view value) {
  const char* bytes = value.data() == nullptr ? "" : value.data();
  if (sqlite3_bind_blob64(statement_, next_++, bytes, value.size(), SQLITE_TRANSIENT) != SQLITE_OK)
    fail("binding to");
  return *this;
}

Statement& Statement::bindNull() {
  if (sqlite3_bind_null(statement_, next_++) != SQLITE_OK) fail("binding to");
  return *this;
}

bool Statement::step() {
  if (database_.stopAsked())
    throw RecordStopped(onOneLine(database_.file().string()) + ": reading was stopped");
  // within a transaction it is asked before and after, for it takes a look at the disk
  if (sqlite3_get_autocommit(database_.handle()) != 0 && sqlite3_stmt_busy(statement_) == 0)
    database_.requireIndex();
  errno = 0;  // failBySqlite() looks at it
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(sqlite3_stmt_readonly(statement_) ? "reading by" : "writing by");
  return false;
}

void Statement::reset() {
  sqlite3_reset(statement_);  // an error was reported by step() already
  next_ = 1;
}

// SQLite holds anything in a column of numbers, if told, and reads text there as 0.
void Statement::requireNumber(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) return;
  constexpr std::size_t kShown = 40;
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const std::string value(bytes == nullptr ? "" : bytes, at(sqlite3_column_bytes(statement_, column)));
  throw RecordDamaged(onOneLine(database_.file().string()) + ": " + sqlite3_column_name(statement_, column) +
                      " is '" + onOneLine(value.substr(0, kShown)) +
                      "', and a number would be right; `haloscope check` says where");
}

std::int64_t Statement::integer(int column) const {
  requireNumber(column);
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const {
  requireNumber(column);
  return sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const { return std::string(blob(column)); }

std::string_view Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr && sqlite3_errcode(database_.handle()) == SQLITE_NOMEM) fail("reading by");
  return {bytes, at(sqlite3_column_bytes(statement_, column))};
}

ValueType Statement::type(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_NULL:
      return ValueType::none;
    case SQLITE_INTEGER:
      return ValueType::integer;
    case SQLITE_FLOAT:
      return ValueType::real;
    default:
      return ValueType::text;
  }
}

bool Statement::isOfNumbers(int column) const {
  const char* declared = sqlite3_column_decltype(statement_, column);
  return declared != nullptr &&
         (std::string_view(declared) == "INTEGER" || std::string_view(declared) == "REAL");
}

int Statement::columns() const { return sqlite3_column_count(statement_); }
std::string Statement::columnName(int column) const { return sqlite3_column_name(statement_, column); }

bool Statement::isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

// IMMEDIATE, so that a transaction cannot fail half way because another writer was quicker.
Transaction::Transaction(Database& database, Hold hold) : database_(database) {
  const bool reads = hold == Hold::read || (database.isReadOnly() && !database.detached());
  try {
    database.execute(reads ? "BEGIN" : "BEGIN IMMEDIATE");
  } catch (const RecordError&) {
    if (!reads)
      database.requireInPlace();  // what SQLite calls an I/O error if the file went before its log came
    throw;
  }
}

Transaction::~Transaction() {
  // SQLite has rolled back by itself after a full disk
  if (open_ && sqlite3_get_autocommit(database_.handle()) == 0)
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  HALO_CHECK(open_);
  database_.execute("COMMIT");
  open_ = false;
  if (!database_.isReadOnly()) database_.requireInPlace();
}

}  // namespace halo
