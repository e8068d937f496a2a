#include "engine/record/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/record/schema.h"

namespace halo {
namespace {

// How long another's transaction is waited for: who records has hours of training to lose, who reads or
// changes has a person who waits.
constexpr int kRecorderBusyMs = 300'000, kBusyMs = 20'000;

/// `error` is the system's: of a failed commit SQLite itself only says "disk I/O error".
bool isFull(int code, int error) {
  if (code == SQLITE_FULL) return true;
  return code == SQLITE_IOERR && (error == ENOSPC || error == EDQUOT || error == EFBIG);
}

[[noreturn]] void fail(sqlite3* handle, const std::filesystem::path& file, const std::string& doing) {
  const int error = errno;
  const int code = sqlite3_errcode(handle) & 0xff;
  const std::string where = file.string() + ": ",
                    words = std::string(" (SQLite: ") + sqlite3_errmsg(handle) + ")";
  if (isFull(code, error))
    throw DiskFull(
        where + "no space left while " + doing + words +
        "; what was recorded before is kept: make room, or record to another disk with --db, then go on "
        "with --resume");
  if (code == SQLITE_NOTADB)
    throw RecordDamaged(where + "is not a recording: found something else than an SQLite file while " +
                        doing + words + "; name a file that `haloscope run` wrote");
  if (code == SQLITE_CORRUPT)
    throw RecordDamaged(where + "is damaged: found while " + doing + words +
                        "; save what can be read with: sqlite3 '" + file.string() + "' .recover | sqlite3 '" +
                        file.string() + ".recovered'");
  if (code == SQLITE_ERROR)  // our statements are constant: it is the tables that are not as they should be
    throw RecordDamaged(where + "is not the recording that it claims to be: failed while " + doing + words +
                        "; name a file that `haloscope run` wrote");
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    throw RecordLocked(
        where + "another program keeps the recording locked, for longer than is waited here; met while " +
        doing + words + "; end its transaction");
  const bool bySystem = (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && error != 0;
  const std::string said =
      where + "failed while " + doing + words + (bySystem ? std::string(", ") + std::strerror(error) : "");
  if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM)
    throw RecordUnusable(
        said + "; name a file with --db whose folder is there and that you may write, not a folder");
  throw RecordError(said);
}

/// The first words of a statement, enough to say which table was meant.
std::string brief(std::string_view sql) {
  constexpr std::size_t kLongest = 60;
  std::string words;
  for (const char c : sql.substr(0, kLongest)) words += c == '\n' ? ' ' : c;
  return "'" + words + (sql.size() > kLongest ? "…'" : "'");
}

/// Neither the file nor anything beside it can be written from here: read-only media, an installed sample.
bool isFixed(const std::filesystem::path& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  return access(file.c_str(), W_OK) != 0 || access(folder.c_str(), W_OK) != 0;
}

/// A fixed file is opened as unchanging: SQLite then neither locks it nor asks for a log beside it.
std::string immutableUri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.string())
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kHex[] = "0123456789ABCDEF";
      uri += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    } else {
      uri += c;
    }
  return uri + "?immutable=1";
}

sqlite3* openHandle(const std::string& name, const std::filesystem::path& file, int flags,
                    int busyMs = kBusyMs) {
  sqlite3* handle = nullptr;
  errno = 0;  // fail() looks at it
  if (sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> owner(handle, &sqlite3_close);
    fail(handle, file, "opening it");
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, busyMs);
  return handle;
}

/// `file`: as it was named; `path`: where that is.
sqlite3* openFile(const std::filesystem::path& file, const std::filesystem::path& path, Access access) {
  if (access != Access::create && !std::filesystem::exists(path))
    throw RecordDamaged(file.string() + ": there is no such recording; `haloscope run` makes one");
  if (access == Access::create)
    return openHandle(path.string(), file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kRecorderBusyMs);
  // who only reads may write too, as far as that is allowed: else its log would stay beside the file
  sqlite3* handle = openHandle(path.string(), file, SQLITE_OPEN_READWRITE);
  if (access == Access::readWrite) return handle;
  const int code =
      sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) & 0xff;
  // never one that somebody may still write: it would be read without locks, while it changes
  if ((code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && isFixed(path) &&
      !std::filesystem::exists(path.string() + "-wal")) {
    sqlite3_close(handle);
    return openHandle(immutableUri(path), file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  }
  return handle;
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

/// Creates, migrates or refuses, by what the file says it is; touches nothing of a file that is not ours.
void settle(Database& database, Access access) {
  const std::string where = database.file().string() + ": ";
  const auto [bare, application] = access == Access::create ? claimOf(database) : settledClaimOf(database);
  const bool empty = bare && application == 0;
  if (empty && access != Access::create)
    throw RecordDamaged(where + "is empty, not a recording; name a file that `haloscope run` wrote");
  if (!empty && application != kApplicationId)
    throw RecordDamaged(where + "is an SQLite file of another program, not a recording (application_id " +
                        std::to_string(application) + ", a recording has " + std::to_string(kApplicationId) +
                        ")");
  const std::int64_t version = schemaVersion(database);
  if (version > kSchemaVersion)
    throw RecordDamaged(where + "was written by a newer version of Haloscope (schema " +
                        std::to_string(version) + ", this one reads up to " + std::to_string(kSchemaVersion) +
                        "); install that version, or ask for an export");
  if (access != Access::readOnly) {
    // page_size acts only on an empty file: larger pages make blobs of spans read faster
    database.execute("PRAGMA page_size = 16384");
    // before there is a log: nobody ever finds a file that has begun and is no recording yet
    if (empty) createSchema(database);
    keepLog(database, access == Access::create ? kRecorderBusyMs : kBusyMs);
    database.execute("PRAGMA synchronous = NORMAL");
    database.execute("PRAGMA journal_size_limit = 67108864");
  }
  if (!empty && version < kSchemaVersion && access == Access::readOnly && !isFixed(database.file()))
    Database(database.file(), Access::readWrite);
  else if (!empty && version < kSchemaVersion) {
    if (access == Access::readOnly) database.detach();
    migrate(database, migrations());
  }
  if (!empty && access != Access::readOnly) completeNames(database);
  database.execute("PRAGMA foreign_keys = ON");
  if (access == Access::readOnly && !database.detached()) database.execute("PRAGMA query_only = ON");
}

}  // namespace

bool isBlank(const std::filesystem::path& file) {
  const std::filesystem::path path = recordingPath(file);
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0 && !error) return true;
  sqlite3* handle = nullptr;
  const auto number = [&](const char* sql) {
    sqlite3_stmt* statement = nullptr;
    const bool found = sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr) == SQLITE_OK &&
                       sqlite3_step(statement) == SQLITE_ROW;
    const std::int64_t value = found ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return value;
  };
  // for writing: what another program began and did not finish is undone by who looks at it
  const bool opened = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK;
  sqlite3_busy_timeout(handle, kBusyMs);
  const bool blank =
      opened && number("SELECT count(*) FROM sqlite_master") == 0 && number("PRAGMA application_id") == 0;
  sqlite3_close(handle);
  return blank;
}

Database::Database(const std::filesystem::path& file, Access access)
    : file_(file), path_(recordingPath(file)), access_(access), handle_(openFile(file, path_, access)) {
  try {
    identity_ = identityOf(path_);
    settle(*this, access);
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

void Database::detach() {
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> copy(
      openHandle("", file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), &sqlite3_close);
  sqlite3_backup* pages = sqlite3_backup_init(copy.get(), "main", handle_, "main");
  if (pages != nullptr) {
    sqlite3_backup_step(pages, -1);
    sqlite3_backup_finish(pages);
  }
  if (sqlite3_errcode(copy.get()) != SQLITE_OK) fail(copy.get(), file_, "copying it");
  sqlite3* const original = std::exchange(handle_, copy.release());
  sqlite3_close(original);
  detached_ = true;
}

Database::~Database() { sqlite3_close(handle_); }

void Database::execute(const std::string& sql) {
  errno = 0;  // fail() looks at it
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(handle_, file_, "doing " + brief(sql));
}

std::int64_t Database::lastId() const { return sqlite3_last_insert_rowid(handle_); }

std::string Database::integrity() {
  Statement check(*this, "PRAGMA integrity_check");
  std::string list;
  while (check.step()) list += (list.empty() ? "" : "\n") + check.text(0);
  return list;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) !=
      SQLITE_OK)
    halo::fail(database.handle(), database.file(), "preparing " + brief(sql));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::fail(const char* doing) const {
  halo::fail(database_.handle(), database_.file(), std::string(doing) + " " + brief(sqlite3_sql(statement_)));
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
  errno = 0;  // fail() looks at it
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(sqlite3_stmt_readonly(statement_) ? "reading by" : "writing by");
  return false;
}

void Statement::reset() {
  sqlite3_reset(statement_);  // an error was reported by step() already
  next_ = 1;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const { return std::string(blob(column)); }

std::string_view Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr && sqlite3_errcode(database_.handle()) == SQLITE_NOMEM) fail("reading by");
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
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
