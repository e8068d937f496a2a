#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/record/database/recording_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace halo {

/// SQLite said no: its own words and what was being done. What kinds there are is told apart below.
class RecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// As a program ends for it (resources/manual/reference/commands/index.md, Exit statuses).
  virtual int exitStatus() const { return 1; }
};
/// Another program holds a lock.
class RecordLocked : public RecordError {
  using RecordError::RecordError;
};
class DiskFull : public RecordError {
 public:
  /// `limited`: not by the disk, but by the limit on the size of a file.
  DiskFull(const std::string& cause, const std::string& advice, bool limited = false)
      : RecordError(cause + "; " + advice), cause_(cause), limited_(limited) {}
  int exitStatus() const override { return 5; }
  const std::string& cause() const { return cause_; }
  bool limited() const { return limited_; }

 private:
  std::string cause_;
  bool limited_;
};
/// Cannot be opened or written where it is.
class RecordUnusable : public RecordError {
 public:
  using RecordError::RecordError;
  int exitStatus() const override { return 5; }
};
/// Was removed, renamed or replaced while it was written.
class RecordMoved : public RecordUnusable {
  using RecordUnusable::RecordUnusable;
};
/// Somebody asked to stop (Database::stopWhen).
class RecordStopped : public RecordError {
 public:
  using RecordError::RecordError;
  int exitStatus() const override { return 130; }
};
/// Not a recording, damaged, or of a newer version.
class RecordDamaged : public RecordError {
 public:
  using RecordError::RecordError;
  int exitStatus() const override { return 4; }
};
/// A file in which a recording was to begin and nothing stands yet.
class RecordEmpty : public RecordDamaged {
  using RecordDamaged::RecordDamaged;
};

using SqliteHandle = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

enum class Access { create, readWrite, readOnly };

/// How an open recording is seen. Who writes sees it live.
enum class View {
  live,        // with what others go on writing
  unchanging,  // in its place, taken for a file that nobody writes
  copy         // as it stood: in memory and, where it is large, in SQLite's temporary folder
};

/// One open recording: WAL, foreign keys on, busy time-out. Its name is always a file's, whatever SQLite
/// makes of such a name. Creates or migrates the schema, and refuses a newer one: an older file is migrated
/// after a copy FILE.v<N>.bak was made. Read only, it leaves the file and its folder as they are. An older
/// file is then detached and migrated. Where SQLite cannot keep its log beside the file, a copy is read. With
/// Statement, Transaction and the other database files the only user of sqlite3.h.
class Database {
 public:
  Database(const std::filesystem::path& file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);  // constant text only; values are bound through Statement
  std::int64_t lastId() const;
  const std::filesystem::path& file() const { return file_; }
  /// From here on what is read and written is a copy of the file, which ends with this object. It lies in
  /// memory and, where it is large, in SQLite's temporary folder.
  void detach();
  bool detached() const { return view_ == View::copy; }
  Access access() const { return access_; }
  bool isReadOnly() const { return access_ == Access::readOnly; }
  /// Whether the file has changed since, and what is read here has not.
  bool outdated() const;

  /// To be asked before SQLite reads: mends the index of the log where another program has cut it. Throws
  /// RecordUnusable where that comes too late for a transaction that is open.
  void requireIndex();

  /// Whether the file has lost its name since it was opened, or its log has.
  bool moved();
  /// Throws RecordMoved if it has.
  void requireInPlace();
  /// Once it has: brings everything into the file where it bears another name, else into a copy beside its
  /// place or in the temporary folder. Returns a sentence of where it is.
  std::string keepMoved();
  /// Brings everything into the file and lets go of it; nothing else may be asked of this object then. Throws
  /// RecordMoved before, RecordUnusable with a sentence of where everything is if the name was lost only now.
  void close();

  /// Copies what is committed to the first of nameOf(1), nameOf(2), … that nothing has, also while this
  /// object writes.
  void backUp(const std::function<std::filesystem::path(int)>& nameOf) const;
  /// From now on statements end with RecordStopped once `condition` says so, which must be quick and not
  /// throw. It is let go of when the file is closed, so that what it holds outlives whatever lies beside the
  /// file.
  void stopWhen(std::function<bool()> condition);
  bool stopAsked() const { return stop_ && stop_(); }
  /// PRAGMA integrity_check: "ok" or SQLite's list.
  std::string integrity();
  sqlite3* handle() const { return handle_.get(); }

 private:
  SqliteHandle open(const std::filesystem::path& file);
  void begin(bool isNew);
  bool bringIn();
  void removeOrphans() const;

  std::filesystem::path file_, path_;  // as it was named, and where that is
  std::filesystem::path logFile_, indexFile_;
  Access access_;
  View view_ = View::live;
  RecordingState state_;        // before it was opened
  std::function<bool()> stop_;  // goes after the handle
  SqliteHandle handle_;
  std::optional<FileIdentity> identity_, log_;
  std::int64_t indexBytes_ = 0;
};

enum class ValueType { none, integer, real, text };  // text: blobs too

class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds the next parameter, in order.
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bindBlob(std::string_view value);
  Statement& bindNull();
  /// True while there is a row.
  bool step();
  void reset();
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string_view blob(int column) const;  // until the next step
  bool isNull(int column) const;
  ValueType type(int column) const;
  /// Whether the table declares the column INTEGER or REAL; false of a computed one.
  bool isOfNumbers(int column) const;
  /// Throws RecordDamaged where the value is text.
  void requireNumber(int column) const;
  int columns() const;
  std::string columnName(int column) const;

 private:
  [[noreturn]] void fail(const char* doing) const;
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
};

/// write: takes the write lock at once, waiting for other writers. read: one unchanging state of the file
/// while others go on writing.
enum class Hold { write, read };

/// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database, Hold hold = Hold::write);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace halo
