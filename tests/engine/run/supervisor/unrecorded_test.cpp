#include "engine/run/supervisor/unrecorded.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/record/tables/read_back.h"
#include "engine/record/tables/runs.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch.h"

using namespace halo;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A recording with a run that trains, all of it in the log.
class Trained {
 public:
  Trained() : database(folder / "r.db", Access::create) {
    RunRow row;
    row.status = "running";
    run = Runs(database).add(row);
    // the run's row is in a page of its own size: the log is larger than the file
    for (int i = 0; i < 30; ++i) Runs(database).setStatus(run, "running", std::to_string(i));
  }
  std::string status() const { return Runs(database).find(run)->status; }
  std::string log() const {
    std::ifstream file(folder / "r.db.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Scratch folder;
  mutable Database database;
  std::int64_t run = 0;
};

}  // namespace

TEST_CASE("a full disk keeps the end of a run where the log of the recording gives room", "[run]") {
  const Trained trained;
  const auto logBytes = fs::file_size(trained.folder / "r.db-wal");
  REQUIRE(logBytes > fs::file_size(trained.folder / "r.db"));
  bool written = false;
  {
    const FileSizeLimit full(logBytes);
    CHECK_THROWS_AS(Runs(trained.database).setStatus(trained.run, "completed"), DiskFull);
    written = writeDown(trained.database, trained.run, "no space left");
  }
  CHECK(written);
  CHECK(trained.status() == "failed");
  CHECK_FALSE(fs::exists(trained.folder / "r.db.log"));
}

TEST_CASE("where nothing can be written down no empty log is left", "[run]") {
  const Trained trained;
  bool written = true;
  {
    const FileSizeLimit full(8);
    written = writeDown(trained.database, trained.run, "no space left");
  }
  CHECK_FALSE(written);
  CHECK(trained.status() == "running");
  CHECK_FALSE(fs::exists(trained.folder / "r.db.log"));
}

TEST_CASE("a log beside the recording keeps its earlier lines whole", "[run]") {
  const Trained trained;
  std::ofstream(trained.folder / "r.db.log") << "before\n";
  {
    const FileSizeLimit full(10);
    CHECK_FALSE(writeDown(trained.database, trained.run, "no space left"));
  }
  CHECK(trained.log() == "before\n");
  {
    const FileSizeLimit full(1000);
    CHECK(writeDown(trained.database, trained.run, "no space left"));
  }
  CHECK(trained.log() == "before\nrun 1: no space left\n");
}

TEST_CASE("damage to a recording that got shorter under its writer is told as a cut", "[run]") {
  const Trained trained;
  const RecordDamaged damage("r.db is damaged");
  const std::string part = GENERATE("r.db", "r.db-wal");
  Extent extent(trained.folder / "r.db");
  CHECK(endUnrecorded(trained.database, trained.run, damage, extent).exitStatus == 4);
  fs::resize_file(trained.folder / part, fs::file_size(trained.folder / part) / 2);
  const RunOutcome outcome = endUnrecorded(trained.database, trained.run, damage, extent);
  CHECK(outcome.exitStatus == 5);
  CHECK_THAT(outcome.error, Contains("was cut or written over by another program while it was being written: "
                                     "r.db is damaged"));
  CHECK(endUnrecorded(trained.database, trained.run, DiskFull("full", "make room"), extent).error ==
        "full; make room");
}

TEST_CASE("a recording that was cut and grew again is known to have been cut", "[run]") {
  const Scratch folder;
  const auto file = folder / "r.db";
  std::ofstream(file) << std::string(100, 'a');
  Extent extent(file);
  fs::resize_file(file, 200);
  extent.look();
  CHECK_FALSE(extent.shrank());
  fs::resize_file(file, 150);
  extent.look();
  fs::resize_file(file, 300);
  extent.look();
  CHECK(extent.shrank());
}
