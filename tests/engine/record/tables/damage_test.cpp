#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>
#include <memory>
#include <thread>

#include "engine/base/fingerprint.h"
#include "engine/base/index.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/check/findings.h"
#include "engine/record/database/database_errors.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/engine/record/random_spans.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

void addEpoch(Database& database, std::int64_t run, std::int64_t epoch) {
  Transaction transaction(database);
  EpochRow row;
  row.epoch = epoch;
  Epochs(database).append(run, std::span(&row, 1));
  transaction.commit();
}

/// A run of which nothing more is required than what is asked for: a simulation that has not begun.
std::int64_t addBare(Database& database) {
  const std::map<std::string, std::string> keys = {{"simulate.kind", "\"device\""}};
  RunRow row;
  row.kind = "simulation", row.marks = "simulated";
  row.fingerprint = simulationFingerprint(keys);
  const std::int64_t run = Runs(database).add(row);
  Runs(database).setParameters(run, keys);
  return run;
}

/// A recording of one run with a thousand epochs and a block of spans.
std::int64_t makeRecording(const std::filesystem::path& file) {
  Database database(file, Access::create);
  const std::int64_t run = addBare(database);
  std::vector<EpochRow> rows(1000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].epoch = static_cast<std::int64_t>(i);
  Transaction transaction(database);
  Epochs(database).append(run, rows);
  Spans(database).append(run, 0, randomSpans(20'000, 51, Lane::main, false));
  transaction.commit();
  return run;
}

std::int64_t number(Database& database, const char* sql) {
  Statement statement(database, sql);
  statement.step();
  return statement.integer(0);
}

template <class Call>
std::string damageSaid(Call call) {
  try {
    call();
  } catch (const RecordDamaged& error) {
    return error.what();
  }
  return {};
}

/// Appends one block after the other, each in a transaction; returns how many were committed before `Full`
/// came.
std::int64_t fillUp(Database& database, std::int64_t run, std::string& message) {
  const auto spans = randomSpans(5000, 52, Lane::main, false);
  for (std::int64_t committed = 0; committed < 1000; ++committed) try {
      Transaction transaction(database);
      Spans(database).append(run, 0, spans);
      transaction.commit();
    } catch (const DiskFull& error) {
      message = error.what();
      return committed;
    }
  return -1;
}

}  // namespace

TEST_CASE("a damaged page is reported with the file, what was read and how to save the rest", "[record]") {
  const Scratch folder;
  const auto file = folder / "r.db";
  const std::int64_t run = makeRecording(file);
  std::int64_t page = 0, size = 0;
  {
    Database database(file, Access::readOnly);
    page = number(database, "SELECT rootpage FROM sqlite_master WHERE name = 'epoch'");
    size = number(database, "PRAGMA page_size");
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp((page - 1) * size);
  bytes << std::string(at(size), '\xff');
  bytes.close();

  Database database(file, Access::readWrite);
  const std::string message = damageSaid([&] { Epochs(database).epochs(run); });
  CHECK_THAT(message, Contains(file.string() + ": is damaged"));
  CHECK_THAT(message, Contains("'SELECT epoch, begin_ns"));
  CHECK_THAT(message,
             Contains("sqlite3 " + file.string() + " .recover | sqlite3 " + file.string() + ".recovered"));
  CHECK(Spans(database).all(run, 0).size() == 20'000);  // what is not damaged can be read
  CHECK(checkRecording(database).damaged);
}

TEST_CASE("what SQLite quotes of a damaged schema steers no terminal", "[record]") {
  const Scratch folder;
  const auto file = folder / "r.db";
  makeRecording(file);
  {
    Database database(file, Access::readWrite);
    database.execute("PRAGMA writable_schema = ON");
    database.execute("UPDATE sqlite_master SET sql = sql || char(8) WHERE name = 'span_block'");
  }
  CHECK_THAT(damageSaid([&] { Database(file, Access::readOnly); }), Contains("\\u0008") && !Contains("\b"));
}

TEST_CASE("what the machine lacks is no damage of the file that is looked at", "[record]") {
  Findings findings;
  const auto met = [&](const auto& error) {
    try {
      throw error;
    } catch (const RecordError& caught) {
      findings.addDamage(caught, 3);
    }
  };
  CHECK_THROWS_AS(met(DiskFull("r.db: no space left", "make room")), DiskFull);
  CHECK_THROWS_AS(met(RecordUnusable("r.db: unable to open")), RecordUnusable);
  CHECK_THROWS_AS(met(RecordLocked("r.db: is locked")), RecordLocked);
  CHECK_THROWS_AS(met(RecordStopped("r.db: was stopped")), RecordStopped);
  CHECK_FALSE(findings.damaged());
  met(RecordDamaged("r.db: is damaged"));
  CHECK(findings.damaged());
  CHECK(findings.faults() == std::vector<std::string>{"run 3: r.db: is damaged"});
}

TEST_CASE("who is asked to stop reading ends at the next row and leaves nothing beside the file",
          "[record]") {
  const Scratch folder;
  const auto file = folder / "r.db";
  makeRecording(file);
  const auto stop = std::make_shared<bool>(false);
  {
    Database database(file, Access::readOnly);
    database.stopWhen([stop] { return *stop; });
    Statement rows(database, "SELECT epoch FROM epoch");
    CHECK(rows.step());
    *stop = true;
    CHECK_THROWS_AS(rows.step(), RecordStopped);
    CHECK_THROWS_AS(database.integrity(), RecordStopped);
    CHECK(stop.use_count() == 2);
  }
  CHECK(stop.use_count() == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "r.db-wal"));
  CHECK_FALSE(std::filesystem::exists(folder / "r.db-shm"));
}

TEST_CASE("a recording cut short is reported as damaged wherever it was cut", "[record]") {
  const Scratch folder;
  makeRecording(folder / "whole.db");
  const auto fullSize = std::filesystem::file_size(folder / "whole.db");
  for (std::uintmax_t size = 100; size < fullSize; size += fullSize / 23) {
    CAPTURE(size);
    const auto file = folder / "cut.db";
    std::filesystem::copy_file(folder / "whole.db", file, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file, size);
    bool damaged = false;
    try {
      Database database(file, Access::readOnly);
      damaged = checkRecording(database).damaged;
    } catch (const RecordDamaged&) {
      damaged = true;
    }
    CHECK(damaged);
  }
}

TEST_CASE("a full recording says what to do and keeps everything committed", "[record]") {
  const Scratch folder;
  const std::int64_t run = makeRecording(folder / "r.db");
  Database database(folder / "r.db", Access::readWrite);
  const std::int64_t before = Spans(database).count(run);
  database.execute("PRAGMA max_page_count = " + std::to_string(number(database, "PRAGMA page_count") + 100));
  std::string message;
  const std::int64_t committed = fillUp(database, run, message);
  CHECK(committed > 0);
  CHECK_THAT(message, Contains("no space left") && Contains("make room") && Contains("--resume"));
  CHECK(Spans(database).count(run) == before + 5000 * committed);
  CHECK(checkRecording(database).faults.empty());
  database.execute("PRAGMA max_page_count = 1000000");
  addEpoch(database, run, 1000);  // with room again, it goes on
  CHECK(Epochs(database).epochs(run).size() == 1001);
}

TEST_CASE("a write that the system refuses for want of space is a full disk and loses nothing", "[record]") {
  const Scratch folder;
  const std::int64_t run = makeRecording(folder / "r.db");
  std::string message;
  std::int64_t committed = 0;
  {
    Database database(folder / "r.db", Access::readWrite);
    const FileSizeLimit limit(std::uint64_t{3} << 20);
    committed = fillUp(database, run, message);
  }
  CHECK(committed > 0);
  CHECK_THAT(message, Contains("no space left"));
  Database database(folder / "r.db", Access::readOnly);
  CHECK(Spans(database).count(run) == 20'000 + 5000 * committed);
  CHECK(Epochs(database).epochs(run).size() == 1000);
  CHECK(checkRecording(database).faults.empty());
}

TEST_CASE("a reader keeps its state of the recording and never hinders the writer", "[record]") {
  const Scratch folder;
  const std::int64_t run = makeRecording(folder / "r.db");
  Database writer(folder / "r.db", Access::readWrite), reader(folder / "r.db", Access::readOnly);
  const Transaction snapshot(reader, Hold::read);
  CHECK(Epochs(reader).epochs(run).size() == 1000);
  for (std::int64_t epoch = 1000; epoch < 1200; ++epoch) addEpoch(writer, run, epoch);
  CHECK(Epochs(reader).epochs(run).size() == 1000);
  CHECK(Epochs(writer).epochs(run).size() == 1200);
  CHECK_THROWS_AS(Runs(reader).setTags(run, "x"), RecordError);
}

TEST_CASE("programs that create and write one recording at once wait for each other", "[record]") {
  const Scratch folder;
  for (int round = 0; round < 40; ++round) {  // which of them meet where is chance
    const std::filesystem::path file = folder / (std::to_string(round) + ".db");
    std::array<std::string, 4> errors;
    std::vector<std::thread> threads;
    for (std::string& error : errors)
      threads.emplace_back([&] {
        try {
          Database database(file, Access::create);
          const std::int64_t run = addBare(database);
          for (std::int64_t epoch = 0; epoch < 3; ++epoch) addEpoch(database, run, epoch);
        } catch (const std::exception& thrown) {
          error = thrown.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& error : errors) CHECK(error == "");
    Database database(file, Access::readOnly);
    CHECK(number(database, "SELECT count(*) FROM epoch") == 12);
    CHECK(checkRecording(database).faults.empty());
  }
}

TEST_CASE("what was committed survives the writer's SIGKILL", "[record]") {
  const Scratch folder;
  const std::int64_t run = makeRecording(folder / "r.db");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    Database database(folder / "r.db", Access::readWrite);
    for (std::int64_t epoch = 1000;; ++epoch) {
      addEpoch(database, run, epoch);
      if (write(ends[1], &epoch, sizeof epoch) != sizeof epoch) _exit(1);
    }
  }
  close(ends[1]);
  std::int64_t last = 0;
  while (last < 1050) REQUIRE(read(ends[0], &last, sizeof last) == sizeof last);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (read(ends[0], &last, sizeof last) == sizeof last) continue;
  close(ends[0]);
  Database database(folder / "r.db", Access::readWrite);
  CHECK(Epochs(database).epochs(run).size() >= at(last + 1));
  CHECK(database.integrity() == "ok");
}

TEST_CASE("a block that claims times that no run has is refused, and checked all the same", "[record]") {
  const Scratch folder;
  const std::int64_t run = makeRecording(folder / "r.db");
  for (const char* times :
       {"first_ns = -9223372036854775807, last_ns = 9223372036854775807",
        "first_ns = 9223372036854775806, last_ns = 9223372036854775807", "first_ns = 5, last_ns = 4"}) {
    CAPTURE(times);
    Database database(folder / "r.db", Access::readWrite);
    database.execute("UPDATE span_block SET " + std::string(times));
    CHECK_THROWS_WITH(Spans(database).blocks(run),
                      Contains("of span_block is damaged: it claims spans from "));
    CHECK_THROWS_AS(Spans(database).all(run, 0), RecordDamaged);
    CHECK(Spans(database).claimedBlocks(run).size() == 1);
  }
  Database database(folder / "r.db", Access::readWrite);
  CHECK_FALSE(checkRecording(database).faults.empty());
}

TEST_CASE("a block of a worker or an actor that no run has is refused", "[record]") {
  const Scratch folder;
  const std::int64_t run = makeRecording(folder / "r.db");
  Database database(folder / "r.db", Access::readWrite);
  for (const char* place : {"actor = 9223372036854775807", "actor = -1", "actor = NULL, rank = -2"}) {
    CAPTURE(place);
    database.execute("UPDATE span_block SET " + std::string(place));
    CHECK_THROWS_WITH(Spans(database).blocks(run), Contains("it claims to be of worker "));
  }
}

TEST_CASE("a recording that is removed while it begins was removed, not unreadable", "[record]") {
  const Scratch folder;
  const std::filesystem::path file = folder / "r.db";
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
  REQUIRE(sqlite3_exec(handle, "BEGIN; CREATE TABLE t(a)", nullptr, nullptr, nullptr) == SQLITE_OK);
  std::filesystem::remove(file);
  std::filesystem::remove(file.string() + "-journal");
  REQUIRE(sqlite3_exec(handle, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_IOERR);
  errno = ENOENT;
  try {
    failBySqlite(handle, file, "doing 'COMMIT'", Access::create);
  } catch (const RecordMoved& error) {
    CHECK(error.exitStatus() == 5);
    CHECK_THAT(error.what(), Contains("was removed or renamed while doing 'COMMIT'"));
  }
  sqlite3_close(handle);
}
