// What becomes of a recording whose index ("-shm") somebody cuts while SQLite has it mapped.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <utility>

#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"
#include "tests/support/scratch.h"

using namespace halo;
namespace fs = std::filesystem;

namespace {

std::int64_t addNamed(Database& database, const std::string& name) {
  RunRow run;
  run.name = name;
  Transaction transaction(database);
  const std::int64_t id = Runs(database).add(run);
  transaction.commit();
  return id;
}

std::string nameOf(Database& database, std::int64_t run) {
  const auto row = Runs(database).find(run);
  return row ? row->name : "(not there)";
}

/// Another process that has the recording open and waits to be told what to do next.
class Holder {
 public:
  /// Adds "before" to the recording, and once it goes on "after".
  explicit Holder(const fs::path& file) {
    REQUIRE(::pipe(orders_) == 0);
    REQUIRE(::pipe(answers_) == 0);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) ::_exit(hold(file));
    ::close(answers_[1]);  // so that a child that dies is noticed
    char byte;
    REQUIRE(::read(answers_[0], &byte, 1) == 1);
  }
  ~Holder() {
    for (const int end : {orders_[0], orders_[1], answers_[0]}) ::close(end);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  /// How it ended: 0 when all went well.
  int goOn() {
    REQUIRE(::write(orders_[1], "!", 1) == 1);
    int status = 0;
    ::waitpid(std::exchange(child_, 0), &status, 0);
    return status;
  }

 private:
  int hold(const fs::path& file) const try {
    ::close(orders_[1]);  // so that the end of the test ends this too
    Database database(file, Access::create);
    addNamed(database, "before");
    char byte;
    if (::write(answers_[1], "!", 1) != 1 || ::read(orders_[0], &byte, 1) != 1) return 2;
    addNamed(database, "after");
    return 0;
  } catch (const std::exception&) {
    return 1;
  }

  int orders_[2], answers_[2];
  pid_t child_ = 0;
};

}  // namespace

TEST_CASE("an index that is cut while a recording is open is built anew from the log", "[record]") {
  const Scratch folder;
  const auto file = folder / "r.db", index = folder / "r.db-shm";
  const std::uintmax_t left = GENERATE(0U, 1U, 100U, 4096U, 16384U, 20480U);
  CAPTURE(left);
  Database writer(file, Access::create);
  const std::int64_t first = addNamed(writer, "first");
  fs::resize_file(index, left);
  const std::int64_t second = addNamed(writer, "second");
  fs::resize_file(index, left);
  CHECK(nameOf(writer, first) == "first");
  fs::resize_file(index, left);
  CHECK(writer.integrity() == "ok");
  fs::resize_file(index, left);
  writer.close();
  Database reader(file, Access::readOnly);
  CHECK(nameOf(reader, first) == "first");
  CHECK(nameOf(reader, second) == "second");
}

TEST_CASE("an index that is cut within a transaction undoes it in words, and no more", "[record]") {
  const Scratch folder;
  const auto file = folder / "r.db", index = folder / "r.db-shm";
  Database writer(file, Access::create);
  const std::int64_t first = addNamed(writer, "first");
  {
    Transaction transaction(writer);
    RunRow lost;
    lost.name = "lost";
    Runs(writer).add(lost);
    fs::resize_file(index, 0);
    CHECK_THROWS_WITH(transaction.commit(),
                      Catch::Matchers::Contains(
                          "r.db: the index of its log, r.db-shm, was cut by another program in the middle "
                          "of a transaction, which is undone; what was recorded before is whole"));
  }
  CHECK(nameOf(writer, first) == "first");
  const std::int64_t second = addNamed(writer, "second");
  CHECK(second == first + 1);
  CHECK(nameOf(writer, second) == "second");
  CHECK(writer.integrity() == "ok");
}

TEST_CASE("half an index that another process has in use is not believed", "[record]") {
  const Scratch folder;
  const auto file = folder / "r.db", index = folder / "r.db-shm";
  const auto access = GENERATE(Access::readOnly, Access::readWrite);
  Holder holder(file);
  fs::resize_file(index, 16384);  // with its header, which tells of pages that the other half finds
  {
    Database database(file, access);
    CHECK(nameOf(database, 1) == "before");
  }
  CHECK(holder.goOn() == 0);
  Database reader(file, Access::readOnly);
  CHECK(nameOf(reader, 1) == "before");
  CHECK(nameOf(reader, 2) == "after");
  CHECK(reader.integrity() == "ok");
}
