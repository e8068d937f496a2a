#include "engine/record/database/database.h"

#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "engine/base/problem.h"
#include "engine/record/database/schema.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "engine/record/tables/waiting.h"
#include "tests/engine/record/random_spans.h"
#include "tests/support/folder_contents.h"
#include "tests/support/older_recording.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

/// What opening says; empty when it says nothing.
template <class Error>
std::string refusal(const std::filesystem::path& file, Access access) {
  try {
    Database database(file, access);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

RunRow named(const std::string& name) {
  RunRow run;
  run.name = name;
  return run;
}

std::int64_t pragma(Database& database, const char* sql) {
  Statement statement(database, sql);
  statement.step();
  return statement.integer(0);
}

}  // namespace

TEST_CASE("a view in the place of a table is refused, and what triggers a stranger planted is not done",
          "[record]") {
  const Scratch folder;
  { const Database database(folder / "r.db", Access::create); }
  sqlite3* stranger = nullptr;
  REQUIRE(sqlite3_open((folder / "r.db").c_str(), &stranger) == SQLITE_OK);
  const auto change = [&](const char* sql) {
    CAPTURE(sql);
    CHECK(sqlite3_exec(stranger, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  change("CREATE TRIGGER gone AFTER INSERT ON run BEGIN DELETE FROM run; END");
  {
    Database database(folder / "r.db", Access::readWrite);
    const std::int64_t run = Runs(database).add(named("stays"));
    CHECK(Runs(database).find(run).has_value());
  }
  change("DROP TRIGGER gone");
  change("CREATE VIEW mine AS SELECT id FROM run");  // a person's own is left alone
  CHECK(refusal<RecordDamaged>(folder / "r.db", Access::readOnly).empty());
  change("ALTER TABLE epoch RENAME TO hidden");
  change(
      "CREATE VIEW epoch AS WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) "
      "SELECT n AS run_id, n AS epoch, n AS begin_ns, n AS wall_ns, n AS loss, n AS train, n AS valid, n AS "
      "test FROM endless");
  sqlite3_close(stranger);
  for (const Access access : {Access::readOnly, Access::readWrite})
    CHECK_THAT(refusal<RecordDamaged>(folder / "r.db", access), Contains("epoch"));
}

TEST_CASE("a recording whose columns are computed is refused before any is read", "[record]") {
  const Scratch folder;
  { const Database database(folder / "r.db", Access::create); }
  sqlite3* stranger = nullptr;
  REQUIRE(sqlite3_open((folder / "r.db").c_str(), &stranger) == SQLITE_OK);
  REQUIRE(sqlite3_exec(stranger,
                       "ALTER TABLE run RENAME COLUMN marks TO other;"
                       "ALTER TABLE run ADD COLUMN marks AS (hex(zeroblob(100000000)))",
                       nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(stranger);
  for (const Access access : {Access::readOnly, Access::readWrite})
    CHECK_THAT(refusal<RecordDamaged>(folder / "r.db", access),
               Contains("the table run computes its column marks; a recording stores all of its values"));
}

TEST_CASE("a new recording says what it is and keeps its settings", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  CHECK(pragma(database, "PRAGMA application_id") == kApplicationId);
  CHECK(pragma(database, "PRAGMA user_version") == kSchemaVersion);
  CHECK(pragma(database, "PRAGMA foreign_keys") == 1);
  CHECK(pragma(database, "PRAGMA synchronous") == 1);
  Statement mode(database, "PRAGMA journal_mode");
  REQUIRE(mode.step());
  CHECK(mode.text(0) == "wal");
  CHECK(database.integrity() == "ok");
  Statement names(database, "SELECT text FROM span_name WHERE name = 12");
  REQUIRE(names.step());
  CHECK(names.text(0) == "decode");
}

TEST_CASE("what is not a recording is told apart and left as it was", "[record]") {
  const Scratch folder;
  CHECK_THAT(refusal<RecordDamaged>(folder / "none.db", Access::readOnly),
             Contains("there is no such recording"));
  write(folder / "text.db", std::string(2000, 'x'));
  CHECK_THAT(refusal<RecordDamaged>(folder / "text.db", Access::readWrite), Contains("is not a recording"));
  write(folder / "empty.db", "");
  CHECK_THAT(refusal<RecordDamaged>(folder / "empty.db", Access::readOnly), Contains("is empty"));
  {
    Database other(folder / "other.db", Access::create);
    other.execute("PRAGMA application_id = 7");
  }
  CHECK_THAT(refusal<RecordDamaged>(folder / "other.db", Access::create), Contains("another program"));
}

TEST_CASE("a recording of a newer version is refused with both versions", "[record]") {
  const Scratch folder;
  { Database(folder / "r.db", Access::create).execute("PRAGMA user_version = 99"); }
  const std::string message = refusal<RecordDamaged>(folder / "r.db", Access::readOnly);
  CHECK_THAT(message, Contains("newer version of Haloscope (schema 99, this one reads up to " +
                               std::to_string(kSchemaVersion) + ")"));
}

TEST_CASE("an older recording is copied before it is migrated", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs(database).add(named("kept"));
  database.execute("PRAGMA user_version = 1");
  const Migration steps[] = {{1, "ALTER TABLE run ADD COLUMN first INTEGER"},
                             {2, "ALTER TABLE run ADD COLUMN second INTEGER"}};
  migrate(database, steps);
  CHECK(schemaVersion(database) == 3);
  CHECK(pragma(database, "SELECT count(*) FROM run WHERE name = 'kept' AND second IS NULL") == 1);
  sqlite3* copy = nullptr;  // as it was: a Database would migrate it
  REQUIRE(sqlite3_open_v2((folder / "r.db.v1.bak").c_str(), &copy, SQLITE_OPEN_READONLY, nullptr) ==
          SQLITE_OK);
  sqlite3_stmt* names = nullptr;
  REQUIRE(sqlite3_prepare_v2(copy, "SELECT name, (SELECT user_version FROM pragma_user_version) FROM run", -1,
                             &names, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(names) == SQLITE_ROW);
  CHECK(std::string(reinterpret_cast<const char*>(sqlite3_column_text(names, 0))) == "kept");
  CHECK(sqlite3_column_int(names, 1) == 1);
  sqlite3_finalize(names);
  sqlite3_close(copy);
}

TEST_CASE("a recording of schema 1 opens with all it has, and with no predicted messages", "[record]") {
  const Scratch folder;
  std::int64_t run = 0;
  {
    Database database(folder / "r.db", Access::create);
    run = Runs(database).add(named("old"));
    MessageRow message{1, 0, Pass::forward, 2, 3, 4, 500, 500};
    Epochs(database).append(run, std::span(&message, 1));
    LayerRow layer;
    layer.bytesSent = 500;
    Epochs(database).append(run, std::span(&layer, 1));
    EpochRow epoch;
    epoch.filling = true;  // which the older version did not know
    Epochs(database).append(run, std::span(&epoch, 1));
    makeOlder(database);
  }
  Database database(folder / "r.db", Access::readOnly);
  CHECK(schemaVersion(database) == kSchemaVersion);
  CHECK_FALSE(Epochs(database).epochs(run).at(0).filling);
  CHECK_FALSE(std::filesystem::exists(folder / "r.db.v1.bak"));
  const MessageRow message = Epochs(database).messages(run).at(0);
  CHECK(message.messages == 4);
  CHECK(message.predictedBytes == 500);
  CHECK_FALSE(message.predictedMessages.has_value());
  CHECK(Epochs(database).layers(run).at(0).bytesSent == 500);
  CHECK_FALSE(Epochs(database).layers(run).at(0).predictedMessages.has_value());
}

TEST_CASE("a detached recording is migrated beside its file, which stays as it is", "[record]") {
  const Scratch folder;
  {
    Database database(folder / "r.db", Access::create);
    Runs(database).add(named("kept"));
    dropSinceSchema1(database);
  }
  const std::string before = bytesOf(folder / "r.db");
  {
    Database database(folder / "r.db", Access::readOnly);
    database.detach();
    database.execute("PRAGMA user_version = 1");
    migrate(database, migrations());
    CHECK(schemaVersion(database) == kSchemaVersion);
    CHECK(Runs(database).all().at(0).name == "kept");
    CHECK(pragma(database, "SELECT count(predicted_messages) FROM message") == 0);
  }
  CHECK(bytesOf(folder / "r.db") == before);
  CHECK_FALSE(std::filesystem::exists(folder / "r.db.v1.bak"));
}

TEST_CASE("what schema 3 called hidden keeps its value under a name of its own", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  const std::int64_t run = runs.add(named("older"));
  runs.setLatest(run, {{"hidden_share", 0.65}, {"compute_share", 0.35}});
  dropSinceSchema4(database);
  database.execute("PRAGMA user_version = 3");
  migrate(database, migrations());
  CHECK(schemaVersion(database) == kSchemaVersion);
  CHECK(runs.latest(run) == std::map<std::string, double>{{"unwaited_share", 0.65}, {"compute_share", 0.35}});
}

TEST_CASE("what schema 4 called exposed is waiting in exchanges, and new lanes are admitted", "[record]") {
  const Scratch folder;
  Span mainSpan, piece;
  mainSpan.durationNs = 7;
  piece.lane = Lane::wait, piece.name = Name::waitsWire, piece.durationNs = 3;
  std::int64_t run = 0;
  {
    Database database(folder / "r.db", Access::create);
    run = Runs(database).add(named("older"));
    Runs(database).setLatest(run, {{"exchange_wait_share", 0.4}});
    LayerRow layer;
    layer.exchangeWaitNs = 12;
    Epochs(database).append(run, std::span(&layer, 1));
    Spans(database).append(run, 0, std::span(&mainSpan, 1));
    dropSinceSchema4(database);
    database.execute("PRAGMA user_version = 4");
    CHECK_THROWS_AS(Spans(database).append(run, 0, std::span(&piece, 1)), RecordError);
  }
  Database database(folder / "r.db", Access::readWrite);
  CHECK(schemaVersion(database) == kSchemaVersion);
  CHECK(Runs(database).latest(run) == std::map<std::string, double>{{"exchange_wait_share", 0.4}});
  CHECK(Epochs(database).layers(run).at(0).exchangeWaitNs == 12);
  CHECK(WaitingTable(database).rows(run).empty());
  Spans(database).append(run, 0, std::span(&piece, 1));
  CHECK(Spans(database).all(run, 0) == std::vector<Span>{mainSpan, piece});
  CHECK(pragma(database, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0);
}

TEST_CASE("a recording of schema 5 opens with no iterations, and takes them once it is written to",
          "[record]") {
  const Scratch folder;
  const BatchRows rows{
      {{.epoch = 1, .iteration = 2, .seeds = 3}}, {{.epoch = 1, .layer = 1}}, {{.epoch = 1}}};
  std::int64_t run = 0;
  {
    Database database(folder / "r.db", Access::create);
    run = Runs(database).add(named("older"));
    dropSinceSchema5(database);
    database.execute("PRAGMA user_version = 5");
    CHECK_THROWS_AS(Iterations(database).append(run, rows), RecordError);
  }
  {
    Database reader(folder / "r.db", Access::readOnly);
    CHECK(Iterations(reader).iterations(run).empty());
  }
  Database database(folder / "r.db", Access::readWrite);
  CHECK(schemaVersion(database) == kSchemaVersion);
  CHECK(std::filesystem::exists(folder / "r.db.v5.bak"));
  Iterations(database).append(run, rows);
  CHECK(Iterations(database).iterations(run).at(0).seeds == 3);
  database.execute("DELETE FROM run");
  for (const char* table : {"iteration", "block", "cache"})
    CHECK(pragma(database, ("SELECT count(*) FROM " + std::string(table)).c_str()) == 0);
}

TEST_CASE("a migration that fails changes nothing and leaves no copy, but one that was there", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  database.execute("PRAGMA user_version = 1");
  const Migration broken[] = {{1, "ALTER TABLE run ADD COLUMN first INTEGER; NO SUCH STATEMENT"}};
  CHECK_THROWS_AS(migrate(database, broken), RecordError);
  CHECK(schemaVersion(database) == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "r.db.v1.bak"));
  std::ofstream(folder / "r.db.v1.bak") << "mine";
  CHECK_THROWS_AS(migrate(database, broken), RecordError);
  CHECK(std::filesystem::file_size(folder / "r.db.v1.bak") == 4);
  CHECK_FALSE(std::filesystem::exists(folder / "r.db.v1.2.bak"));
  database.execute("PRAGMA user_version = 7");
  CHECK_THROWS_AS(migrate(database, broken), RecordDamaged);
}

TEST_CASE("a transaction that is not committed leaves nothing", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  {
    Transaction transaction(database);
    Runs(database).add(named("lost"));
  }
  CHECK(Runs(database).all().empty());
}

TEST_CASE("names that SQLite takes for its own are names of files", "[record]") {
  const Scratch folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const char* name : {":memory:", "file:d.db", "file:x?mode=memory"}) {
    CAPTURE(name);
    Database(name, Access::create);
    CHECK(std::filesystem::is_regular_file(folder / name));
  }
  std::filesystem::current_path(before);
  CHECK_THROWS_AS(Database("", Access::create), InputError);
}

TEST_CASE("a recording that is written through a link loses neither name nor log unseen", "[record]") {
  for (const char* file : {"real/r.db", "real/r.db-wal"}) {
    CAPTURE(file);
    const Scratch folder;
    std::filesystem::create_directory(folder / "real");
    Database(folder / "real/r.db", Access::create);
    std::filesystem::create_symlink("real/r.db", folder / "link.db");
    Database database(folder / "link.db", Access::create);
    Runs(database).add(named("early"));
    CHECK_NOTHROW(database.requireInPlace());
    std::filesystem::remove(folder / file);
    CHECK_THROWS_AS(database.requireInPlace(), RecordMoved);
  }
}

TEST_CASE("a recording is closed whole while another program reads an older state of it", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs(database).add(named("early"));
  Database reader(folder / "r.db", Access::readOnly);
  const Transaction older(reader, Hold::read);
  CHECK(Runs(reader).all().size() == 1);
  Runs(database).add(named("late"));
  CHECK_NOTHROW(database.close());
  CHECK(Runs(reader).all().size() == 1);
  Database fresh(folder / "r.db", Access::readOnly);
  CHECK(Runs(fresh).all().size() == 2);
}

TEST_CASE("a transaction tells that its recording was removed, and what it wrote is in a copy", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  CHECK_NOTHROW(database.requireInPlace());
  Runs(database).add(named("early"));
  std::filesystem::remove(folder / "r.db");
  Transaction transaction(database);
  Runs(database).add(named("late"));
  CHECK_THROWS_AS(transaction.commit(), RecordMoved);
  CHECK_THAT(database.keepMoved(), Contains((folder / "r.db.rescued").string()));
  CHECK(Runs(database).all().size() == 2);
  Database rescued(folder / "r.db.rescued", Access::readOnly);
  REQUIRE(Runs(rescued).all().size() == 2);
  CHECK(Runs(rescued).all().at(1).name == "late");
  CHECK_FALSE(std::filesystem::exists(folder / "r.db-wal"));
}

TEST_CASE("a transaction does not begin in a recording that was removed before its first", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  std::filesystem::remove(folder / "r.db");
  CHECK_THROWS_AS(Transaction(database), RecordMoved);
}

TEST_CASE("a recording that was renamed has all that was written, under its new name", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs(database).add(named("early"));
  std::filesystem::rename(folder / "r.db", folder / "moved.db");
  CHECK(database.moved());
  CHECK_THAT(database.keepMoved(), Contains((folder / "moved.db").string()));
  Database renamed(folder / "moved.db", Access::readOnly);
  CHECK(Runs(renamed).all().at(0).name == "early");
  CHECK_FALSE(std::filesystem::exists(folder / "r.db.rescued"));
}

TEST_CASE("who comes to a migration second finds it done and makes no second copy", "[record]") {
  const Scratch folder;
  Database first(folder / "r.db", Access::create), second(folder / "r.db", Access::create);
  first.execute("PRAGMA user_version = 1");
  const Migration steps[] = {{1, "ALTER TABLE run ADD COLUMN first INTEGER"}};
  migrate(first, steps);
  CHECK_NOTHROW(migrate(second, steps));
  CHECK_FALSE(std::filesystem::exists(folder / "r.db.v1.2.bak"));
}
